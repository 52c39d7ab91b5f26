// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands stand in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "cpu_ops/activation.h"
#include "cpu_ops/attention.h"
#include "cpu_ops/bias.h"
#include "cpu_ops/cross_entropy.h"
#include "cpu_ops/embedding.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/layer_norm.h"
#include "cpu_ops/muon.h"
#include "cpu_ops/norm.h"
#include "cpu_ops/optimizer.h"
#include "cpu_ops/qk_norm.h"
#include "plan/placement.h"

namespace slipway {
namespace {

cpu_ops::Rows rowsOf(const OpCall &c) { return {c.kernel.m, c.kernel.n}; }

// Of an activation: rows that came to this rank's experts are counted by the last operand.
cpu_ops::Rows activeRowsOf(const OpCall &c)
{
    return c.kernel.k > 0 ? cpu_ops::Rows{c.read<std::int32_t>(c.readCount - 1)[c.kernel.k], c.kernel.n} : rowsOf(c);
}

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
        .part = context.part};
}

float weightOffset(const StepContext &context) { return context.model.norm.onePlusWeight ? 1.0f : 0.0f; }

void loadBatch(const OpCall &c, const StepContext &context)
{
    const std::int64_t length = c.kernel.seq, chunk = context.part.chunkLength(length);
    const auto load = [&](std::span<const std::int32_t> ids, std::int32_t *to) {
        for (std::int64_t row = 0; row < c.kernel.m; row += chunk) {
            const std::int64_t first =
                row / length * context.part.whole(length) + context.part.position(row % length, length);
            std::copy_n(ids.begin() + first, chunk, to + row);
        }
    };
    load(context.tokens, c.write<std::int32_t>(0));
    load(context.targets, c.write<std::int32_t>(1));
}

bool isSplit(const OpCall &c) { return c.kernel.group != GroupId::None; }

// What this rank of a group has of `all`, as its weights are split.
struct Share {
    std::int64_t first = 0, count = 0;
};
Share shareOf(const OpCall &c, const StepContext &context, std::int64_t all)
{
    const Communicator &group = groupOf(c, context);
    const WeightSlice own = sliceOf(WeightPlacement::Rows, {.rows = all, .columns = 1}, group.size(), group.rank());
    return {own.firstRow, own.rows};
}

void embedding(const OpCall &c, const StepContext &context)
{
    if (isSplit(c)) {
        const auto [first, count] = shareOf(c, context, context.model.vocab);
        return cpu_ops::embeddingOfPart(rowsOf(c), c.read<std::int32_t>(0), {first, count}, c.read(1), c.write(0));
    }
    cpu_ops::embedding(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.write(0));
}

void embeddingBackward(const OpCall &c, const StepContext &context)
{
    if (isSplit(c)) {
        const auto [first, count] = shareOf(c, context, context.model.vocab);
        return cpu_ops::embeddingBackwardOfPart(
            rowsOf(c), c.read<std::int32_t>(0), {first, count}, c.read(1), c.kernel.k, c.write(0), c.accumulate);
    }
    cpu_ops::embeddingBackward(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.kernel.k, c.write(0), c.accumulate);
}

void rmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::rmsNorm(rowsOf(c), c.read(0), c.read(1), context.normEps, c.write(0), c.write(1), weightOffset(context));
}

void addRmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::addRmsNorm(rowsOf(c), c.read(0), c.read(1), c.read(2), context.normEps, c.write(0), c.write(1), c.write(2),
        weightOffset(context));
}

void rmsNormBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::rmsNormBackward(rowsOf(c), {.dy = c.read(0),
                                            .x = c.read(1),
                                            .rstd = c.read(2),
                                            .weight = c.read(3),
                                            .residual = c.readCount > 4 ? c.read(4) : nullptr,
                                            .dx = c.write(0),
                                            .dweight = c.write(1),
                                            .accumulate = c.accumulate,
                                            .weightOffset = weightOffset(context)});
}

// Weights and biases are operands where the model has them.
void layerNorm(const OpCall &c, const StepContext &context)
{
    const NormModule &norm = context.model.norm;
    cpu_ops::layerNorm(rowsOf(c), {.x = c.read(0),
                                      .weight = norm.weight ? c.read(1) : nullptr,
                                      .bias = norm.bias ? c.read(norm.weight ? 2 : 1) : nullptr,
                                      .eps = context.normEps,
                                      .y = c.write(0),
                                      .mean = c.write(1),
                                      .rstd = c.write(2)});
}

