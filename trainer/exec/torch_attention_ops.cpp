// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <array>

#include "aten_ops/attention.h"
#include "aten_ops/elementwise.h"
#include "aten_ops/norms.h"
#include "aten_ops/split_attention.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

// The sizes of the operands of attention.
struct HeadSizes {
    explicit HeadSizes(const Kernel &k)
        : qkv{k.batch, k.seq, k.heads + 2 * k.kvHeads, k.headDim},
          out{k.batch, k.seq, k.heads, k.headDim},
          lse{k.batch, k.heads, k.seq},
          scores{k.batch, k.heads, k.seq, k.k > 0 ? k.k : k.seq}
    {
    }
    std::array<std::int64_t, 4> qkv, out;
    std::array<std::int64_t, 3> lse;
    std::array<std::int64_t, 4> scores;
};

void rotate(const OpCall &c, const TorchContext &t, bool inverse)
{
    const HeadSizes sizes(c.kernel);
    const TorchContext::Rotation &rotation = t.rotations[static_cast<std::size_t>(c.kernel.rope)];
    const Operands o(c, t);
    const std::int64_t seq = c.kernel.seq, tokens = c.kernel.batch * seq;
    const auto angles = [&](const at::Tensor &table) {
        return c.readCount < 2
                   ? table.narrow(0, 0, seq)
                   : table.index_select(0, o.read(1, {tokens}, at::kInt)).unflatten(0, {c.kernel.batch, seq});
    };
    aten_ops::rope(o.write(0, sizes.qkv).narrow(2, 0, c.kernel.heads + c.kernel.kvHeads), angles(rotation.cosines),
        angles(rotation.sines), inverse);
}

// The weights of the queries, then those of the keys.
aten_ops::QkNormWeights qkWeights(const OpCall &c, const StepContext &step, const at::Tensor &weights)
{
    const std::int64_t q = queryWeights(c, step);
    return {.perHead = normsEachHead(step),
        .q = weights.narrow(0, 0, q),
        .k = weights.narrow(0, q, weights.size(0) - q),
        .weightOffset = static_cast<double>(weightOffset(step)),
        .ranks = isSplit(c) ? groupOf(c, step).size() : 1};
}

struct QkSizes {
    explicit QkSizes(const Kernel &k, bool perHead)
        : qkv{k.m, k.heads + 2 * k.kvHeads, k.headDim},
          qk{k.m, k.heads + k.kvHeads, k.headDim},
          rstd{k.m, perHead ? k.heads + k.kvHeads : 2},
          weights{perHead ? 2 * k.headDim : (k.heads + k.kvHeads) * k.headDim}
    {
    }
    std::array<std::int64_t, 3> qkv, qk;
    std::array<std::int64_t, 2> rstd;
    std::array<std::int64_t, 1> weights;
};

void qkNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, normsEachHead(step));
    aten_ops::qkNorm(qkWeights(c, step, o.read(1, sizes.weights)), step.normEps, o.write(0, sizes.qkv),
        o.write(1, sizes.qk), o.write(2, sizes.rstd, at::kFloat));
}

constexpr std::int64_t kNormSums = 2; // one for the queries, one for the keys

void qkNormSquares(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, false);
    aten_ops::qkNormSquares(o.read(0, sizes.qkv), c.kernel.kvHeads, o.write(0, {c.kernel.m, kNormSums}, at::kFloat));
}

void qkNormDots(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, false);
    aten_ops::qkNormDots(qkWeights(c, step, o.read(2, sizes.weights)), o.read(0, sizes.qkv), o.read(1, sizes.qk),
        o.write(0, {c.kernel.m, kNormSums}, at::kFloat));
}

void qkNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, normsEachHead(step));
    const aten_ops::QkNormWeights gradients = qkWeights(c, step, o.write(1, sizes.weights, at::kFloat));
    aten_ops::qkNormBackward(qkWeights(c, step, o.read(3, sizes.weights)),
        {.qk = o.read(1, sizes.qk),
            .rstd = o.read(2, sizes.rstd, at::kFloat),
            .dqkv = o.write(0, sizes.qkv),
            .dqWeight = gradients.q,
            .dkWeight = gradients.k,
            .dots = isSplit(c) ? o.read(4, sizes.rstd, at::kFloat) : at::Tensor(),
            .accumulate = c.accumulate});
}

void rope(const OpCall &c, const StepContext &, const TorchContext &t) { rotate(c, t, false); }
void ropeBackward(const OpCall &c, const StepContext &, const TorchContext &t) { rotate(c, t, true); }

// If operand number `place` exists, it contains the bounds of separate documents.
aten_ops::AttentionOptions flashOptions(
    const OpCall &c, std::size_t place, const StepContext &step, const TorchContext &t)
{
    aten_ops::AttentionOptions options = attentionOptions(c.kernel, t);
    if (c.readCount > place)
        options.documents = {.device = Operands(c, t).read(place, {std::ssize(step.documents.bounds)}, at::kInt),
            .host = step.documents.bounds,
            .longest = step.documents.longest};
    return options;
}

// Context parallelism: the keys and values of all ranks, or of the rank that the kernel names, and their gradients.
bool splitsSequence(const StepContext &step) { return step.sequenceShard.ranks > 1; }

aten_ops::SplitSequence splitSequence(const OpCall &c, const StepContext &step)
{
    return {step.sequenceShard, isSplit(c) ? peerOf(c, groupOf(c, step)) : aten_ops::kAllRanks};
}

std::array<std::int64_t, 5> keySizes(const OpCall &c, const StepContext &step)
{
    const Kernel &k = c.kernel;
    return {isSplit(c) ? 1 : step.sequenceShard.ranks, k.batch, k.seq, std::int64_t{2} * k.kvHeads, k.headDim};
}

