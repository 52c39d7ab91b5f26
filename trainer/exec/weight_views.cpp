// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/weight_views.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace slipway {
namespace {

struct NamedRows {
    std::string name;
    std::int64_t rows; // and as many columns as the model has
    std::int64_t columns;
    std::int64_t laidOutRows;
};

std::vector<NamedRows> namesInLayer(const ParameterTensor &tensor, const ModelSpec &model)
{
    const std::string_view name = tensor.name;
    const auto whole = [&](const char *weight, std::int64_t rows, std::int64_t columns) {
        return NamedRows{weight, rows, columns, rows};
    };
    if (name == "qkv")
        return {whole("self_attn.q_proj", model.queryWidth(), tensor.columns),
            whole("self_attn.k_proj", model.kvWidth(), tensor.columns),
            whole("self_attn.v_proj", model.kvWidth(), tensor.columns)};
    if (name == "o")
        return {whole("self_attn.o_proj", tensor.rows, tensor.columns)};
    if (name == "gate_up")
        return {{"mlp.gate_proj", model.mlp.width, tensor.columns, tensor.rows / 2},
            {"mlp.up_proj", model.mlp.width, tensor.columns, tensor.rows / 2}};
    if (name == "down")
        return {whole("mlp.down_proj", tensor.rows, model.mlp.width)};
    if (name == "attention_norm")
        return {whole("input_layernorm", tensor.rows, 1)};
    if (name == "mlp_norm")
        return {whole("post_attention_layernorm", tensor.rows, 1)};
    throw std::logic_error("the plan has a weight without a name: " + tensor.name);
}

NamedRows nameOutsideLayers(const ParameterTensor &tensor, const ModelSpec &model)
{
    if (tensor.name == "embedding")
        return {"model.embed_tokens", model.vocab, tensor.columns, tensor.rows};
    if (tensor.name == "final_norm")
        return {"model.norm", tensor.rows, 1, tensor.rows};
    if (tensor.name == "head")
        return {"lm_head", model.vocab, tensor.columns, tensor.rows};
    throw std::logic_error("the plan has a weight without a name: " + tensor.name);
}

class Views {
public:
    Views(const StepPlan &plan, const ModelSpec &model, int shard) : m_plan(plan), m_model(model), m_shard(shard) {}

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
            const std::string prefix =
                unit.perLayer ? "model.layers." + std::to_string(m_plan.firstLayer + layer) + "." : "";
            std::int64_t offset = tensor.offset;
            for (const NamedRows &part :
                unit.perLayer ? namesInLayer(tensor, m_model) : std::vector{nameOutsideLayers(tensor, m_model)}) {
                WeightView view{.name = prefix + part.name + ".weight",
                    .shape = {part.rows},
                    .flat = unit.master,
                    .layer = layer,
                    .pitch = tensor.columns};
                if (tensor.columns > 1)
                    view.shape.push_back(part.columns);
                addView(std::move(view), offset, part.columns, m_shard * unit.part, unit.part);
                offset += part.laidOutRows * tensor.columns;
            }
        }
    }

    // What of it lies in [partBegin, partBegin + part) of the unit.
    void addView(WeightView view, std::int64_t offset, std::int64_t columns, std::int64_t partBegin, std::int64_t part)
    {
        const std::int64_t end = view.shape[0] * view.pitch;
        // Elements before a place: a gap counts to the row before it.
        const auto elementsBefore = [&](std::int64_t place) {
            const std::int64_t within = std::clamp<std::int64_t>(place - offset, 0, end);
            return within / view.pitch * columns + std::min(within % view.pitch, columns);
        };
        view.first = elementsBefore(partBegin);
        view.count = elementsBefore(partBegin + part) - view.first;
        if (view.count <= 0)
            return;
        view.place = offset + view.first / columns * view.pitch + view.first % columns - partBegin;
        m_views.push_back(std::move(view));
    }

    const StepPlan &m_plan;
    const ModelSpec &m_model;
    int m_shard;
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

std::int64_t WeightView::extent() const
{
    std::int64_t end = 0;
    forEachRun([&](std::int64_t, std::int64_t from, std::int64_t length) { end = from + length; });
    return end;
}

std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, int shard)
{
    return Views(plan, model, shard).all();
}

} // namespace slipway