void layerNormBackward(const OpCall &c, const StepContext &context)
{
    const NormModule &norm = context.model.norm;
    const std::size_t residual = norm.weight ? 5 : 4;
    cpu_ops::layerNormBackward(rowsOf(c), {.dy = c.read(0),
                                              .x = c.read(1),
                                              .mean = c.read(2),
                                              .rstd = c.read(3),
                                              .weight = norm.weight ? c.read(4) : nullptr,
                                              .residual = c.readCount > residual ? c.read(residual) : nullptr,
                                              .dx = c.write(0),
                                              .dweight = norm.weight ? c.write(1) : nullptr,
                                              .dbias = norm.bias ? c.write(norm.weight ? 2 : 1) : nullptr,
                                              .accumulate = c.accumulate});
}

void addBias(const OpCall &c, const StepContext &) { cpu_ops::addBias(rowsOf(c), c.read(1), c.write(0)); }
void biasBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::biasGradient(rowsOf(c), c.read(0), c.write(0), c.accumulate);
}

void scale(const OpCall &c, const StepContext &)
{
    const std::int64_t elements = c.kernel.m * c.kernel.n;
    if (c.writes[0] != c.reads[0])
        std::memcpy(c.writes[0], c.reads[0], static_cast<std::size_t>(elements) * sizeof(float));
    cpu_ops::scale(elements, c.kernel.scale, c.write(0));
}

cpu_ops::Positions positionsOf(const OpCall &c, const StepContext &context)
{
    return {.seq = c.kernel.seq,
        .firstRow = isSplit(c) ? c.kernel.m * groupOf(c, context).rank() : 0,
        .documentStarts = context.documentStarts.empty() ? nullptr : context.documentStarts.data(),
        .part = context.part};
}

// Ranks that split the stream may have rows behind the last token.
cpu_ops::Rows tokenRowsOf(const OpCall &c, const StepContext &context)
{
    const std::int64_t tokens = std::int64_t{c.kernel.batch} * c.kernel.seq;
    return {std::clamp<std::int64_t>(tokens - positionsOf(c, context).firstRow, 0, c.kernel.m), c.kernel.n};
}

// Rows before the first position are never read.
std::int64_t elementsBeforePositions(const OpCall &c, const StepContext &context)
{
    return context.model.embedding.firstPosition * c.kernel.n;
}

void addPositions(const OpCall &c, const StepContext &context)
{
    cpu_ops::addPositions(
        tokenRowsOf(c, context), positionsOf(c, context), c.read(1) + elementsBeforePositions(c, context), c.write(0));
}

void addPositionsBackward(const OpCall &c, const StepContext &context)
{
    const std::int64_t before = elementsBeforePositions(c, context);
    if (!c.accumulate)
        cpu_ops::fillZero(before * sizeOf(DType::Fp32), c.write<std::byte>(0));
    cpu_ops::positionsGradient(tokenRowsOf(c, context), positionsOf(c, context), c.read(0),
        c.kernel.k - context.model.embedding.firstPosition, c.write(0) + before, c.accumulate);
}

// The keys' weights stand behind the queries'.
std::int64_t queryWeights(const OpCall &c, const StepContext &context)
{
    const bool heads = context.model.attention.qkNorm == QkNorm::Head;
    return heads ? c.kernel.headDim : std::int64_t{c.kernel.heads} * c.kernel.headDim;
}
cpu_ops::QkNormWeights qkWeights(const OpCall &c, const StepContext &context, const float *weights)
{
    const bool heads = context.model.attention.qkNorm == QkNorm::Head;
    return {.span = heads ? cpu_ops::QkNormSpan::Head : cpu_ops::QkNormSpan::AllHeads,
        .q = weights,
        .k = weights + queryWeights(c, context),
        .weightOffset = weightOffset(context)};
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
            .accumulate = c.accumulate});
}

void gemm(const OpCall &c, const StepContext &)
{
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    for (std::int64_t i = 0; i < std::max(1, c.kernel.batch); ++i)
        cpu_ops::gemm({c.kernel.form, m, n, k}, c.read(0) + i * m * k, c.read(1) + i * k * n, c.write(0) + i * m * n,
            c.kernel.residual ? c.read(2) + i * m * n
            : c.accumulate    ? c.write(0) + i * m * n
                              : nullptr);
}

void turn(const OpCall &c, const StepContext &context, cpu_ops::Turn turn)
{
    cpu_ops::rope(qkvOf(c, context), context.ropeTables[static_cast<std::size_t>(c.kernel.rope)], c.write(0), turn);
}
void rope(const OpCall &c, const StepContext &context) { turn(c, context, cpu_ops::Turn::Forward); }
void ropeBackward(const OpCall &c, const StepContext &context) { turn(c, context, cpu_ops::Turn::Back); }

