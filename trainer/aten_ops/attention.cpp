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
#include <ATen/ops/empty_like.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "aten_ops/head_views.h"
#include "aten_ops/statistics.h"

namespace slipway::aten_ops {
namespace {

constexpr std::int64_t kBlockRows = 256;

// q, k and v, each [batch, seq, heads, headDim].
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
        throw std::logic_error("the flash attention kernel does not support these options");
}

void requireGpu(const at::Tensor &qkv)
{
    if (flashKernel(qkv.device(), qkv.scalar_type(), qkv.size(3)) != FlashKernel::Gpu)
        throw std::logic_error("FlashAttention-2 does not support this attention");
}

// LibTorch's window_size_left: the number of keys before the query itself; empty without a window.
std::optional<std::int64_t> windowLeft(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional(options.window - 1) : std::nullopt;
}
std::optional<std::int64_t> windowRight(const AttentionOptions &options)
{
    return options.window > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

bool apart(const AttentionOptions &options) { return options.documents.device.defined(); }

// The layout that FlashAttention-2 reads: [batch, seq, heads, headDim], or with documents [all tokens, heads, headDim].
at::Tensor rowsOf(const at::Tensor &heads, const AttentionOptions &options)
{
    return apart(options) ? heads.flatten(0, 1) : heads;
}
at::Tensor asBatch(const at::Tensor &rows, const at::Tensor &like, const AttentionOptions &options)
{
    return apart(options) ? rows.unflatten(0, {like.size(0), like.size(1)}) : rows;
}
// The layout of the log-sum-exp: [batch, heads, seq], or [heads, all tokens] with documents. LibTorch 2.11 uses it: its
// shape function (torch/_meta_registrations.py, meta__flash_attention_forward) returns (num_heads, total_q) if
// cum_seq_q is given, and torch/nn/attention/varlen.py passes the same tensor to the backward pass. copyLogSumExp
// checks the shape.
at::Tensor statisticsOf(const at::Tensor &lse, const AttentionOptions &options)
{
    return apart(options) ? lse.view({lse.size(1), lse.size(0) * lse.size(2)}) : lse;
}

// Formats a shape for error messages.
std::string textOf(at::IntArrayRef sizes)
{
    std::string text = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    return text + "]";
}

// The length of the longest document, or of a sequence if documents are not separated.
std::int64_t longestOf(const at::Tensor &heads, const AttentionOptions &options)
{
    return apart(options) ? options.documents.longest : heads.size(1);
}

void gpuForward(const at::Tensor &qkv, const at::Tensor &out, const at::Tensor &lse, const AttentionOptions &options)
{
    requireGpu(qkv);
    const auto [q, k, v] = partsOf(qkv, out.size(2));
    const std::optional starts = apart(options) ? std::optional(options.documents.device) : std::nullopt;
    const std::int64_t longest = longestOf(qkv, options);
    const auto result = at::_flash_attention_forward(rowsOf(q, options), rowsOf(k, options), rowsOf(v, options), starts,
        starts, longest, longest, 0.0, true, false, scoreScale(q.size(3), options), windowLeft(options),
        windowRight(options));
    rowsOf(out, options).copy_(std::get<0>(result));
    copyLogSumExp(std::get<1>(result), statisticsOf(lse, options));
}

// The inputs of attention's backward pass: [batch, seq, heads, headDim], and lse in the layout of statisticsOf().
struct BackwardInput {
    at::Tensor dout, q, k, v, out, lse;
};

HeadGradients gpuBackwardOf(const BackwardInput &in, const AttentionOptions &o)
{
    const std::int64_t longest = longestOf(in.q, o);
    // Must be given although it is unused without dropout.
    const at::TensorOptions random = in.q.options().dtype(at::kUInt64);
    const auto rows = [&o](const at::Tensor &heads) { return rowsOf(heads, o); };
    const auto [dq, dk, dv] = at::_flash_attention_backward(rows(in.dout), rows(in.q), rows(in.k), rows(in.v),
        rows(in.out), in.lse, o.documents.device, o.documents.device, longest, longest, 0.0, true,
        at::zeros({2}, random), at::empty({}, random), scoreScale(in.q.size(3), o), windowLeft(o), windowRight(o));
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

HeadGradients gpuBackward(const FlashGradient &g)
{
    requireGpu(g.qkv);
    const auto [q, k, v] = partsOf(g.qkv, g.out.size(2));
    const BackwardInput all{g.dout, q, k, v, g.out, statisticsOf(g.lse, g.options)};
    const auto backward = [&g](const BackwardInput &in) { return gpuBackwardOf(in, g.options); };
    return goesByQuery(q, k) ? byQueryOfKey(all, backward) : backward(all);
}

// cuDNN's layout is [batch, heads, seq, headDim], given by strides, so the packed projections are not copied.
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

// Repeats keys or values for LibTorch's attention, which needs one key-value head per query head: [batch, heads, seq,
// headDim].
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
    const auto [q, k, v] = partsOf(g.qkv, g.out.size(2));
    return byQueryOfKey({g.dout, q, k, v, g.out, g.lse}, [&g](const BackwardInput &in) -> HeadGradients {
        const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(in.dout.transpose(1, 2),
            in.q.transpose(1, 2), in.k.transpose(1, 2), in.v.transpose(1, 2), in.out.transpose(1, 2), in.lse, 0.0, true,
            {}, scoreScale(g.qkv.size(3), g.options));
        return {dq.transpose(1, 2), dk.transpose(1, 2), dv.transpose(1, 2)};
    });
}

// A block of query rows, and the range of keys that at least one of them attends to.
struct Block {
    Block(std::int64_t firstRow, std::int64_t seq, const AttentionOptions &options)
        : start(firstRow),
          rows(std::min(kBlockRows, seq - firstRow)),
          firstKey(options.window > 0 ? std::max<std::int64_t>(0, firstRow - options.window + 1) : 0),
          keys(firstRow + rows - firstKey)
    {
    }
    [[nodiscard]] ScoreShape places() const { return {rows, keys, start - firstKey}; }
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
    scores.masked_fill_(maskedKeys(block.places(), options, q), -std::numeric_limits<double>::infinity());
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

// Calls run(first token, documents, tokens of each) for consecutive documents of equal length, for kernels without
// support for documents.
template<typename Run>
void forEachDocument(const DocumentBounds &documents, const Run &run)
{
    const std::span<const std::int32_t> bounds = documents.host;
    for (std::size_t first = 0; first + 1 < bounds.size();) {
        const std::int32_t length = bounds[first + 1] - bounds[first];
        std::size_t next = first + 1;
        while (next + 1 < bounds.size() && bounds[next + 1] - bounds[next] == length)
            ++next;
        run(bounds[first], static_cast<std::int64_t>(next - first), length);
        first = next;
    }
}

AttentionOptions ofOneDocument(AttentionOptions options)
{
    options.documents = {};
    return options;
}

// A range of tokens of [batch, seq, ...] as separate sequences.
at::Tensor tokensOf(const at::Tensor &batch, std::int64_t first, std::int64_t sequences, std::int64_t tokens)
{
    return batch.flatten(0, 1).narrow(0, first, sequences * tokens).unflatten(0, {sequences, tokens});
}

// The log-sum-exp of such a range: [heads, sequences, tokens] as [sequences, heads, tokens].
at::Tensor statisticsOfTokens(const at::Tensor &lse, const AttentionOptions &options, std::int64_t first,
    std::int64_t sequences, std::int64_t tokens)
{
    return statisticsOf(lse, options)
        .narrow(1, first, sequences * tokens)
        .unflatten(1, {sequences, tokens})
        .transpose(0, 1);
}

// Computes by one call per group of documents what a single call with all documents would.
void forwardByDocument(
    FlashKernel kernel, const at::Tensor &qkv, const at::Tensor &out, const at::Tensor &lse, const AttentionOptions &o)
{
    forEachDocument(o.documents, [&](std::int64_t first, std::int64_t sequences, std::int64_t tokens) {
        at::Tensor to = statisticsOfTokens(lse, o, first, sequences, tokens);
        const at::Tensor own = at::empty(to.sizes(), to.options());
        flashAttention(kernel, tokensOf(qkv, first, sequences, tokens), tokensOf(out, first, sequences, tokens), own,
            ofOneDocument(o));
        to.copy_(own);
    });
}

void backwardByDocument(FlashKernel kernel, const FlashGradient &g)
{
    forEachDocument(g.options.documents, [&](std::int64_t first, std::int64_t sequences, std::int64_t tokens) {
        const auto part = [&](const at::Tensor &all) { return tokensOf(all, first, sequences, tokens); };
        flashAttentionBackward(
            kernel, {.dout = part(g.dout),
                        .qkv = part(g.qkv),
                        .out = part(g.out),
                        .lse = statisticsOfTokens(g.lse, g.options, first, sequences, tokens).contiguous(),
                        .dqkv = part(g.dqkv),
                        .options = ofOneDocument(g.options)});
    });
}

HeadGradients gradientsByDocument(FlashKernel kernel, FlashGradient g)
{
    g.dqkv = at::empty_like(g.qkv);
    backwardByDocument(kernel, g);
    const auto [dq, dk, dv] = partsOf(g.dqkv, g.out.size(2));
    return {dq, dk, dv};
}

// Only FlashAttention-2 processes all documents in one call.
bool goesByDocument(FlashKernel kernel, const AttentionOptions &options)
{
    return apart(options) && kernel != FlashKernel::Gpu;
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
    if (options.window == 0 && (!apart(options) || usual != FlashKernel::Cudnn))
        return usual;
    return usual == FlashKernel::Gpu || usual == FlashKernel::Cudnn ? FlashKernel::Gpu : FlashKernel::Blocks;
}

void copyLogSumExp(const at::Tensor &given, at::Tensor to)
{
    if (given.sizes() != to.sizes())
        throw std::runtime_error("LibTorch's FlashAttention-2 gives statistics of shape " + textOf(given.sizes()) +
                                 ", and " + textOf(to.sizes()) +
                                 " is expected: this LibTorch is not the version that Slipway is built for");
    to.copy_(given);
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
    } catch (const c10::Error &error) { // this shape is not supported, or this cuDNN is too old
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
    if (goesByDocument(kernel, options))
        return forwardByDocument(kernel, qkv, out, lse, options);
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
    if (goesByDocument(kernel, gradient.options))
        return gradientsByDocument(kernel, gradient);
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
    throw std::logic_error("blocks of rows have no separate gradients");
}

void flashAttentionBackward(FlashKernel kernel, const FlashGradient &gradient)
{
    if (goesByDocument(kernel, gradient.options))
        return backwardByDocument(kernel, gradient);
    if (kernel == FlashKernel::Blocks)
        return blocksBackward(gradient);
    const HeadGradients apart = flashAttentionGradients(kernel, gradient);
    auto [toQ, toK, toV] = partsOf(gradient.dqkv, gradient.out.size(2));
    toQ.copy_(apart.q);
    toK.copy_(apart.k);
    toV.copy_(apart.v);
}

} // namespace slipway::aten_ops
