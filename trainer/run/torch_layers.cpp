// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/torch_layers.h"

#include <cstddef>
#include <stdexcept>

#include <ATen/ATen.h>

#include "aten_ops/activation.h"
#include "aten_ops/attention.h"
#include "aten_ops/elementwise.h"
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

TorchLinear::TorchLinear(const at::Tensor &weight, const at::Tensor &bias) : m_transposed(weight.t()), m_bias(bias) {}

TorchLinear TorchLinear::of(const TorchWeights &weights, const std::vector<std::string> &names)
{
    std::vector<at::Tensor> biases;
    bool any = false;
    for (const std::string &name : names) {
        const at::Tensor own = weights.find(name + ".bias"), weight = weights.at(name + ".weight");
        any = any || own.defined();
        biases.push_back(own.defined() ? own : at::zeros({weight.size(0)}, weight.options()));
    }
    return {weights.stacked(withSuffix(names, ".weight")), any ? at::cat(biases) : at::Tensor()};
}

at::Tensor TorchLinear::apply(const at::Tensor &x) const
{
    return m_bias.defined() ? at::addmm(m_bias, x, m_transposed) : at::mm(x, m_transposed);
}

TorchNorm::TorchNorm(const NormModule &kind, const at::Tensor &weight, const at::Tensor &bias)
    : m_kind(kind),
      m_weight(weight),
      m_bias(bias)
{
    if (weight.defined())
        m_factor = kind.onePlusWeight ? weight.to(at::kFloat) + 1 : weight.to(at::kFloat);
}

at::Tensor TorchNorm::apply(const at::Tensor &x, const fused_ops::Table &kernels) const
{
    const std::int64_t width = x.size(-1);
    const bool rms = m_kind.kind == NormKind::RmsNorm;
    if (!rms && !m_kind.onePlusWeight) // a single kernel in LibTorch
        return at::layer_norm(x, {width}, m_weight.defined() ? std::optional(m_weight) : std::nullopt,
            m_bias.defined() ? std::optional(m_bias) : std::nullopt, m_kind.eps);
    if (rms && m_weight.defined() && !m_kind.onePlusWeight && !m_bias.defined()) {
        const at::Tensor in = x.contiguous(), y = at::empty(in.sizes(), in.options());
        const std::int64_t rows = in.numel() / width;
        const at::Tensor rstd = at::empty({rows}, x.options().dtype(at::kFloat));
        kernels.norm({.shape = {.rows = rows, .width = width},
                         .type = floatOf(x),
                         .x = in.const_data_ptr(),
                         .weight = m_weight.const_data_ptr(),
                         .eps = static_cast<float>(m_kind.eps),
                         .y = y.mutable_data_ptr(),
                         .rstd = rstd.mutable_data_ptr<float>()},
            {});
        return y;
    }
    at::Tensor wide = x.to(at::kFloat);
    if (!rms)
        wide = wide - wide.mean(-1, true);
    at::Tensor y = wide * (wide.square().mean(-1, true) + m_kind.eps).rsqrt();
    if (m_factor.defined())
        y.mul_(m_factor);
    if (m_bias.defined())
        y.add_(m_bias);
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
    NormModule rms = model.norm; // independent of the kind of the model's other norms
    rms.kind = NormKind::RmsNorm;
    m_qNorm = TorchNorm{rms, weights.find(at + "q_norm.weight"), {}};
    m_kNorm = TorchNorm{rms, weights.find(at + "k_norm.weight"), {}};
}

void TorchAttention::norm(const at::Tensor &qkv, const fused_ops::Table &kernels) const
{
    if (!m_qNorm)
        return;
    const at::Tensor q = qkv.narrow(1, 0, m_module.heads), k = qkv.narrow(1, m_module.heads, m_module.kvHeads);
    for (const auto &[heads, norm] : {std::pair(&q, &*m_qNorm), std::pair(&k, &*m_kNorm)})
        heads->copy_(m_module.qkNorm == QkNorm::Head ? norm->apply(*heads, kernels)
                                                     : norm->apply(heads->flatten(1), kernels).view_as(*heads));
}

