// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands stand in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu_ops/attention.h"
#include "cpu_ops/cross_entropy.h"
#include "cpu_ops/embedding.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/norm.h"
#include "cpu_ops/optimizer.h"
#include "cpu_ops/swiglu.h"

namespace slipway {
namespace {

cpu_ops::Rows rowsOf(const OpCall &c) { return {c.kernel.m, c.kernel.n}; }

cpu_ops::QkvShape qkvOf(const OpCall &c, const StepContext &context)
{
    return {.batch = c.kernel.batch,
        .seq = c.kernel.seq,
        .heads = c.kernel.heads,
        .kvHeads = c.kernel.kvHeads,
        .headDim = c.kernel.headDim,
        .documentStarts = context.documentStarts.empty() ? nullptr : context.documentStarts.data()};
}

void loadBatch(const OpCall &c, const StepContext &context)
{
    std::memcpy(c.write<std::int32_t>(0), context.tokens.data(), context.tokens.size_bytes());
    std::memcpy(c.write<std::int32_t>(1), context.targets.data(), context.targets.size_bytes());
}

void embedding(const OpCall &c, const StepContext &)
{
    cpu_ops::embedding(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.write(0));
}

void embeddingBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::embeddingBackward(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.kernel.k, c.write(0), c.accumulate);
}

void rmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::rmsNorm(rowsOf(c), c.read(0), c.read(1), context.normEps, c.write(0), c.write(1));
}

void addRmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::addRmsNorm(
        rowsOf(c), c.read(0), c.read(1), c.read(2), context.normEps, c.write(0), c.write(1), c.write(2));
}

void rmsNormBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::rmsNormBackward(rowsOf(c), {.dy = c.read(0),
                                            .x = c.read(1),
                                            .rstd = c.read(2),
                                            .weight = c.read(3),
                                            .residual = c.readCount > 4 ? c.read(4) : nullptr,
                                            .dx = c.write(0),
                                            .dweight = c.write(1),
                                            .accumulate = c.accumulate});
}

void gemm(const OpCall &c, const StepContext &)
{
    cpu_ops::gemm({c.kernel.form, c.kernel.m, c.kernel.n, c.kernel.k}, c.read(0), c.read(1), c.write(0),
        c.kernel.residual ? c.read(2)
        : c.accumulate    ? c.write(0)
                          : nullptr);
}

void rope(const OpCall &c, const StepContext &context)
{
    cpu_ops::rope(qkvOf(c, context), context.ropeTable, c.write(0), cpu_ops::Turn::Forward);
}
void ropeBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::rope(qkvOf(c, context), context.ropeTable, c.write(0), cpu_ops::Turn::Back);
}

void flashAttention(const OpCall &c, const StepContext &context)
{
    cpu_ops::flashAttention(qkvOf(c, context), c.read(0), c.write(0), c.write(1));
}

void flashAttentionBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::flashAttentionBackward(qkvOf(c, context), {.dout = c.read(0),
                                                           .qkv = c.read(1),
                                                           .out = c.read(2),
                                                           .lse = c.read(3),
                                                           .dqkv = c.write(0),
                                                           .delta = c.write(1)});
}

void vanillaAttention(const OpCall &c, const StepContext &context)
{
    cpu_ops::vanillaAttention(qkvOf(c, context), c.read(0), c.write(0), c.write(1));
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::vanillaAttentionBackward(qkvOf(c, context),
        {.dout = c.read(0), .qkv = c.read(1), .probabilities = c.read(2), .dqkv = c.write(0), .dscores = c.write(1)});
}

void swiGlu(const OpCall &c, const StepContext &) { cpu_ops::swiGlu(rowsOf(c), c.read(0), c.write(0)); }
void swiGluBackward(const OpCall &c, const StepContext &) { cpu_ops::swiGluBackward(rowsOf(c), c.read(0), c.write(0)); }
void add(const OpCall &c, const StepContext &)
{
    cpu_ops::add(c.kernel.m * c.kernel.n, c.read(0), c.read(1), c.write(0));
}

void crossEntropy(const OpCall &c, const StepContext &context)
{
    const double sum = cpu_ops::crossEntropy(rowsOf(c), c.read<std::int32_t>(1), context.lossScale, c.write(0));
    float &loss = *c.write(1);
    loss = (c.accumulate ? loss : 0.0f) + static_cast<float>(sum * static_cast<double>(context.lossScale));
}