// The last rank is followed by the first.
int peerOf(const OpCall &c, const Communicator &group)
{
    return (group.rank() + group.size() + c.kernel.peer) % group.size();
}

// Of all ranks, or of the one that the kernel says; null where a rank has whole sequences.
const float *rankKeys(const OpCall &c, const StepContext &context, std::size_t operand)
{
    return context.part.ranks > 1 ? c.read(operand) : nullptr;
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
    cpu_ops::flashAttentionBackward(qkvOf(c, context), {.dout = c.read(0),
                                                           .qkv = c.read(1),
                                                           .out = c.read(2),
                                                           .lse = c.read(3),
                                                           .dqkv = c.write(0),
                                                           .delta = c.write(1),
                                                           .keys = flashKeys(c, context, 4),
                                                           .dkeys = context.part.ranks > 1 ? c.write(2) : nullptr,
                                                           .continues = c.accumulate});
}

// Of kernels that count rows of keys and values.
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
                               .allDkeys = context.part.ranks > 1 ? c.write(2) : nullptr});
}

// SwiGLU and its like: which one says the model.
void gatedActivation(const OpCall &c, const StepContext &context)
{
    cpu_ops::gated(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void gatedActivationBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::gatedBackward(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void activation(const OpCall &c, const StepContext &context)
{
    cpu_ops::activate(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void activationBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::activateBackward(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}

void add(const OpCall &c, const StepContext &)
{
    cpu_ops::add(c.kernel.m * c.kernel.n, c.read(0), c.read(1), c.write(0));
}

cpu_ops::LossOptions lossOptions(const StepContext &context)
{
    const HeadModule &head = context.model.head;
    return {.logitScale = static_cast<float>(head.logitScale),
        .softCap = static_cast<float>(head.softCap),
        .zLoss = context.zLoss};
}

cpu_ops::VocabularyPart vocabularyPart(const OpCall &c, const StepContext &context)
{
    const auto [first, count] = shareOf(c, context, context.model.vocab);
    return {first, count};
}

void logitStatistics(const OpCall &c, const StepContext &context)
{
    cpu_ops::logitStatistics({c.kernel.m, c.kernel.k}, vocabularyPart(c, context), c.read<std::int32_t>(1),
        lossOptions(context), c.write(0), c.write<cpu_ops::LogitStatistics>(1));
}

double lossSum(const OpCall &c, const StepContext &context)
{
    const cpu_ops::LossOptions options = lossOptions(context);
    const std::int32_t *const targets = c.read<std::int32_t>(1);
    return isSplit(c) ? cpu_ops::crossEntropyOfPart({c.kernel.m, c.kernel.k}, vocabularyPart(c, context), targets,
                            context.lossScale, options, c.read<cpu_ops::LogitStatistics>(2), groupOf(c, context).size(),
                            c.write(0))
                            .crossEntropy
                      : cpu_ops::crossEntropy(rowsOf(c), targets, context.lossScale, options, c.write(0)).crossEntropy;
}

void crossEntropy(const OpCall &c, const StepContext &context)
{
    const double sum = lossSum(c, context);
    float &loss = *c.write(1);
    loss = (c.accumulate ? loss : 0.0f) + static_cast<float>(sum * static_cast<double>(context.lossScale));
}

void zero(const OpCall &c, const StepContext &)
{
    cpu_ops::fillZero(c.kernel.m * c.kernel.n * sizeOf(c.kernel.type), c.write<std::byte>(0));
}

void sumSquares(const OpCall &c, const StepContext &context)
{
    float &norm2 = *c.write(0);
    const double share = c.kernel.scale == 0 ? 1.0 : static_cast<double>(c.kernel.scale);
    double sum = 0;
    for (const SharedPart &part : sharedParts(c.kernel, shardOfUnit(c, context), context.unitRuns))
        sum += cpu_ops::sumSquares(part.count, c.read(0) + part.first) / part.copies;
    norm2 = (c.accumulate ? norm2 : 0.0f) + static_cast<float>(share * sum);
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
    cpu_ops::AdamWFactors factors{.beta1 = static_cast<float>(o.beta1),
        .beta2 = static_cast<float>(o.beta2),
        .eps = static_cast<float>(o.eps),
        .correction1 = static_cast<float>(1.0 - std::pow(o.beta1, static_cast<double>(o.step))),
        .correction2 = static_cast<float>(1.0 - std::pow(o.beta2, static_cast<double>(o.step))),
        .gradientScale = clipFactor(o.gradClip, *c.read(1))};
    for (const UpdatePart &part : updateParts(c.kernel, shardOfUnit(c, context), context.unitRuns, o)) {
        factors.learningRate = static_cast<float>(o.learningRate * part.rateFactor);
        factors.weightDecay = static_cast<float>(part.weightDecay);
        cpu_ops::adamW(part.count, factors,
            {c.write(1) + part.first, c.read(0) + part.first, c.write(2) + part.first, c.write(3) + part.first});
    }
}

cpu_ops::Matrices matricesOf(const OpCall &c)
{
    return {.count = std::max(1, c.kernel.batch), .rows = c.kernel.m, .columns = c.kernel.n};
}

void muonMomentum(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    cpu_ops::muonMomentum(matricesOf(c), {.gradient = c.read(0),
                                             .gradientScale = clipFactor(o.gradClip, *c.read(1)),
                                             .momentum = static_cast<float>(o.muonMomentum),
                                             .buffer = c.write(0),
                                             .x = c.write(1)});
}

void newtonSchulz(const OpCall &c, const StepContext &) { cpu_ops::newtonSchulz(matricesOf(c), c.read(0), c.write(0)); }

void muonUpdate(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    const auto rate = static_cast<float>(o.learningRate);
    const double decay = o.noDecay.has(ParameterKind::Matrix) ? 0 : o.weightDecay;
    cpu_ops::muonUpdate(
        matricesOf(c), c.read(0), rate * c.kernel.scale, 1.0f - rate * static_cast<float>(decay), c.write(1));
}

void average(const OpCall &c, const StepContext &)
{
    cpu_ops::moveAverage(c.kernel.n, c.kernel.scale, c.read(0), c.write(0));
}

void exchange(const OpCall &c, const StepContext &)
{
    std::swap_ranges(c.write(0), c.write(0) + c.kernel.n, c.write(1));
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

void send(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    group.send({c.reads[0], static_cast<std::size_t>(c.kernel.messageBytes)}, peerOf(c, group));
}

void receive(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    group.receive({c.writes[0], static_cast<std::size_t>(c.kernel.messageBytes)}, peerOf(c, group));
}

} // namespace

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
    case OpKind::PackKeys:
        return packKeys;
    case OpKind::UnpackKeys:
        return unpackKeys;
    case OpKind::Add:
        return add;
    case OpKind::CrossEntropy:
        return crossEntropy;
    case OpKind::LogitStatistics:
        return logitStatistics;
    case OpKind::Send:
        return send;
    case OpKind::Receive:
        return receive;
    case OpKind::Zero:
        return zero;
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::MuonMomentum:
        return muonMomentum;
    case OpKind::NewtonSchulz:
        return newtonSchulz;
    case OpKind::MuonUpdate:
        return muonUpdate;
    case OpKind::Average:
        return average;
    case OpKind::Exchange:
        return exchange;
    case OpKind::AllReduce:
        return allReduce;
    case OpKind::ReduceScatter:
        return reduceScatter;
    case OpKind::AllGather:
        return allGather;
    case OpKind::SwiGlu:
    case OpKind::GatedActivation:
        return gatedActivation;
    case OpKind::SwiGluBackward:
    case OpKind::GatedActivationBackward:
        return gatedActivationBackward;
    case OpKind::Activation:
        return activation;
    case OpKind::ActivationBackward:
        return activationBackward;
    case OpKind::LayerNorm:
        return layerNorm;
    case OpKind::LayerNormBackward:
        return layerNormBackward;
    case OpKind::AddBias:
        return addBias;
    case OpKind::BiasBackward:
        return biasBackward;
    case OpKind::Scale:
        return scale;
    case OpKind::AddPositions:
        return addPositions;
    case OpKind::AddPositionsBackward:
        return addPositionsBackward;
    case OpKind::QkNorm:
        return qkNorm;
    case OpKind::QkNormBackward:
        return qkNormBackward;
    case OpKind::Route:
    case OpKind::RouteBackward:
    case OpKind::Permute:
    case OpKind::PermuteBackward:
    case OpKind::Combine:
    case OpKind::CombineBackward:
    case OpKind::CountExperts:
    case OpKind::ReceivedRows:
    case OpKind::AllToAll:
    case OpKind::GroupedGemm:
    case OpKind::GateRows:
    case OpKind::GateRowsBackward:
        return expertOpFunction(kind);
    case OpKind::Cast: // between a device's types
    case OpKind::Quantize:
    case OpKind::Elementwise: // of simulated frameworks
    case OpKind::HostCopy:
    case OpKind::View:
    case OpKind::SendReceive:
        return nullptr;
    }
    return nullptr;
}

} // namespace slipway
