// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/weight_views.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "plan/data_parallel.h"

namespace slipway {
namespace {

struct NamedRows {
    std::string name;
    std::int64_t rows;
};

std::vector<NamedRows> namesInLayer(const ParameterTensor &tensor, const ModelSpec &model)
{
    const std::string_view name = tensor.name;
    if (name == "qkv")
        return {{"self_attn.q_proj", model.queryWidth()}, {"self_attn.k_proj", model.kvWidth()}, {"self_attn.v_proj", model.kvWidth()}};
    if (name == "o")
        return {{"self_attn.o_proj", tensor.rows}};
    if (name == "gate_up")
        return {{"mlp.gate_proj", model.ffn}, {"mlp.up_proj", model.ffn}};
    if (name == "down")
        return {{"mlp.down_proj", tensor.rows}};
    if (name == "attention_norm")
        return {{"input_layernorm", tensor.rows}};
    if (name == "mlp_norm")
        return {{"post_attention_layernorm", tensor.rows}};
    throw std::logic_error("the plan has a weight without a name: " + tensor.name);
}

std::string nameOutsideLayers(const ParameterTensor &tensor)
{
    if (tensor.name == "embedding")
        return "model.embed_tokens";
    if (tensor.name == "final_norm")
        return "model.norm";
    if (tensor.name == "head")
        return "lm_head";
    throw std::logic_error("the plan has a weight without a name: " + tensor.name);
}

class Views {
public:
    Views(const StepPlan &plan, const ModelSpec &model, const LiveBuffers &live, int shard, std::byte *arena)
        : m_plan(plan), m_model(model), m_live(live), m_shard(shard), m_arena(arena) {}

    std::vector<WeightView> all()
    {
        for (const ParameterUnit &unit : m_plan.units) {
            for (int layer = 0; layer < (unit.perLayer ? m_plan.layers : 1); ++layer)
                addInstance(unit, layer);
        }
        return std::move(m_views);
    }

private:
    void addInstance(const ParameterUnit &unit, int layer)
    {
        for (const ParameterTensor &tensor : m_plan.tensors) {
            if (tensor.parameter != unit.parameter)
                continue;
            const std::string prefix = "model.layers." + std::to_string(m_plan.firstLayer + layer) + ".";
            const auto names = unit.perLayer ? namesInLayer(tensor, m_model) : std::vector{NamedRows{nameOutsideLayers(tensor), tensor.rows}};
            std::int64_t offset = tensor.offset;
            for (const NamedRows &part : names) {
                addView((unit.perLayer ? prefix : "") + part.name + ".weight", unit, layer, offset, part.rows, tensor.columns);
                offset += part.rows * tensor.columns;
            }
        }
    }

    void addView(std::string name, const ParameterUnit &unit, int layer, std::int64_t offset, std::int64_t rows, std::int64_t columns)
    {
        const std::int64_t partBegin = m_shard * unit.part;
        const std::int64_t begin = std::max(offset, partBegin), end = std::min(offset + rows * columns, partBegin + unit.part);
        if (begin >= end)
            return;
        const auto at = [&](BufferId buffer) {
            Use use = ownPart(m_plan, unit, buffer);
            use.offset = (begin - partBegin) * sizeOf(DType::Fp32);
            return reinterpret_cast<float *>(m_arena + m_live.offset(use, layer, 0));
        };
        std::vector<std::int64_t> shape{rows};
        if (columns > 1)
            shape.push_back(columns);
        m_views.push_back({.name = std::move(name), .shape = std::move(shape), .first = begin - offset, .count = end - begin, .master = at(unit.master),
                           .momentum = at(unit.momentum), .variance = at(unit.variance)});
    }

    const StepPlan &m_plan;
    const ModelSpec &m_model;
    const LiveBuffers &m_live;
    int m_shard;
    std::byte *m_arena;
    std::vector<WeightView> m_views;
};

} // namespace

std::int64_t WeightView::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t extent : shape)
        product *= extent;
    return product;
}

std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, const LiveBuffers &live, int shard, std::byte *arena)
{
    return Views(plan, model, live, shard, arena).all();
}

} // namespace slipway