void zero(const OpCall &c, const StepContext &)
{
    cpu_ops::fillZero(c.kernel.m * c.kernel.n * sizeOf(c.kernel.type), c.write<std::byte>(0));
}

void sumSquares(const OpCall &c, const StepContext &)
{
    float &norm2 = *c.write(0);
    norm2 = (c.accumulate ? norm2 : 0.0f) + static_cast<float>(cpu_ops::sumSquares(c.kernel.n, c.read(0)));
}

// As torch.nn.utils.clip_grad_norm_ does it, epsilon included.
float clipFactor(double clip, float norm2)
{
    if (clip <= 0)
        return 1.0f;
    return static_cast<float>(std::min(1.0, clip / (std::sqrt(static_cast<double>(norm2)) + 1e-6)));
}

void adamW(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    cpu_ops::AdamWFactors factors{.learningRate = static_cast<float>(o.learningRate),
        .beta1 = static_cast<float>(o.beta1),
        .beta2 = static_cast<float>(o.beta2),
        .eps = static_cast<float>(o.eps),
        .weightDecay = static_cast<float>(o.weightDecay),
        .correction1 = static_cast<float>(1.0 - std::pow(o.beta1, static_cast<double>(o.step))),
        .correction2 = static_cast<float>(1.0 - std::pow(o.beta2, static_cast<double>(o.step))),
        .gradientScale = clipFactor(o.gradClip, *c.read(1))};
    const std::int64_t decayed = decayedElements(c.kernel, context.shard);
    cpu_ops::adamW(decayed, factors, {c.write(1), c.read(0), c.write(2), c.write(3)});
    factors.weightDecay = 0;
    cpu_ops::adamW(c.kernel.n - decayed, factors,
        {c.write(1) + decayed, c.read(0) + decayed, c.write(2) + decayed, c.write(3) + decayed});
}

Communicator &groupOf(const OpCall &c, const StepContext &context)
{
    return *context.groups[static_cast<std::size_t>(c.kernel.group)];
}

void allReduce(const OpCall &c, const StepContext &context)
{
    groupOf(c, context).allReduceSum({c.write(0), static_cast<std::size_t>(c.kernel.n)});
}

void reduceScatter(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    const auto all = static_cast<std::size_t>(c.kernel.n);
    group.reduceScatterSum(
        {reinterpret_cast<float *>(c.reads[0]), all}, {c.write(0), all / static_cast<std::size_t>(group.size())});
}

void allGather(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    const auto all = static_cast<std::size_t>(c.kernel.messageBytes);
    group.allGather({c.reads[0], all / static_cast<std::size_t>(group.size())}, {c.writes[0], all});
}

} // namespace

std::int64_t decayedElements(const Kernel &adamW, int shard)
{
    return std::clamp<std::int64_t>(adamW.k - shard * adamW.n, 0, adamW.n);
}

OpFunction opFunction(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch:
        return loadBatch;
    case OpKind::Embedding:
        return embedding;
    case OpKind::EmbeddingBackward:
        return embeddingBackward;
    case OpKind::RmsNorm:
        return rmsNorm;
    case OpKind::AddRmsNorm:
        return addRmsNorm;
    case OpKind::RmsNormBackward:
        return rmsNormBackward;
    case OpKind::Gemm:
        return gemm;
    case OpKind::Rope:
        return rope;
    case OpKind::RopeBackward:
        return ropeBackward;
    case OpKind::FlashAttention:
        return flashAttention;
    case OpKind::FlashAttentionBackward:
        return flashAttentionBackward;
    case OpKind::VanillaAttention:
        return vanillaAttention;
    case OpKind::VanillaAttentionBackward:
        return vanillaAttentionBackward;
    case OpKind::SwiGlu:
        return swiGlu;
    case OpKind::SwiGluBackward:
        return swiGluBackward;
    case OpKind::Add:
        return add;
    case OpKind::CrossEntropy:
        return crossEntropy;
    case OpKind::Zero:
        return zero;
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::AllReduce:
        return allReduce;
    case OpKind::ReduceScatter:
        return reduceScatter;
    case OpKind::AllGather:
        return allGather;
    case OpKind::Elementwise: // of simulated frameworks
    case OpKind::HostCopy:
    case OpKind::View:
    case OpKind::SendReceive:
    case OpKind::AllToAll:
        return nullptr;
    }
    return nullptr;
}

} // namespace slipway
