// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "oracle.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>

namespace slipway::testing {
namespace {

class Oracle {
public:
    Oracle(const ModelSpec &model, const std::vector<WeightView> &weights, at::ScalarType type)
        : m_model(model),
          m_type(type)
    {
        for (const WeightView &weight : weights)
            m_weights[weight.name] =
                at::from_blob(weight.master, weight.shape, at::kFloat).to(type, false, true).requires_grad_(true);
    }

    at::Tensor loss(const at::Tensor &tokens, const at::Tensor &targets) const
    {
        at::Tensor x = at::embedding(weight("model.embed_tokens"), tokens);
        for (int i = 0; i < m_model.layers; ++i) {
            const std::string layer = "model.layers." + std::to_string(i) + ".";
            x = x + attention(norm(x, layer + "input_layernorm"), layer + "self_attn.");
            x = x + mlp(norm(x, layer + "post_attention_layernorm"), layer + "mlp.");
        }
        const at::Tensor head = m_model.head.tied ? weight("model.embed_tokens") : weight("lm_head");
        const at::Tensor logits = at::linear(norm(x, "model.norm"), head);
        return at::nll_loss(at::log_softmax(logits.view({-1, m_model.vocab}), -1), targets.view({-1}));
    }

    Gradients gradients() const
    {
        Gradients result;
        for (const auto &[name, tensor] : m_weights) {
            const at::Tensor gradient = tensor.grad().to(at::kFloat).contiguous();
            result[name].assign(gradient.data_ptr<float>(), gradient.data_ptr<float>() + gradient.numel());
        }
        return result;
    }

private:
    at::Tensor weight(const std::string &name) const { return m_weights.at(name + ".weight"); }

    at::Tensor norm(const at::Tensor &x, const std::string &name) const
    {
        return x * at::rsqrt(x.pow(2).mean(-1, true) + m_model.norm.eps) * weight(name);
    }

    at::Tensor mlp(const at::Tensor &x, const std::string &at) const
    {
        return at::linear(at::silu(at::linear(x, weight(at + "gate_proj"))) * at::linear(x, weight(at + "up_proj")),
            weight(at + "down_proj"));
    }

    at::Tensor rotate(const at::Tensor &x) const // [batch, heads, seq, headDim]
    {
        const std::int64_t seq = x.size(2), half = m_model.attention.headDim / 2;
        const at::Tensor frequencies =
            at::pow(m_model.ropes.front().base, at::arange(half, at::kDouble) * (-2.0 / m_model.attention.headDim))
                .to(at::kFloat);
        const at::Tensor angles = at::outer(at::arange(seq, at::kFloat), frequencies);
        const at::Tensor cosines = at::cat({angles, angles}, -1).cos().to(m_type),
                         sines = at::cat({angles, angles}, -1).sin().to(m_type);
        const at::Tensor turned = at::cat({-x.slice(-1, half), x.slice(-1, 0, half)}, -1);
        return x * cosines + turned * sines;
    }

    at::Tensor heads(const at::Tensor &x, const std::string &name, int count) const
    {
        return at::linear(x, weight(name))
            .view({x.size(0), x.size(1), count, m_model.attention.headDim})
            .transpose(1, 2);
    }

    at::Tensor attention(const at::Tensor &x, const std::string &at) const
    {
        const int group = m_model.attention.heads / m_model.attention.kvHeads;
        const at::Tensor q = rotate(heads(x, at + "q_proj", m_model.attention.heads));
        const at::Tensor k = rotate(heads(x, at + "k_proj", m_model.attention.kvHeads)).repeat_interleave(group, 1);
        const at::Tensor v = heads(x, at + "v_proj", m_model.attention.kvHeads).repeat_interleave(group, 1);
        const std::int64_t seq = x.size(1);
        const at::Tensor hidden = at::ones({seq, seq}, at::kBool).triu(1);
        const at::Tensor scores =
            at::matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<double>(m_model.attention.headDim));
        const at::Tensor probabilities =
            at::softmax(scores.masked_fill(hidden, -std::numeric_limits<float>::infinity()), -1);
        const at::Tensor out =
            at::matmul(probabilities, v).transpose(1, 2).reshape({x.size(0), seq, m_model.queryWidth()});
        return at::linear(out, weight(at + "o_proj"));
    }

    const ModelSpec &m_model;
    at::ScalarType m_type;
    std::map<std::string, at::Tensor> m_weights;
};

at::Tensor ids(const std::vector<std::int32_t> &values, std::int64_t seqLen)
{
    return at::from_blob(const_cast<std::int32_t *>(values.data()),
        {static_cast<std::int64_t>(values.size()) / seqLen, seqLen}, at::kInt)
        .to(at::kLong);
}

} // namespace

OracleStep oracleStep(const ModelSpec &model, const std::vector<WeightView> &weights, const Batch &batch,
    std::int64_t seqLen, OracleType type)
{
    const Oracle oracle(model, weights,
        type == OracleType::Fp64   ? at::kDouble
        : type == OracleType::Bf16 ? at::kBFloat16
                                   : at::kFloat);
    const at::Tensor loss = oracle.loss(ids(batch.tokens, seqLen), ids(batch.targets, seqLen));
    loss.backward();
    return {loss.item<double>(), oracle.gradients()};
}

double relativeDistance(const std::vector<float> &a, const std::vector<float> &b)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += std::pow(static_cast<double>(a.at(i)) - static_cast<double>(b[i]), 2);
        norm += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(difference / norm);
}

double distanceOfAll(const Gradients &gradients, const Gradients &exact)
{
    std::vector<float> all, allExact;
    for (const auto &[name, gradient] : exact) {
        all.insert(all.end(), gradients.at(name).begin(), gradients.at(name).end());
        allExact.insert(allExact.end(), gradient.begin(), gradient.end());
    }
    return relativeDistance(all, allExact);
}

} // namespace slipway::testing
