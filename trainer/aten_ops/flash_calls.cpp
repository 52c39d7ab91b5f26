// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/flash_calls.h"

#include <optional>

#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace slipway::aten_ops {
namespace {

// LibTorch's window_size_left: the number of keys before the query itself; empty without a window.
std::optional<std::int64_t> windowLeft(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional(options.window - 1) : std::nullopt;
}
std::optional<std::int64_t> windowRight(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

at::Tensor asBatch(const at::Tensor &rows, const at::Tensor &like, const AttentionOptions &options)
{
    return apart(options) ? rows.unflatten(0, {like.size(0), like.size(1)}) : rows;
}
// The length of the longest document, or of a sequence if documents are not separated.
std::int64_t longestOf(const at::Tensor &heads, const AttentionOptions &options)
{
    return apart(options) ? options.documents.longest : heads.size(1);
}

HeadGradients gpuBackwardOf(const BackwardInput &in, Keys keys, const AttentionOptions &o)
{
    // Must be given although it is unused without dropout.
    const at::TensorOptions random = in.q.options().dtype(at::kUInt64);
    const auto rows = [&o](const at::Tensor &heads) { return rowsOf(heads, o); };
    const auto [dq, dk, dv] = at::_flash_attention_backward(rows(in.dout), rows(in.q), rows(in.k), rows(in.v),
        rows(in.out), in.lse, o.documents.device, o.documents.device, longestOf(in.q, o), longestOf(in.k, o), 0.0,
        keys == Keys::UpToQuery, at::zeros({2}, random), at::empty({}, random), scoreScale(in.q.size(3), o),
        windowLeft(o), windowRight(o));
    return {asBatch(dq, in.q, o), asBatch(dk, in.k, o), asBatch(dv, in.v, o)};
}

// Kernels with grouped-query attention compute dk and dv per query head and reduce them afterwards; other kernels
// require one key-value head per query head. So the kernel is called once for each query head of a key-value head, with
// as many key-value heads as query heads. It then returns dk and dv without a reduction, and they are summed in fp32.
template<typename Backward>
HeadGradients byQueryOfKey(const BackwardInput &in, const Backward &backward)
{
    const std::int64_t kvHeads = in.k.size(2), group = in.q.size(2) / kvHeads, headsAt = in.lse.dim() - 2;
    const auto member = [&](const at::Tensor &heads, std::int64_t number) {
        return heads.unflatten(2, {kvHeads, group}).select(3, number);
    };
    at::Tensor dq = at::empty(in.q.sizes(), in.q.options()), dk, dv;
    for (std::int64_t number = 0; number < group; ++number) {
        const HeadGradients own = backward(BackwardInput{.dout = member(in.dout, number),
            .q = member(in.q, number),
            .k = in.k,
            .v = in.v,
            .out = member(in.out, number),
            .lse = in.lse.unflatten(headsAt, {kvHeads, group}).select(headsAt + 1, number).contiguous()});
        member(dq, number).copy_(own.q);
        dk = dk.defined() ? dk.add_(own.k) : own.k.to(at::kFloat);
        dv = dv.defined() ? dv.add_(own.v) : own.v.to(at::kFloat);
    }
    return {dq, dk.to(in.k.scalar_type()), dv.to(in.v.scalar_type())};
}

// FlashAttention-2's own dk and dv of all query heads take more memory than fp32 sums if a key-value head has at least
// four query heads. The separate calls fill the device if each has two blocks of 128 keys per multiprocessor of an
// H100.
bool goesByQuery(const at::Tensor &q, const at::Tensor &k)
{
    constexpr std::int64_t kQueries = 4, kBlockKeys = 128, kBlocks = 256;
    return q.size(2) >= kQueries * k.size(2) && q.size(0) * q.size(1) / kBlockKeys * k.size(2) >= kBlocks;
}

// Repeats keys or values for LibTorch's attention, which needs one key-value head per query head: [batch, heads, seq,
// headDim].
at::Tensor forEachQuery(const at::Tensor &keys, std::int64_t group)
{
    return keys.unsqueeze(2).expand({-1, -1, group, -1, -1}).flatten(1, 2);
}

} // namespace

at::Tensor rowsOf(const at::Tensor &heads, const AttentionOptions &options)
{
    return apart(options) ? heads.flatten(0, 1) : heads;
}

// LibTorch 2.11 uses this layout: its shape function (torch/_meta_registrations.py, meta__flash_attention_forward)
// returns (num_heads, total_q) if cum_seq_q is given, and torch/nn/attention/varlen.py passes the same tensor to the
// backward pass. copyLogSumExp checks the shape.
at::Tensor statisticsOf(const at::Tensor &lse, const AttentionOptions &options)
{
    return apart(options) ? lse.view({lse.size(1), lse.size(0) * lse.size(2)}) : lse;
}

FlashResult gpuFlash(const HeadOperands &in, Keys keys, const AttentionOptions &o)
{
    const std::optional starts = apart(o) ? std::optional(o.documents.device) : std::nullopt;
    const auto result = at::_flash_attention_forward(rowsOf(in.q, o), rowsOf(in.k, o), rowsOf(in.v, o), starts, starts,
        longestOf(in.q, o), longestOf(in.k, o), 0.0, keys == Keys::UpToQuery, false, scoreScale(in.q.size(3), o),
        windowLeft(o), windowRight(o));
    return {std::get<0>(result), std::get<1>(result)};
}

HeadGradients gpuFlashBackward(const BackwardInput &in, Keys keys, const AttentionOptions &options)
{
    const auto backward = [&](const BackwardInput &part) { return gpuBackwardOf(part, keys, options); };
    return goesByQuery(in.q, in.k) ? byQueryOfKey(in, backward) : backward(in);
}

FlashResult cpuFlash(const HeadOperands &in, Keys keys, const AttentionOptions &options)
{
    const at::Tensor q = in.q.transpose(1, 2), k = in.k.transpose(1, 2), v = in.v.transpose(1, 2);
    const std::int64_t group = q.size(1) / k.size(1);
    const auto result = at::_scaled_dot_product_flash_attention_for_cpu(q, forEachQuery(k, group),
        forEachQuery(v, group), 0.0, keys == Keys::UpToQuery, {}, scoreScale(q.size(3), options));
    return {std::get<0>(result).transpose(1, 2), std::get<1>(result)};
}

HeadGradients cpuFlashBackward(const BackwardInput &in, Keys keys, const AttentionOptions &options)
{
    return byQueryOfKey(in, [&](const BackwardInput &part) -> HeadGradients {
        const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(part.dout.transpose(1, 2),
            part.q.transpose(1, 2), part.k.transpose(1, 2), part.v.transpose(1, 2), part.out.transpose(1, 2), part.lse,
            0.0, keys == Keys::UpToQuery, {}, scoreScale(part.q.size(3), options));
        return {dq.transpose(1, 2), dk.transpose(1, 2), dv.transpose(1, 2)};
    });
}

} // namespace slipway::aten_ops