// Pairs are formed from both halves of the first dimensions, as in Hugging Face's layout.
void TorchAttention::rotate(
    const at::Tensor &qkv, const TorchRows &rows, const TorchTables &tables, const fused_ops::Table &kernels) const
{
    if (m_kind.rope == kNoRope || tables.ropes.empty())
        return;
    const auto index = static_cast<std::size_t>(m_kind.rope);
    const auto &[cosines, sines] = tables.ropes[index];
    if (!tables.rotatesWholeHeads(index, m_module.headDim)) {
        aten_ops::rope(qkv.narrow(1, 0, m_module.heads + m_module.kvHeads).unsqueeze(0), rows.angles[index].first,
            rows.angles[index].second, false);
        return;
    }
    kernels.rope({.tokens = qkv.size(0),
                     .seq = qkv.size(0),
                     .heads = m_module.heads,
                     .kvHeads = m_module.kvHeads,
                     .headDim = m_module.headDim,
                     .type = floatOf(qkv),
                     .cosines = cosines.const_data_ptr<float>(),
                     .sines = sines.const_data_ptr<float>(),
                     .positions = rows.positions.const_data_ptr<std::int32_t>(),
                     .qkv = qkv.mutable_data_ptr(),
                     .q = {},
                     .k = {},
                     .v = {}},
        {});
}

at::Tensor TorchAttention::apply(const at::Tensor &x, const TorchRows &rows, const TorchTables &tables,
    const at::Tensor &cache, const fused_ops::Table &kernels) const
{
    const std::int64_t heads = m_module.heads, kvHeads = m_module.kvHeads, dim = m_module.headDim, count = x.size(0);
    const at::Tensor qkv = m_qkv.apply(x).view({count, heads + 2 * kvHeads, dim});
    if (!m_module.qkNormAfterRope)
        norm(qkv, kernels);
    rotate(qkv, rows, tables, kernels);
    if (m_module.qkNormAfterRope)
        norm(qkv, kernels);
    const at::Tensor kv = qkv.narrow(1, heads, 2 * kvHeads).view({count, 2, kvHeads, dim}).transpose(0, 1);
    cache.flatten(1, 2).index_copy_(1, rows.slots, kv);
    const at::Tensor out = at::empty({count, heads * dim}, x.options());
    for (const TorchSegment &segment : rows.segments) {
        if (segment.beginsSequence)
            attendWithin(segment, qkv, tables, out);
        else
            attendToCache(segment, qkv, rows, tables, cache, out, kernels);
    }
    return m_o.apply(out);
}

void TorchAttention::attendWithin(
    const TorchSegment &segment, const at::Tensor &qkv, const TorchTables &tables, const at::Tensor &out) const
{
    const std::int64_t heads = m_module.heads, dim = m_module.headDim;
    const aten_ops::AttentionOptions options{.window = m_kind.window,
        .scale = static_cast<double>(m_scale),
        .softCap = m_module.softCap,
        .slopes = tables.slopes};
    const aten_ops::FlashKernel usual = aten_ops::flashKernel(qkv.device(), qkv.scalar_type(), dim);
    aten_ops::flashAttention(aten_ops::flashKernelFor(usual, options),
        qkv.narrow(0, segment.first, segment.count).unsqueeze(0),
        out.narrow(0, segment.first, segment.count).view({1, segment.count, heads, dim}),
        at::empty({1, heads, segment.count}, qkv.options().dtype(at::kFloat)), options);
}