void splitFlashAttention(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    aten_ops::splitAttention(t.flash, splitSequence(c, step), o.read(0, sizes.qkv), o.read(1, keySizes(c, step)),
        o.write(0, sizes.out), o.write(1, sizes.lse, at::kFloat), c.accumulate, attentionOptions(c.kernel, t));
}

void splitFlashAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    constexpr std::size_t kGradients = 3; // behind dqkv and the workspaces
    aten_ops::splitAttentionBackward(t.flash, splitSequence(c, step),
        {.dout = o.read(0, sizes.out),
            .qkv = o.read(1, sizes.qkv),
            .out = o.read(2, sizes.out),
            .lse = o.read(3, sizes.lse, at::kFloat),
            .keys = o.read(4, keySizes(c, step)),
            .dqkv = o.write(0, sizes.qkv),
            .dkeys = o.write(c.writes[kGradients] ? kGradients : kGradients - 1, keySizes(c, step)),
            .continues = c.accumulate,
            .options = attentionOptions(c.kernel, t)});
}

void flashAttention(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (splitsSequence(step))
        return splitFlashAttention(c, step, t);
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    const aten_ops::AttentionOptions options = flashOptions(c, 1, step, t);
    aten_ops::flashAttention(aten_ops::flashKernelFor(t.flash, options), o.read(0, sizes.qkv), o.write(0, sizes.out),
        o.write(1, sizes.lse, at::kFloat), options);
}

// The planned workspaces are not used, because LibTorch's kernels allocate their own.
void flashAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (splitsSequence(step))
        return splitFlashAttentionBackward(c, step, t);
    const aten_ops::FlashGradient gradient = flashGradientOf(c, step, t);
    aten_ops::flashAttentionBackward(aten_ops::flashKernelFor(t.flash, gradient.options), gradient);
}

void vanillaAttention(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    if (splitsSequence(step))
        return aten_ops::splitVanillaAttention(splitSequence(c, step), o.read(0, sizes.qkv),
            o.read(1, keySizes(c, step)), o.write(0, sizes.scores), o.write(1, sizes.out),
            attentionOptions(c.kernel, t));
    aten_ops::vanillaAttention(
        o.read(0, sizes.qkv), o.write(0, sizes.scores), o.write(1, sizes.out), attentionOptions(c.kernel, t));
}

void splitVanillaAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    aten_ops::splitVanillaAttentionBackward(splitSequence(c, step), {.dout = o.read(0, sizes.out),
                                                                        .qkv = o.read(1, sizes.qkv),
                                                                        .probabilities = o.read(2, sizes.scores),
                                                                        .keys = o.read(3, keySizes(c, step)),
                                                                        .dqkv = o.write(0, sizes.qkv),
                                                                        .dkeys = o.write(2, keySizes(c, step)),
                                                                        .options = attentionOptions(c.kernel, t)});
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (splitsSequence(step))
        return splitVanillaAttentionBackward(c, step, t);
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    aten_ops::vanillaAttentionBackward({.dout = o.read(0, sizes.out),
        .qkv = o.read(1, sizes.qkv),
        .probabilities = o.read(2, sizes.scores),
        .dqkv = o.write(0, sizes.qkv),
        .dscores = o.write(1, sizes.scores),
        .options = attentionOptions(c.kernel, t)});
}

// The keys and values of packed projections, and a contiguous copy of them.
struct KeyRows {
    explicit KeyRows(const Kernel &k)
        : first(k.heads),
          count(std::int64_t{2} * k.kvHeads),
          qkv{k.m, first + count, k.headDim},
          keys{k.m, count, k.headDim}
    {
    }
    [[nodiscard]] at::Tensor of(const at::Tensor &packed) const { return packed.narrow(1, first, count); }

    std::int64_t first, count;
    std::array<std::int64_t, 3> qkv, keys;
};

void packKeys(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const KeyRows rows(c.kernel);
    o.write(0, rows.keys).copy_(rows.of(o.read(0, rows.qkv)));
}

void unpackKeys(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const KeyRows rows(c.kernel);
    rows.of(o.write(0, rows.qkv)).copy_(o.read(0, rows.keys));
}

} // namespace

aten_ops::FlashGradient flashGradientOf(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    return {.dout = o.read(0, sizes.out),
        .qkv = o.read(1, sizes.qkv),
        .out = o.read(2, sizes.out),
        .lse = o.read(3, sizes.lse, at::kFloat),
        .dqkv = o.write(0, sizes.qkv),
        .options = flashOptions(c, 4, step, t)};
}

aten_ops::AttentionOptions attentionOptions(const Kernel &kernel, const TorchContext &t)
{
    return {.window = kernel.window,
        .scale = static_cast<double>(kernel.scale),
        .softCap = static_cast<double>(kernel.softCap),
        .slopes = t.slopes};
}

TorchOpFunction attentionOp(OpKind kind)
{
    switch (kind) {
    case OpKind::QkNorm:
        return qkNorm;
    case OpKind::QkNormBackward:
        return qkNormBackward;
    case OpKind::QkNormSquares:
        return qkNormSquares;
    case OpKind::QkNormDots:
        return qkNormDots;
    case OpKind::Rope:
        return rope;
    case OpKind::RopeBackward:
        return ropeBackward;
    case OpKind::FlashAttention:
        return flashAttention;
    case OpKind::FlashAttentionBackward:
        return flashAttentionBackward;
    case OpKind::PackKeys:
        return packKeys;
    case OpKind::UnpackKeys:
        return unpackKeys;
    case OpKind::VanillaAttention:
        return vanillaAttention;
    case OpKind::VanillaAttentionBackward:
        return vanillaAttentionBackward;
    default:
        return nullptr;
    }
}

} // namespace slipway::torch_ops
