// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exact_ops.h"

#include <cmath>
#include <limits>

namespace slipway::testing {

at::Tensor exactRmsNorm(const at::Tensor &x, const at::Tensor &weight, double offset, double eps)
{
    const at::Tensor normed = x * at::rsqrt(x.pow(2).mean(-1, true) + eps);
    return weight.defined() ? normed * (weight + offset) : normed;
}

at::Tensor exactActivation(Activation kind, const at::Tensor &x)
{
    switch (kind) {
    case Activation::Silu:
        return at::silu(x);
    case Activation::GeluTanh:
        return at::gelu(x, "tanh");
    case Activation::GeluErf:
        return at::gelu(x);
    case Activation::Relu:
        return at::relu(x);
    case Activation::Relu2:
        return at::relu(x).square();
    case Activation::QuickGelu:
        return x * at::sigmoid(1.702 * x);
    }
    return {};
}

at::Tensor hiddenFrom(const cpu_ops::QkvShape &s)
{
    const at::Tensor queries = at::arange(s.seq).view({1, s.seq, 1}), keys = at::arange(s.seq).view({1, 1, s.seq});
    at::Tensor hidden = keys > queries;
    if (s.window > 0)
        hidden = hidden | (keys <= queries - s.window);
    if (s.documentStarts)
        hidden = hidden |
                 (keys < at::from_blob(const_cast<std::int32_t *>(s.documentStarts), {s.batch, s.seq, 1}, at::kInt));
    return hidden.expand({s.batch, s.seq, s.seq}).unsqueeze(1);
}

ExactAttention exactAttention(const cpu_ops::QkvShape &s, const at::Tensor &qkv, const at::Tensor &slopes)
{
    const at::Tensor all = qkv.view({s.batch, s.seq, s.heads + 2 * s.kvHeads, s.headDim}).transpose(1, 2);
    const std::int64_t group = s.heads / s.kvHeads;
    const at::Tensor q = all.narrow(1, 0, s.heads), k = all.narrow(1, s.heads, s.kvHeads).repeat_interleave(group, 1),
                     v = all.narrow(1, s.heads + s.kvHeads, s.kvHeads).repeat_interleave(group, 1);
    const double scale =
        s.scale != 0.0f ? static_cast<double>(s.scale) : 1.0 / std::sqrt(static_cast<double>(s.headDim));
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * scale;
    if (const auto cap = static_cast<double>(s.softCap); cap != 0)
        scores = cap * at::tanh(scores / cap);
    if (slopes.defined()) {
        const at::Tensor places = at::arange(s.seq, at::kDouble);
        scores = scores - slopes.to(at::kDouble).view({-1, 1, 1}) * (places.unsqueeze(1) - places);
    }
    scores = scores.masked_fill(hiddenFrom(s), -std::numeric_limits<double>::infinity());
    return {at::matmul(at::softmax(scores, -1), v).transpose(1, 2).reshape({s.batch * s.seq, s.outStride()}),
        at::logsumexp(scores, -1)};
}

} // namespace slipway::testing