void TorchAttention::attendToCache(const TorchSegment &segment, const at::Tensor &qkv, const TorchRows &rows,
    const TorchTables &tables, const at::Tensor &cache, const at::Tensor &out, const fused_ops::Table &kernels) const
{
    const at::Tensor keys = cache.select(0, 0), values = cache.select(0, 1);
    // Addresses are computed here, because each view is one more operation of the host.
    const std::int64_t q = segment.first * qkv.stride(0) * qkv.element_size(),
                       to = segment.first * out.stride(0) * out.element_size();
    kernels.pagedAttention({.rows = segment.count,
                               .heads = m_module.heads,
                               .kvHeads = m_module.kvHeads,
                               .headDim = m_module.headDim,
                               .type = floatOf(qkv),
                               .q = static_cast<const std::byte *>(qkv.const_data_ptr()) + q,
                               .queryStride = qkv.stride(0),
                               .keys = keys.const_data_ptr(),
                               .values = values.const_data_ptr(),
                               .block = keys.size(1),
                               .tables = rows.tables.const_data_ptr<std::int32_t>(),
                               .tableWidth = rows.tables.size(1),
                               .sequences = rows.sequences.const_data_ptr<std::int32_t>() + segment.first,
                               .positions = rows.positions.const_data_ptr<std::int32_t>() + segment.first,
                               .window = m_kind.window,
                               .scale = m_scale,
                               .softCap = static_cast<float>(m_module.softCap),
                               .slopes = tables.slopes.defined() ? tables.slopes.const_data_ptr<float>() : nullptr,
                               .out = static_cast<std::byte *>(out.mutable_data_ptr()) + to},
        {}); // LibTorch's stream is CUDA's default stream
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

at::Tensor TorchMlp::dense(
    const TorchLinear &up, const TorchLinear &down, const at::Tensor &x, const fused_ops::Table &kernels) const
{
    const at::Tensor inner = up.apply(x);
    const std::int64_t width = m_module.gated ? inner.size(1) / 2 : inner.size(1);
    const at::Tensor product = at::empty({x.size(0), width}, x.options());
    if (m_module.gated && m_module.activation == Activation::Silu)
        kernels.swiGlu({.shape = {.rows = x.size(0), .width = width},
                           .type = floatOf(x),
                           .gateUp = inner.mutable_data_ptr(),
                           .product = product.mutable_data_ptr()},
            {});
    else if (m_module.gated)
        aten_ops::gatedActivation(m_module.activation, inner, product);
    else
        aten_ops::activate(m_module.activation, inner, product);
    return down.apply(product);
}

at::Tensor TorchMlp::routed(const at::Tensor &x, const fused_ops::Table &kernels) const
{
    const at::Tensor scores = m_router.apply(x).to(at::kFloat).softmax(-1);
    auto [weights, chosen] = scores.topk(m_experts.perToken, -1);
    // Softmax over the chosen logits alone equals softmax over all, divided by the sum over the chosen ones.
    if (m_experts.normalizesTopK || !m_experts.softmaxBeforeTopK)
        weights = weights / weights.sum(-1, true);
    // In this order, the rows of each expert are consecutive. The host waits once for the number of rows of all
    // experts, not once per expert.
    const at::Tensor order = chosen.flatten().argsort(/*stable=*/true, /*dim=*/0, /*descending=*/false);
    const at::Tensor tokens = order.div(m_experts.perToken, "floor"),
                     shares = weights.view({-1, 1}).index_select(0, order);
    const at::Tensor known = chosen.to(at::kCPU).contiguous();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(m_experts.count));
    for (std::int64_t i = 0; i < known.numel(); ++i)
        ++counts[static_cast<std::size_t>(known.const_data_ptr<std::int64_t>()[i])];
    const at::Tensor y = at::zeros(x.sizes(), x.options().dtype(at::kFloat));
    std::int64_t first = 0;
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        const std::int64_t count = counts[expert];
        if (count == 0)
            continue;
        const at::Tensor own = tokens.narrow(0, first, count), share = shares.narrow(0, first, count);
        y.index_add_(
            0, own, dense(m_up[expert], m_down[expert], x.index_select(0, own), kernels).to(at::kFloat) * share);
        first += count;
    }
    return y.to(x.scalar_type());
}

at::Tensor TorchMlp::apply(const at::Tensor &x, const fused_ops::Table &kernels) const
{
    if (m_experts.count == 0)
        return dense(m_up.front(), m_down.front(), x, kernels);
    at::Tensor y = routed(x, kernels);
    if (!m_sharedUp.defined())
        return y;
    const at::Tensor shared = dense(m_sharedUp, m_sharedDown, x, kernels);
    return y + (m_sharedGate.defined() ? shared * m_sharedGate.apply(x).sigmoid() : shared);
}

} // namespace slipway
