// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/fused_op_table.h"

#include "exec/embedding_gradient.h"
#include "exec/op_operands.h"
#include "exec/torch_operands.h"
#include "exec/vanilla_gemms.h"
#include "fused_ops/fused_ops.h"
#include "model/rope_scaling.h"

namespace slipway {
namespace {

fused_ops::Rows shapeOf(const OpCall &c) { return {c.kernel.m, c.kernel.n}; }
fused_ops::Rows activeShape(const OpCall &c, const TorchContext &t) { return {activeRows(c, t), c.kernel.n}; }

void rmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    t.kernels->norm({.shape = shapeOf(c),
                        .type = typeOf(c),
                        .x = c.reads[0],
                        .weight = c.reads[1],
                        .eps = step.normEps,
                        .y = c.writes[0],
                        .rstd = c.write(1)},
        t.queue);
}

void addRmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    t.kernels->norm({.shape = shapeOf(c),
                        .type = typeOf(c),
                        .x = c.reads[0],
                        .delta = c.reads[1],
                        .weight = c.reads[2],
                        .eps = step.normEps,
                        .sum = c.writes[0],
                        .y = c.writes[1],
                        .rstd = c.write(2)},
        t.queue);
}

void rmsNormBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->normBackward({.shape = shapeOf(c),
                                .type = typeOf(c),
                                .dy = c.reads[0],
                                .x = c.reads[1],
                                .rstd = c.read(2),
                                .weight = c.reads[3],
                                .residual = c.readCount > 4 ? c.reads[4] : nullptr,
                                .dx = c.writes[0],
                                .dweight = c.write(1),
                                .accumulate = c.accumulate},
        t.queue);
}

const TorchContext::Rotation &rotationOf(const OpCall &c, const TorchContext &t)
{
    return t.rotations[static_cast<std::size_t>(c.kernel.rope)];
}

// Operand number `positions`, if it exists, contains the positions in separate documents.
fused_ops::Rope ropeOf(const OpCall &c, const TorchContext &t, bool inverse, std::size_t positions = 1)
{
    return {.tokens = std::int64_t{c.kernel.batch} * c.kernel.seq,
        .seq = c.kernel.seq,
        .heads = c.kernel.heads,
        .kvHeads = c.kernel.kvHeads,
        .headDim = c.kernel.headDim,
        .type = typeOf(c),
        .cosines = rotationOf(c, t).cosines.const_data_ptr<float>(),
        .sines = rotationOf(c, t).sines.const_data_ptr<float>(),
        .positions = c.readCount > positions ? c.read<std::int32_t>(positions) : nullptr,
        .qkv = c.writes[0],
        .inverse = inverse,
        .q = {},
        .k = {},
        .v = {}};
}

void rope(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->rope(ropeOf(c, t, false), t.queue);
}

void ropeBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    if (!t.fusesRopeBackward)
        t.kernels->rope(ropeOf(c, t, true), t.queue);
}

fused_ops::Heads headsOf(const at::Tensor &heads)
{
    return {.data = heads.const_data_ptr(),
        .batchStride = heads.stride(0),
        .tokenStride = heads.stride(1),
        .headStride = heads.stride(2)};
}

void flashAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (!t.fusesRopeBackward)
        return torchOpFunction(c.kernel.kind)(c, step, t);
    const aten_ops::FlashGradient gradient = torch_ops::flashGradientOf(c, step, t);
    const auto [q, k, v] =
        aten_ops::flashAttentionGradients(aten_ops::flashKernelFor(t.flash, gradient.options), gradient);
    fused_ops::Rope turned = ropeOf(c, t, true, 5);
    turned.q = headsOf(q);
    turned.k = headsOf(k);
    turned.v = headsOf(v);
    t.kernels->rope(turned, t.queue);
}

void vanillaAttention(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (!t.gemmLibrary || !vanillaAttentionByGemms(c, t))
        torchOpFunction(c.kernel.kind)(c, step, t);
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (!t.gemmLibrary || !vanillaAttentionBackwardByGemms(c, t))
        torchOpFunction(c.kernel.kind)(c, step, t);
}

void swiGlu(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->swiGlu(
        {.shape = activeShape(c, t), .type = typeOf(c), .gateUp = c.reads[0], .product = c.writes[0]}, t.queue);
}

void swiGluBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->swiGluBackward(
        {.shape = activeShape(c, t), .type = typeOf(c), .gateUp = c.writes[0], .dproduct = c.reads[0]}, t.queue);
}

// The places of an assignment (plan/native/experts.h).
const std::int32_t *placesOf(const OpCall &c, const std::byte *assignment)
{
    return reinterpret_cast<const std::int32_t *>(assignment) + c.kernel.batch + 1 + 2 * c.kernel.m * c.kernel.k;
}

// A residual gradient is in dx already.
void permuteBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->gatherRows({.shape = shapeOf(c),
                              .perToken = c.kernel.k,
                              .type = typeOf(c),
                              .rows = c.reads[0],
                              .places = placesOf(c, c.reads[1]),
                              .added = c.readCount > 2 ? c.writes[0] : nullptr,
                              .y = c.writes[0]},
        t.queue);
}

void combine(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->gatherRows({.shape = shapeOf(c),
                              .perToken = c.kernel.k,
                              .type = typeOf(c),
                              .rows = c.reads[2],
                              .places = placesOf(c, c.reads[0]),
                              .weights = c.read(1),
                              .added = c.readCount > 3 ? c.reads[3] : nullptr,
                              .y = c.writes[0]},
        t.queue);
}

void combineBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->gatherRowsBackward({.shape = shapeOf(c),
                                      .perToken = c.kernel.k,
                                      .type = typeOf(c),
                                      .dy = c.reads[3],
                                      .places = placesOf(c, c.reads[0]),
                                      .weights = c.read(1),
                                      .rows = c.writes[0],
                                      .dweights = c.write(1)},
        t.queue);
}

void logitStatistics(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const auto [first, count] = vocabularyShard(c, step);
    t.kernels->logitStatistics({.shape = {c.kernel.m, count},
                                   .pitch = c.kernel.k,
                                   .type = typeOf(c),
                                   .logits = c.reads[0],
                                   .targets = c.read<std::int32_t>(1),
                                   .firstId = first,
                                   .statistics = c.write(1)},
        t.queue);
}

void crossEntropy(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    fused_ops::CrossEntropy loss{.shape = shapeOf(c),
        .pitch = c.kernel.k,
        .type = typeOf(c),
        .logits = c.writes[0],
        .targets = c.read<std::int32_t>(1),
        .scale = step.lossScale,
        .loss = c.write(1),
        .accumulate = c.accumulate};
    if (isSplit(c)) {
        const auto [first, count] = vocabularyShard(c, step);
        loss.shape.width = count;
        loss.statistics = c.read(2);
        loss.ranks = groupOf(c, step).size();
        loss.firstId = first;
    }
    t.kernels->crossEntropy(loss, t.queue);
}

void sumSquares(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    bool accumulate = c.accumulate;
    for (const ReplicatedRange &range : replicatedRanges(c.kernel, shardOfUnit(c, step), step.unitRuns)) {
        t.kernels->sumSquares({.elements = range.count,
                                  .scale = static_cast<float>(shareOfSquares(c.kernel, range)),
                                  .values = c.read(0) + range.first,
                                  .sum = c.write(0),
                                  .accumulate = accumulate},
            t.queue);
        accumulate = true;
    }
}

void quantize(const OpCall &c, const StepContext &, const TorchContext &t)
{
    t.kernels->quantize({.shape = shapeOf(c),
                            .type = typeOf(c),
                            .to = c.kernel.e5m2 ? fused_ops::Float::E5m2 : fused_ops::Float::E4m3,
                            .transposed = c.kernel.transposed,
                            .source = c.reads[0],
                            .factor = c.write(0),
                            .target = c.writes[0] + kQuantizedOffset},
        t.queue);
}

void adamW(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const OptimizerStep &o = step.optimizer;
    const std::vector<UpdateRange> parts = updateRanges(c.kernel, shardOfUnit(c, step), step.unitRuns, o);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        UpdateRange part = parts[i];
        const std::int64_t decayed = part.count;
        // One launch updates the matrices and the norms that follow them.
        if (i + 1 < parts.size() && parts[i + 1].rateFactor == part.rateFactor && parts[i + 1].weightDecay == 0)
            part.count += parts[++i].count;
        t.kernels->adamW({.elements = part.count,
                             .decayed = decayed,
                             .type = typeOf(c),
                             .beta1 = static_cast<float>(o.beta1),
                             .beta2 = static_cast<float>(o.beta2),
                             .eps = static_cast<float>(o.eps),
                             .weightDecay = static_cast<float>(part.weightDecay),
                             .gradClip = static_cast<float>(o.gradClip),
                             .rateFactor = static_cast<float>(part.rateFactor),
                             .rates = t.rates.const_data_ptr<float>(),
                             .gradient = c.read(0) + part.first,
                             .norm2 = c.read(1),
                             .master = c.write(1) + part.first,
                             .momentum = c.write(2) + part.first,
                             .variance = c.write(3) + part.first,
                             .parameter = c.writes[0] + part.first * sizeOf(c.kernel.type)},
            t.queue);
    }
}

// Our kernels support what LLaMA needs. LibTorch's ops run the variants of other models.
bool isPlain(const Kernel &kernel, const StepContext &step)
{
    const ModelSpec &model = step.model;
    switch (kernel.kind) {
    case OpKind::RmsNorm:
    case OpKind::AddRmsNorm:
    case OpKind::RmsNormBackward:
        return !model.norm.onePlusWeight;
    case OpKind::Rope:
    case OpKind::RopeBackward:
        return rotatedDimensions(model.ropes[static_cast<std::size_t>(kernel.rope)], kernel.headDim) == kernel.headDim;
    case OpKind::VanillaAttention:
    case OpKind::VanillaAttentionBackward:
        return step.sequenceShard.ranks == 1 && kernel.window == 0 && kernel.scale == 0 && kernel.softCap == 0 &&
               model.position != Position::Alibi;
    case OpKind::LogitStatistics:
    case OpKind::CrossEntropy:
        return model.head.logitScale == 1 && model.head.softCap == 0 && step.zLoss == 0;
    default:
        return true;
    }
}

} // namespace

TorchOpFunction fusedOpFunction(const Kernel &kernel, const StepContext &step)
{
    if (!isPlain(kernel, step))
        return nullptr;
    switch (kernel.kind) {
    case OpKind::EmbeddingBackward:
        return embeddingGradient;
    case OpKind::RmsNorm:
        return rmsNorm;
    case OpKind::AddRmsNorm:
        return addRmsNorm;
    case OpKind::RmsNormBackward:
        return rmsNormBackward;
    case OpKind::Rope:
        return rope;
    case OpKind::RopeBackward:
        return ropeBackward;
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
    case OpKind::PermuteBackward:
        return permuteBackward;
    case OpKind::Combine:
        return combine;
    case OpKind::CombineBackward:
        return combineBackward;
    case OpKind::LogitStatistics:
        return logitStatistics;
    case OpKind::CrossEntropy:
        return crossEntropy;
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::Quantize:
        return quantize;
    default:
        return nullptr;
    }
}

} // namespace slipway
