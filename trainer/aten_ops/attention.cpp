// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/attention.h"

#include <algorithm>
#include <stdexcept>

#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "aten_ops/block_attention.h"
#include "aten_ops/flash_calls.h"
#include "aten_ops/head_views.h"
#include "aten_ops/statistics.h"

namespace slipway::aten_ops {
namespace {

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

// Formats a shape for error messages.
std::string textOf(at::IntArrayRef sizes)
{
    std::string text = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    return text + "]";
}

void gpuForward(const at::Tensor &qkv, const at::Tensor &out, const at::Tensor &lse, const AttentionOptions &options)
{
    requireGpu(qkv);
    const FlashResult result = gpuFlash(partsOf(qkv, out.size(2)), Keys::UpToQuery, options);
    rowsOf(out, options).copy_(result.out);
    copyLogSumExp(result.lse, statisticsOf(lse, options));
}

HeadGradients gpuBackward(const FlashGradient &g)
{
    requireGpu(g.qkv);
    const auto [q, k, v] = partsOf(g.qkv, g.out.size(2));
    return gpuFlashBackward({g.dout, q, k, v, g.out, statisticsOf(g.lse, g.options)}, Keys::UpToQuery, g.options);
}

// cuDNN's layout is [batch, heads, seq, headDim], given by strides, so the packed projections are not copied.
HeadOperands turned(const HeadOperands &in)
{
    return {in.q.transpose(1, 2), in.k.transpose(1, 2), in.v.transpose(1, 2)};
}

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

void processorForward(const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options)
{
    const FlashResult result = cpuFlash(partsOf(qkv, out.size(2)), Keys::UpToQuery, options);
    out.copy_(result.out);
    lse.copy_(result.lse);
}

HeadGradients processorBackward(const FlashGradient &g)
{
    const auto [q, k, v] = partsOf(g.qkv, g.out.size(2));
    return cpuFlashBackward({g.dout, q, k, v, g.out, g.lse}, Keys::UpToQuery, g.options);
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
        return blocksForward(partsOf(qkv, out.size(2)), 0, out, lse, options);
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
    auto [toQ, toK, toV] = partsOf(gradient.dqkv, gradient.out.size(2));
    if (kernel == FlashKernel::Blocks) {
        const auto [q, k, v] = partsOf(gradient.qkv, gradient.out.size(2));
        return blocksBackward(
            {gradient.dout, q, k, v, gradient.out, gradient.lse}, 0, {toQ, toK, toV}, gradient.options);
    }
    const HeadGradients apart = flashAttentionGradients(kernel, gradient);
    toQ.copy_(apart.q);
    toK.copy_(apart.k);
    toV.copy_(apart.v);
}

} // namespace slipway::aten_ops
