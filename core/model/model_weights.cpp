// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_weights.h"

#include <numeric>
#include <string_view>

namespace slipway {

namespace {

constexpr WeightInit kNormal = WeightInit::Normal, kOntoResidual = WeightInit::NormalOntoResidual;

ModelWeight matrix(std::string_view name, std::int64_t out, std::int64_t in, WeightInit init = kNormal)
{
    return {.name = std::string(name) + ".weight", .shape = {out, in}, .init = init};
}

ModelWeight bias(std::string_view name, std::int64_t width)
{
    return {.name = std::string(name) + ".bias", .shape = {width}, .init = WeightInit::Zeros};
}

// Gemma's weights are stored less 1.
ModelWeight scaleOfNorm(const NormModule &norm, std::string_view name, std::int64_t width)
{
    return {.name = std::string(name) + ".weight",
        .shape = {width},
        .init = norm.onePlusWeight ? WeightInit::Zeros : WeightInit::Ones};
}

class LayerTensors {
public:
    explicit LayerTensors(const ModelSpec &model) : m_model(model), m_hidden(model.hidden) {}

    std::vector<WeightTensor> all()
    {
        addAttention();
        m_model.experts.count > 0 ? addExperts() : addMlp();
        addNorms();
        addBiases();
        return std::move(m_tensors);
    }

private:
    void add(std::string_view name, std::vector<ModelWeight> parts, ParameterKind kind = ParameterKind::Matrix)
    {
        m_tensors.push_back({.name = std::string(name), .parts = std::move(parts), .kind = kind});
    }

    void addAttention()
    {
        const std::int64_t q = m_model.queryWidth(), kv = m_model.kvWidth();
        add("qkv", {matrix("self_attn.q_proj", q, m_hidden), matrix("self_attn.k_proj", kv, m_hidden),
                       matrix("self_attn.v_proj", kv, m_hidden)});
        add("o", {matrix("self_attn.o_proj", m_hidden, q, kOntoResidual)});
    }

    // Of an MLP at `where`, an expert's or a layer's.
    [[nodiscard]] std::vector<ModelWeight> inner(const std::string &where, std::int64_t width) const
    {
        std::vector<ModelWeight> parts;
        if (m_model.mlp.gated)
            parts.push_back(matrix(where + ".gate_proj", width, m_hidden));
        parts.push_back(matrix(where + ".up_proj", width, m_hidden));
        return parts;
    }
    [[nodiscard]] ModelWeight outer(const std::string &where, std::int64_t width) const
    {
        return matrix(where + ".down_proj", m_hidden, width, kOntoResidual);
    }

    void addMlp()
    {
        add(m_model.mlp.gated ? "gate_up" : "up", inner("mlp", m_model.mlp.width));
        add("down", {outer("mlp", m_model.mlp.width)});
    }

    void addExperts()
    {
        const ExpertsModule &experts = m_model.experts;
        std::vector<ModelWeight> up, down;
        for (int expert = 0; expert < experts.count; ++expert) {
            const std::string where = "mlp.experts." + std::to_string(expert);
            for (ModelWeight &part : inner(where, m_model.mlp.width))
                up.push_back(std::move(part));
            down.push_back(outer(where, m_model.mlp.width));
        }
        add("router", {matrix("mlp.gate", experts.count, m_hidden)});
        add(m_model.mlp.gated ? "experts_gate_up" : "experts_up", std::move(up));
        add("experts_down", std::move(down));
        if (experts.sharedWidth == 0)
            return;
        add(m_model.mlp.gated ? "shared_gate_up" : "shared_up", inner("mlp.shared_expert", experts.sharedWidth));
        add("shared_down", {outer("mlp.shared_expert", experts.sharedWidth)});
        if (experts.sharedGate)
            add("shared_gate", {matrix("mlp.shared_expert_gate", 1, m_hidden)});
    }

    void addNorm(const std::string &tensor, std::string_view name)
    {
        if (m_model.norm.weight)
            add(tensor, {scaleOfNorm(m_model.norm, name, m_hidden)}, ParameterKind::Norm);
        if (m_model.norm.bias)
            add(tensor + "_bias", {bias(name, m_hidden)}, ParameterKind::Norm);
    }

    // Transformers calls the norm before the MLP after the attention that it stands behind, but where both branches
    // have norms behind them.
    void addNorms()
    {
        const NormPlacement norms = m_model.block.norms;
        if (norms != NormPlacement::After) {
            addNorm("attention_norm", "input_layernorm");
            if (!m_model.block.sharedNorm)
                addNorm("mlp_norm",
                    norms == NormPlacement::Both ? "pre_feedforward_layernorm" : "post_attention_layernorm");
        }
        if (norms != NormPlacement::Before) {
            addNorm("attention_post_norm", "post_attention_layernorm");
            addNorm("mlp_post_norm", "post_feedforward_layernorm");
        }
        if (m_model.attention.qkNorm == QkNorm::None)
            return;
        const bool heads = m_model.attention.qkNorm == QkNorm::Head;
        const std::int64_t head = m_model.attention.headDim;
        add(heads ? "qk_norm" : "qk_norm_all_heads",
            {scaleOfNorm(m_model.norm, "self_attn.q_norm", heads ? head : m_model.queryWidth()),
                scaleOfNorm(m_model.norm, "self_attn.k_norm", heads ? head : m_model.kvWidth())},
            ParameterKind::Norm);
    }

