// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/attention.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "aten_ops/head_views.h"

namespace slipway::aten_ops {
namespace {

constexpr std::int64_t kBlockRows = 256;

// [batch, seq, heads, headDim] of the three parts
struct Parts {
    at::Tensor q, k, v;
};

Parts partsOf(const at::Tensor &qkv, std::int64_t heads)
{
    const std::int64_t kvHeads = (qkv.size(2) - heads) / 2;
    return {qkv.narrow(2, 0, heads), qkv.narrow(2, heads, kvHeads), qkv.narrow(2, heads + kvHeads, kvHeads)};
}

void requireOptions(FlashKernel kernel, const AttentionOptions &options)
{
    if (flashKernelFor(kernel, options) != kernel)
        throw std::logic_error("flash attention was asked for options that its kernel does not have");
}

void requireGpu(const at::Tensor &qkv)
{
    if (flashKernel(qkv.device(), qkv.scalar_type(), qkv.size(3)) != FlashKernel::Gpu)
        throw std::logic_error("FlashAttention-2 was asked for what it cannot compute");
}

// What LibTorch calls the window: the keys before the query itself; all of them without one.
std::optional<std::int64_t> windowLeft(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional(options.window - 1) : std::nullopt;
}
std::optional<std::int64_t> windowRight(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

void gpuForward(const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    requireGpu(qkv);
    const auto [q, k, v] = partsOf(qkv, out.size(2));
    const auto result = at::_flash_attention_forward(q, k, v, {}, {}, q.size(1), k.size(1), 0.0, true, false,
        scoreScale(q.size(3), options), windowLeft(options), windowRight(options));
    out.copy_(std::get<0>(result));
    lse.copy_(std::get<1>(result));
}

HeadGradients gpuBackward(const FlashGradient &g)
{
    requireGpu(g.qkv);
    const auto [q, k, v] = partsOf(g.qkv, g.out.size(2));
    const at::TensorOptions random = g.qkv.options().dtype(at::kUInt64); // unused without dropout, but looked at
    const auto [dq, dk, dv] = at::_flash_attention_backward(g.dout, q, k, v, g.out, g.lse, {}, {}, q.size(1), k.size(1),
        0.0, true, at::zeros({2}, random), at::empty({}, random), scoreScale(q.size(3), g.options),
        windowLeft(g.options), windowRight(g.options));
    return {dq, dk, dv};
}

// cuDNN's layout is [batch, heads, seq, headDim], by strides: of packed projections as they are.
Parts turned(const Parts &parts) { return {parts.q.transpose(1, 2), parts.k.transpose(1, 2), parts.v.transpose(1, 2)}; }

void cudnnForward(const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    requireGpu(qkv);
    const auto [q, k, v] = turned(partsOf(qkv, out.size(2)));
    const auto result =
        at::_scaled_dot_product_cudnn_attention(q, k, v, {}, true, 0.0, true, false, scoreScale(qkv.size(3), options));
    out.copy_(std::get<0>(result).transpose(1, 2));
    lse.copy_(std::get<1>(result).view(lse.sizes()));
}

HeadGradients cudnnBackward(const FlashGradient &g)
{
    requireGpu(g.qkv);
    const std::int64_t seq = g.qkv.size(1);
    const auto [q, k, v] = turned(partsOf(g.qkv, g.out.size(2)));
    const at::Tensor random = at::zeros({}, g.qkv.options().dtype(at::kLong)), none; // unused without dropout
    const auto [dq, dk, dv] = at::_scaled_dot_product_cudnn_attention_backward(g.dout.transpose(1, 2), q, k, v,
        g.out.transpose(1, 2), g.lse.unsqueeze(3), random, random, none, none, none, seq, seq, 0.0, true,
        scoreScale(q.size(3), g.options));
    return {dq.transpose(1, 2), dk.transpose(1, 2), dv.transpose(1, 2)};
}

// LibTorch's wants a key head for each query head: [batch, heads, seq, headDim].
at::Tensor forEachQuery(const at::Tensor &keys, std::int64_t group)
{
    return keys.unsqueeze(2).expand({-1, -1, group, -1, -1}).flatten(1, 2);
}

void processorForward(const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    const HeadViews h = headViews(qkv, out.size(2));
    const std::int64_t group = h.q.size(2);
    const auto result = at::_scaled_dot_product_flash_attention_for_cpu(h.q.flatten(1, 2), forEachQuery(h.k, group),
        forEachQuery(h.v, group), 0.0, true, {}, scoreScale(qkv.size(3), options));
    out.transpose(1, 2).copy_(std::get<0>(result));
    lse.copy_(std::get<1>(result));
}

HeadGradients processorBackward(const FlashGradient &g)
{
    const HeadViews h = headViews(g.qkv, g.out.size(2));
    const std::int64_t group = h.q.size(2), kvHeads = h.k.size(1);
    const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(g.dout.transpose(1, 2),
        h.q.flatten(1, 2), forEachQuery(h.k, group), forEachQuery(h.v, group), g.out.transpose(1, 2), g.lse, 0.0, true,
        {}, scoreScale(g.qkv.size(3), g.options));
    const auto ofKeys = [&](const at::Tensor &ofQueries) {
        return group == 1 ? ofQueries
                          : ofQueries.unflatten(1, {kvHeads, group}).sum(2, false, at::kFloat).to(g.qkv.scalar_type());
    };
    return {dq.transpose(1, 2), ofKeys(dk).transpose(1, 2), ofKeys(dv).transpose(1, 2)};
}

// Some rows of queries, and the keys that any of them sees.
struct Block {
    Block(std::int64_t firstRow, std::int64_t seq, const AttentionOptions &options)
        : start(firstRow),
          rows(std::min(kBlockRows, seq - firstRow)),
          firstKey(options.window > 0 ? std::max<std::int64_t>(0, firstRow - options.window + 1) : 0),
          keys(firstRow + rows - firstKey)
    {
    }
    [[nodiscard]] ScorePlaces places() const { return {rows, keys, start - firstKey}; }
    [[nodiscard]] at::Tensor rowsOf(const at::Tensor &heads) const { return heads.narrow(3, start, rows); }
    [[nodiscard]] at::Tensor keysOf(const at::Tensor &heads) const { return heads.narrow(2, firstKey, keys); }

    std::int64_t start, rows, firstKey, keys;
};

struct BlockScores {
    at::Tensor scores, capSlope; // [batch, kvHeads, group, rows, keys]
};

BlockScores blockScores(
    const at::Tensor &q, const at::Tensor &k, const Block &block, const AttentionOptions &options, bool slopeWanted)
{
    const at::Tensor scores =
        at::matmul(q, block.keysOf(k).transpose(2, 3).unsqueeze(2)).mul_(scoreScale(q.size(4), options));
    const at::Tensor slope = changeScores(scores, block.places(), options, slopeWanted);
    scores.masked_fill_(hiddenKeys(block.places(), options, q), -std::numeric_limits<double>::infinity());
    return {scores, slope};
}

void blocksForward(const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    const HeadViews h = headViews(qkv, out.size(2));
    const at::Tensor k = h.k.to(at::kFloat), v = h.v.to(at::kFloat);
    const at::Tensor to = byKey(out, k.size(1)), toLse = lse.unflatten(1, {k.size(1), h.q.size(2)});
    for (std::int64_t start = 0; start < qkv.size(1); start += kBlockRows) {
        const Block block(start, qkv.size(1), options);
        const at::Tensor scores = blockScores(block.rowsOf(h.q).to(at::kFloat), k, block, options, false).scores;
        const at::Tensor logSum = at::logsumexp(scores, {-1});
        scores.sub_(logSum.unsqueeze(4)).exp_();
        block.rowsOf(toLse).copy_(logSum);
        block.rowsOf(to).copy_(at::matmul(scores, block.keysOf(v).unsqueeze(2)));
    }
}

// Dao 2023, section 3.1.2: with delta = rowsum(dout out), dscores = p (dp - delta).
void blocksBackward(const FlashGradient &g)
{
    const HeadViews h = headViews(g.qkv, g.out.size(2)), to = headViews(g.dqkv, g.out.size(2));
    const at::Tensor k = h.k.to(at::kFloat), v = h.v.to(at::kFloat);
    const at::Tensor lse = g.lse.unflatten(1, {k.size(1), h.q.size(2)}), out = byKey(g.out, k.size(1)),
                     dout = byKey(g.dout, k.size(1));
    at::Tensor dk = at::zeros(k.sizes(), k.options()), dv = at::zeros(v.sizes(), v.options());
    for (std::int64_t start = 0; start < g.qkv.size(1); start += kBlockRows) {
        const Block block(start, g.qkv.size(1), g.options);
        const at::Tensor q = block.rowsOf(h.q).to(at::kFloat), dy = block.rowsOf(dout).to(at::kFloat);
        const auto [p, capSlope] = blockScores(q, k, block, g.options, true);
        p.sub_(block.rowsOf(lse).unsqueeze(4)).exp_();
        const at::Tensor delta = dy.mul(block.rowsOf(out).to(at::kFloat)).sum(4, true);
        at::Tensor dscores = at::matmul(dy, block.keysOf(v).transpose(2, 3).unsqueeze(2))
                                 .sub_(delta)
                                 .mul_(p)
                                 .mul_(scoreScale(q.size(4), g.options));
        if (capSlope.defined())
            dscores.mul_(capSlope);
        block.rowsOf(to.q).copy_(at::matmul(dscores, block.keysOf(k).unsqueeze(2)));
        block.keysOf(dv).add_(at::matmul(p.transpose(3, 4), dy).sum(2));
        block.keysOf(dk).add_(at::matmul(dscores.transpose(3, 4), q).sum(2));
    }
    to.k.copy_(dk);
    to.v.copy_(dv);
}

} // namespace

FlashKernel flashKernel(at::Device device, at::ScalarType type, std::int64_t headDim)
{
    if (device.is_cpu())
        return FlashKernel::Processor;
    return device.is_cuda() && type == at::kBFloat16 && headDim % 8 == 0 && headDim <= 256 ? FlashKernel::Gpu
                                                                                           : FlashKernel::Blocks;
}

FlashKernel flashKernelFor(FlashKernel usual, const AttentionOptions &options)
{
    if (options.softCap != 0 || options.slopes.defined())
        return FlashKernel::Blocks;
    if (options.window == 0)
        return usual;
    return usual == FlashKernel::Gpu || usual == FlashKernel::Cudnn ? FlashKernel::Gpu : FlashKernel::Blocks;
}

std::string cudnnRefuses(at::Device device, const AttentionShape &shape)
{
    const at::TensorOptions options = at::TensorOptions(at::kBFloat16).device(device);
    const auto &[sequences, tokens, heads, kvHeads, headDim] = shape;
    at::Tensor dqkv[2];
    try {
        const at::Tensor qkv = at::randn({sequences, tokens, heads + 2 * kvHeads, headDim}, options),
                         dout = at::randn({sequences, tokens, heads, headDim}, options);
        for (const FlashKernel kernel : {FlashKernel::Gpu, FlashKernel::Cudnn}) {
            const at::Tensor out = at::zeros_like(dout),
                             lse = at::zeros({sequences, heads, tokens}, options.dtype(at::kFloat));
            at::Tensor &gradient = dqkv[kernel == FlashKernel::Cudnn] = at::zeros_like(qkv);
            flashAttention(kernel, qkv, out, lse);
            flashAttentionBackward(kernel, {.dout = dout, .qkv = qkv, .out = out, .lse = lse, .dqkv = gradient});
        }
        const at::Tensor exact = dqkv[0].to(at::kFloat);
        const double apart = dqkv[1].to(at::kFloat).sub_(exact).norm().item().toDouble(),
                     all = exact.norm().item().toDouble();
        return apart < 0.03 * all ? "" : "its gradients are not FlashAttention-2's";
    } catch (const c10::Error &error) { // not this shape, or no cuDNN that can
        const std::string words = error.what_without_backtrace();
        return words.substr(0, words.find('\n'));
    } catch (const std::exception &error) {
        return error.what();
    }
}

void flashAttention(
    FlashKernel kernel, const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    requireOptions(kernel, options);
    switch (kernel) {
    case FlashKernel::Gpu:
        return gpuForward(qkv, out, lse, options);
    case FlashKernel::Cudnn:
        return cudnnForward(qkv, out, lse, options);
    case FlashKernel::Processor:
        return processorForward(qkv, out, lse, options);
    case FlashKernel::Blocks:
        return blocksForward(qkv, out, lse, options);
    }
}

HeadGradients flashAttentionGradients(FlashKernel kernel, const FlashGradient &gradient)
{
    requireOptions(kernel, gradient.options);
    switch (kernel) {
    case FlashKernel::Gpu:
        return gpuBackward(gradient);
    case FlashKernel::Cudnn:
        return cudnnBackward(gradient);
    case FlashKernel::Processor:
        return processorBackward(gradient);
    case FlashKernel::Blocks:
        break;
    }
    throw std::logic_error("blocks of rows have no gradients apart");
}

void flashAttentionBackward(FlashKernel kernel, const FlashGradient &gradient)
{
    if (kernel == FlashKernel::Blocks)
        return blocksBackward(gradient);
    const HeadGradients apart = flashAttentionGradients(kernel, gradient);
    auto [toQ, toK, toV] = partsOf(gradient.dqkv, gradient.out.size(2));
    toQ.copy_(apart.q);
    toK.copy_(apart.k);
    toV.copy_(apart.v);
}

} // namespace slipway::aten_ops
