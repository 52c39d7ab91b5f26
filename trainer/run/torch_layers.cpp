// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/torch_layers.h"

#include <stdexcept>

#include <ATen/ATen.h>

#include "aten_ops/activation.h"
#include "model/model_weights.h"

namespace slipway {

namespace {

fused_ops::Float floatOf(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kBFloat16 ? fused_ops::Float::Bf16 : fused_ops::Float::Fp32;
}

std::vector<std::string> withSuffix(const std::vector<std::string> &names, const char *suffix)
{
    std::vector<std::string> all;
    for (const std::string &name : names)
        all.push_back(name + suffix);
    return all;
}

TorchLinear upOf(const TorchWeights &weights, const std::string &name, bool gated)
{
    return TorchLinear::of(
        weights, gated ? std::vector{name + ".gate_proj", name + ".up_proj"} : std::vector{name + ".up_proj"});
}

} // namespace

TorchWeights::TorchWeights(const std::vector<HfWeight> &weights, const at::TensorOptions &as)
{
    for (const HfWeight &weight : weights) {
        const at::Tensor values = at::from_blob(const_cast<float *>(weight.values.data()), weight.shape, at::kFloat);
        m_tensors.emplace(weight.name, values.to(as, /*non_blocking=*/false, /*copy=*/true));
    }
}

at::Tensor TorchWeights::find(const std::string &name) const
{
    const auto found = m_tensors.find(name);
    return found == m_tensors.end() ? at::Tensor() : found->second;
}

at::Tensor TorchWeights::at(const std::string &name) const
{
    at::Tensor tensor = find(name);
    if (!tensor.defined())
        throw std::logic_error("the model lacks the weight " + name);
    return tensor;
}

at::Tensor TorchWeights::stacked(const std::vector<std::string> &names) const
{
    std::vector<at::Tensor> parts;
    for (const std::string &name : names)
        parts.push_back(at(name));
    return parts.size() == 1 ? parts.front() : at::cat(parts);
}

TorchLinear TorchLinear::of(const TorchWeights &weights, const std::vector<std::string> &names)
{
    TorchLinear linear{.weight = weights.stacked(withSuffix(names, ".weight")), .bias = {}};
    std::vector<at::Tensor> biases;
    bool any = false;
    for (const std::string &name : names) {
        const at::Tensor own = weights.find(name + ".bias"), weight = weights.at(name + ".weight");
        any = any || own.defined();
        biases.push_back(own.defined() ? own : at::zeros({weight.size(0)}, weight.options()));
    }
    if (any)
        linear.bias = at::cat(biases);
    return linear;
}

at::Tensor TorchLinear::apply(const at::Tensor &x) const
{
    return at::linear(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
}

at::Tensor TorchNorm::apply(const at::Tensor &x) const
{
    const at::Tensor wide = x.to(at::kFloat);
    at::Tensor y;
    if (kind.kind == NormKind::RmsNorm) {
        y = wide * (wide.square().mean(-1, true) + kind.eps).rsqrt();
    } else {
        const at::Tensor centred = wide - wide.mean(-1, true);
        y = centred * (centred.square().mean(-1, true) + kind.eps).rsqrt();
    }
    if (weight.defined())
        y = kind.onePlusWeight ? y * (weight.to(at::kFloat) + 1) : y * weight.to(at::kFloat);
    if (bias.defined())
        y = y + bias.to(at::kFloat);
    return y.to(x.scalar_type());
}

TorchAttention::TorchAttention(const ModelSpec &model, const TorchWeights &weights, int layer)
    : m_module(model.attention),
      m_kind(model.kindOf(layer)),
      m_scale(static_cast<float>(model.attentionScale()))
{
    const std::string at = layerPrefix(layer) + "self_attn.";
    m_qkv = TorchLinear::of(weights, {at + "q_proj", at + "k_proj", at + "v_proj"});
    m_o = TorchLinear::of(weights, {at + "o_proj"});
    if (m_module.qkNorm == QkNorm::None)
        return;
    NormModule rms = model.norm; // whatever the model's other norms are
    rms.kind = NormKind::RmsNorm;
    m_qNorm = TorchNorm{rms, weights.find(at + "q_norm.weight"), {}};
    m_kNorm = TorchNorm{rms, weights.find(at + "k_norm.weight"), {}};
}

// q and k are [rows, heads, headDim].
void TorchAttention::norm(at::Tensor &q, at::Tensor &k) const
{
    if (!m_qNorm)
        return;
    for (const auto &[heads, norm] : {std::pair(&q, &*m_qNorm), std::pair(&k, &*m_kNorm)})
        *heads = m_module.qkNorm == QkNorm::Head ? norm->apply(*heads) : norm->apply(heads->flatten(1)).view_as(*heads);
}

// Halves of the first dimensions, as Hugging Face rotates them.
void TorchAttention::rotate(at::Tensor &heads, const TorchRows &rows, const TorchTables &tables) const
{
    if (m_kind.rope == kNoRope || tables.ropes.empty())
        return;
    const auto &[cosines, sines] = tables.ropes[static_cast<std::size_t>(m_kind.rope)];
    const std::int64_t half = cosines.size(1);
    const at::Tensor cosine = cosines.index_select(0, rows.positions).unsqueeze(1),
                     sine = sines.index_select(0, rows.positions).unsqueeze(1),
                     low = heads.narrow(2, 0, half).to(at::kFloat), high = heads.narrow(2, half, half).to(at::kFloat);
    const at::Tensor rest = heads.narrow(2, 2 * half, heads.size(2) - 2 * half);
    heads = at::cat({(low * cosine - high * sine).to(heads.scalar_type()),
                        (high * cosine + low * sine).to(heads.scalar_type()), rest},
        2);
}

at::Tensor TorchAttention::apply(const at::Tensor &x, const TorchRows &rows, const TorchTables &tables, at::Tensor keys,
    at::Tensor values, const fused_ops::Table &kernels) const
{
    const std::int64_t heads = m_module.heads, kvHeads = m_module.kvHeads, dim = m_module.headDim, count = x.size(0);
    const at::Tensor qkv = m_qkv.apply(x).view({count, heads + 2 * kvHeads, dim});
    at::Tensor q = qkv.narrow(1, 0, heads), k = qkv.narrow(1, heads, kvHeads);
    if (!m_module.qkNormAfterRope)
        norm(q, k);
    rotate(q, rows, tables);
    rotate(k, rows, tables);
    if (m_module.qkNormAfterRope)
        norm(q, k);
    keys.flatten(0, 1).index_copy_(0, rows.slots, k.contiguous());
    values.flatten(0, 1).index_copy_(0, rows.slots, qkv.narrow(1, heads + kvHeads, kvHeads).contiguous());
    q = q.contiguous();
    const at::Tensor out = at::empty({count, heads * dim}, x.options());
    kernels.pagedAttention({.rows = count,
                               .heads = heads,
                               .kvHeads = kvHeads,
                               .headDim = dim,
                               .type = floatOf(x),
                               .q = q.const_data_ptr(),
                               .queryStride = heads * dim,
                               .keys = keys.const_data_ptr(),
                               .values = values.const_data_ptr(),
                               .block = keys.size(1),
                               .tables = rows.tables.const_data_ptr<std::int32_t>(),
                               .tableWidth = rows.tables.size(1),
                               .sequences = rows.sequences.const_data_ptr<std::int32_t>(),
                               .positions = rows.places.const_data_ptr<std::int32_t>(),
                               .window = m_kind.window,
                               .scale = m_scale,
                               .softCap = static_cast<float>(m_module.softCap),
                               .slopes = tables.slopes.defined() ? tables.slopes.const_data_ptr<float>() : nullptr,
                               .out = out.mutable_data_ptr()},
        {}); // LibTorch's stream is CUDA's default one
    return m_o.apply(out);
}

TorchMlp::TorchMlp(const ModelSpec &model, const TorchWeights &weights, const std::string &name)
    : m_module(model.mlp),
      m_experts(model.experts)
{
    const auto add = [&](const std::string &own) {
        m_up.push_back(upOf(weights, own, m_module.gated));
        m_down.push_back(TorchLinear::of(weights, {own + ".down_proj"}));
    };
    if (m_experts.count == 0) {
        add(name);
        return;
    }
    m_router = TorchLinear::of(weights, {name + ".gate"});
    for (int expert = 0; expert < m_experts.count; ++expert)
        add(name + ".experts." + std::to_string(expert));
    if (m_experts.sharedWidth == 0)
        return;
    m_sharedUp = upOf(weights, name + ".shared_expert", m_module.gated);
    m_sharedDown = TorchLinear::of(weights, {name + ".shared_expert.down_proj"});
    if (m_experts.sharedGate)
        m_sharedGate = TorchLinear::of(weights, {name + ".shared_expert_gate"});
}

at::Tensor TorchMlp::dense(const TorchLinear &up, const TorchLinear &down, const at::Tensor &x) const
{
    const at::Tensor inner = up.apply(x);
    const at::Tensor product = at::empty({x.size(0), m_module.gated ? inner.size(1) / 2 : inner.size(1)}, x.options());
    m_module.gated ? aten_ops::gated(m_module.activation, inner, product)
                   : aten_ops::activate(m_module.activation, inner, product);
    return down.apply(product);
}

at::Tensor TorchMlp::routed(const at::Tensor &x) const
{
    const at::Tensor scores = m_router.apply(x).to(at::kFloat).softmax(-1);
    auto [weights, chosen] = scores.topk(m_experts.perToken, -1);
    // The softmax of the chosen logits alone is that of all, divided by the sum over the chosen ones.
    if (m_experts.normalizesTopK || !m_experts.softmaxBeforeTopK)
        weights = weights / weights.sum(-1, true);
    const at::Tensor y = at::zeros(x.sizes(), x.options().dtype(at::kFloat));
    for (int expert = 0; expert < m_experts.count; ++expert) {
        const at::Tensor places = chosen.eq(expert).nonzero();
        if (places.size(0) == 0)
            continue;
        const auto index = static_cast<std::size_t>(expert);
        const at::Tensor tokens = places.select(1, 0);
        const at::Tensor own = dense(m_up[index], m_down[index], x.index_select(0, tokens)).to(at::kFloat);
        const at::Tensor share = at::gather(weights.index_select(0, tokens), 1, places.narrow(1, 1, 1));
        y.index_add_(0, tokens, own * share);
    }
    return y.to(x.scalar_type());
}

at::Tensor TorchMlp::apply(const at::Tensor &x) const
{
    if (m_experts.count == 0)
        return dense(m_up.front(), m_down.front(), x);
    at::Tensor y = routed(x);
    if (!m_sharedUp.weight.defined())
        return y;
    const at::Tensor shared = dense(m_sharedUp, m_sharedDown, x);
    return y + (m_sharedGate.weight.defined() ? shared * m_sharedGate.apply(x).sigmoid() : shared);
}

} // namespace slipway
