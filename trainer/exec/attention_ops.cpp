// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include "cpu_ops/attention.h"
#include "cpu_ops/qk_norm.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

cpu_ops::QkvShape qkvOf(const OpCall &c, const StepContext &context)
{
    return {.batch = c.kernel.batch,
        .seq = c.kernel.seq,
        .heads = c.kernel.heads,
        .kvHeads = c.kernel.kvHeads,
        .headDim = c.kernel.headDim,
        .documentStarts = context.documentStarts.empty() ? nullptr : context.documentStarts.data(),
        .window = c.kernel.window,
        .scale = c.kernel.scale,
        .softCap = c.kernel.softCap,
        .slopes = context.alibiSlopes.empty() ? nullptr : context.alibiSlopes.data(),
        .shard = context.sequenceShard};
}

cpu_ops::QkNormWeights qkWeights(const OpCall &c, const StepContext &context, const float *weights)
{
    return {.span = normsEachHead(context) ? cpu_ops::QkNormSpan::Head : cpu_ops::QkNormSpan::AllHeads,
        .q = weights,
        .k = weights + queryWeights(c, context),
        .weightOffset = weightOffset(context),
        .ranks = isSplit(c) ? groupOf(c, context).size() : 1};
}

void qkNormSquares(const OpCall &c, const StepContext &context)
{
    cpu_ops::qkNormSquares(qkvOf(c, context), c.read(0), c.write(0));
}

void qkNormDots(const OpCall &c, const StepContext &context)
{
    cpu_ops::qkNormDots(qkvOf(c, context), qkWeights(c, context, c.read(2)), c.read(0), c.read(1), c.write(0));
}

void qkNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::qkNorm(
        qkvOf(c, context), qkWeights(c, context, c.read(1)), context.normEps, c.write(0), c.write(1), c.write(2));
}

void qkNormBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::qkNormBackward(qkvOf(c, context), qkWeights(c, context, c.read(3)),
        {.qk = c.read(1),
            .rstd = c.read(2),
            .dqkv = c.write(0),
            .dqWeight = c.write(1),
            .dkWeight = c.write(1) + queryWeights(c, context),
            .dots = isSplit(c) ? c.read(4) : nullptr,
            .accumulate = c.accumulate});
}

void rotate(const OpCall &c, const StepContext &context, cpu_ops::RopeDirection direction)
{
    cpu_ops::rope(
        qkvOf(c, context), context.ropeTables[static_cast<std::size_t>(c.kernel.rope)], c.write(0), direction);
}
void rope(const OpCall &c, const StepContext &context) { rotate(c, context, cpu_ops::RopeDirection::Forward); }
void ropeBackward(const OpCall &c, const StepContext &context) { rotate(c, context, cpu_ops::RopeDirection::Inverse); }

// Keys of all ranks, or of the kernel's rank; null if each rank has full sequences.
const float *rankKeys(const OpCall &c, const StepContext &context, std::size_t operand)
{
    return context.sequenceShard.ranks > 1 ? c.read(operand) : nullptr;
}
cpu_ops::RankKeys flashKeys(const OpCall &c, const StepContext &context, std::size_t operand)
{
    const bool ofOne = c.kernel.group != GroupId::None;
    return {rankKeys(c, context, operand), ofOne ? peerOf(c, groupOf(c, context)) : cpu_ops::kAllRanks};
}

void flashAttention(const OpCall &c, const StepContext &context)
{
    cpu_ops::flashAttention(
        qkvOf(c, context), c.read(0), c.write(0), c.write(1), flashKeys(c, context, 1), c.accumulate);
}

void flashAttentionBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::flashAttentionBackward(
        qkvOf(c, context), {.dout = c.read(0),
                               .qkv = c.read(1),
                               .out = c.read(2),
                               .lse = c.read(3),
                               .dqkv = c.write(0),
                               .delta = c.write(1),
                               .keys = flashKeys(c, context, 4),
                               .dkeys = context.sequenceShard.ranks > 1 ? c.write(2) : nullptr,
                               .continues = c.accumulate});
}

// The shape for kernels that count rows of keys and values.
cpu_ops::QkvShape keysOf(const OpCall &c)
{
    return {.batch = 1,
        .seq = c.kernel.m,
        .heads = c.kernel.heads,
        .kvHeads = c.kernel.kvHeads,
        .headDim = c.kernel.headDim};
}
void packKeys(const OpCall &c, const StepContext &) { cpu_ops::packKeys(keysOf(c), c.read(0), c.write(0)); }
void unpackKeys(const OpCall &c, const StepContext &) { cpu_ops::unpackKeys(keysOf(c), c.read(0), c.write(0)); }

void vanillaAttention(const OpCall &c, const StepContext &context)
{
    cpu_ops::vanillaAttention(qkvOf(c, context), c.read(0), c.write(0), c.write(1), rankKeys(c, context, 1));
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::vanillaAttentionBackward(
        qkvOf(c, context), {.dout = c.read(0),
                               .qkv = c.read(1),
                               .probabilities = c.read(2),
                               .dqkv = c.write(0),
                               .dscores = c.write(1),
                               .allKeys = rankKeys(c, context, 3),
                               .allDkeys = context.sequenceShard.ranks > 1 ? c.write(2) : nullptr});
}

} // namespace

OpFunction attentionOp(OpKind kind)
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

} // namespace slipway