    void addBiases()
    {
        const AttentionModule &attention = m_model.attention;
        if (attention.qkvBias)
            add("qkv_bias",
                {bias("self_attn.q_proj", m_model.queryWidth()), bias("self_attn.k_proj", m_model.kvWidth()),
                    bias("self_attn.v_proj", m_model.kvWidth())},
                ParameterKind::Bias);
        if (attention.sinks)
            add("sinks", {ModelWeight{.name = "self_attn.sinks", .shape = {attention.heads}}}, ParameterKind::Bias);
        if (attention.outBias)
            add("o_bias", {bias("self_attn.o_proj", m_hidden)}, ParameterKind::Bias);
        if (m_model.experts.count > 0)
            addExpertBiases();
        else if (m_model.mlp.bias) {
            add(m_model.mlp.gated ? "gate_up_bias" : "up_bias", innerBiases("mlp"), ParameterKind::Bias);
            add("down_bias", {bias("mlp.down_proj", m_hidden)}, ParameterKind::Bias);
        }
    }

    [[nodiscard]] std::vector<ModelWeight> innerBiases(const std::string &where) const
    {
        std::vector<ModelWeight> parts;
        if (m_model.mlp.gated)
            parts.push_back(bias(where + ".gate_proj", m_model.mlp.width));
        parts.push_back(bias(where + ".up_proj", m_model.mlp.width));
        return parts;
    }

    void addExpertBiases()
    {
        if (m_model.experts.routerBias)
            add("router_bias", {bias("mlp.gate", m_model.experts.count)}, ParameterKind::Bias);
        if (!m_model.mlp.bias)
            return;
        std::vector<ModelWeight> up, down;
        for (int expert = 0; expert < m_model.experts.count; ++expert) {
            const std::string where = "mlp.experts." + std::to_string(expert);
            for (ModelWeight &part : innerBiases(where))
                up.push_back(std::move(part));
            down.push_back(bias(where + ".down_proj", m_hidden));
        }
        add(m_model.mlp.gated ? "experts_gate_up_bias" : "experts_up_bias", std::move(up), ParameterKind::Bias);
        add("experts_down_bias", std::move(down), ParameterKind::Bias);
    }

    const ModelSpec &m_model;
    const std::int64_t m_hidden;
    std::vector<WeightTensor> m_tensors;
};

void append(std::vector<ModelWeight> &all, const std::vector<WeightTensor> &tensors, const std::string &prefix)
{
    for (const WeightTensor &tensor : tensors) {
        for (const ModelWeight &weight : tensor.parts) {
            all.push_back(weight);
            all.back().name = prefix + weight.name;
        }
    }
}

} // namespace

std::int64_t WeightTensor::rows() const
{
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
        [](std::int64_t sum, const ModelWeight &part) { return sum + part.rows(); });
}

std::vector<WeightTensor> embeddingTensors(const ModelSpec &model)
{
    constexpr ParameterKind kKind = ParameterKind::Embedding;
    std::vector<WeightTensor> tensors{{"embedding", {matrix("model.embed_tokens", model.vocab, model.hidden)}, kKind}};
    if (model.position == Position::Learned)
        tensors.push_back(
            {"positions", {matrix("model.embed_positions", model.embedding.positions, model.hidden)}, kKind});
    return tensors;
}

std::vector<WeightTensor> layerTensors(const ModelSpec &model) { return LayerTensors(model).all(); }

std::vector<WeightTensor> headTensors(const ModelSpec &model)
{
    std::vector<WeightTensor> tensors;
    if (!model.head.tied)
        tensors.push_back({"head", {matrix("lm_head", model.vocab, model.hidden)}, ParameterKind::Head});
    if (model.norm.weight)
        tensors.push_back({"final_norm", {scaleOfNorm(model.norm, "model.norm", model.hidden)}, ParameterKind::Norm});
    if (model.norm.bias)
        tensors.push_back({"final_norm_bias", {bias("model.norm", model.hidden)}, ParameterKind::Norm});
    if (model.head.bias)
        tensors.push_back({"head_bias", {bias("lm_head", model.vocab)}, ParameterKind::Bias});
    return tensors;
}

std::string layerPrefix(int layer) { return "model.layers." + std::to_string(layer) + "."; }

std::vector<ModelWeight> modelWeights(const ModelSpec &model)
{
    std::vector<ModelWeight> all;
    append(all, embeddingTensors(model), "");
    const std::vector<WeightTensor> layer = layerTensors(model);
    for (int i = 0; i < model.layers; ++i)
        append(all, layer, layerPrefix(i));
    append(all, headTensors(model), "");
    return all;
}

} // namespace slipway
