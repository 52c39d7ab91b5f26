// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include <algorithm>
#include <span>

#include "cpu_ops/cross_entropy.h"
#include "cpu_ops/embedding.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

void loadBatch(const OpCall &c, const StepContext &context)
{
    const std::int64_t length = c.kernel.seq, chunk = context.sequenceShard.chunkLength(length);
    const auto load = [&](std::span<const std::int32_t> ids, std::int32_t *to) {
        for (std::int64_t row = 0; row < c.kernel.m; row += chunk) {
            const std::int64_t first = row / length * context.sequenceShard.whole(length) +
                                       context.sequenceShard.position(row % length, length);
            std::copy_n(ids.begin() + first, chunk, to + row);
        }
    };
    load(context.tokens, c.write<std::int32_t>(0));
    load(context.targets, c.write<std::int32_t>(1));
}

void embedding(const OpCall &c, const StepContext &context)
{
    if (isSplit(c)) {
        const cpu_ops::VocabularyShard shard = vocabularyShard(c, context);
        return cpu_ops::vocabParallelEmbedding(rowsOf(c), c.read<std::int32_t>(0), shard, c.read(1), c.write(0));
    }
    cpu_ops::embedding(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.write(0));
}

void embeddingBackward(const OpCall &c, const StepContext &context)
{
    if (isSplit(c)) {
        const cpu_ops::VocabularyShard shard = vocabularyShard(c, context);
        return cpu_ops::vocabParallelEmbeddingBackward(
            rowsOf(c), c.read<std::int32_t>(0), shard, c.read(1), c.kernel.k, c.write(0), c.accumulate);
    }
    cpu_ops::embeddingBackward(rowsOf(c), c.read<std::int32_t>(0), c.read(1), c.kernel.k, c.write(0), c.accumulate);
}

cpu_ops::Positions positionsOf(const OpCall &c, const StepContext &context)
{
    return {.seq = c.kernel.seq,
        .firstRow = firstTokenOf(c, context),
        .documentStarts = context.documentStarts.empty() ? nullptr : context.documentStarts.data(),
        .shard = context.sequenceShard};
}

cpu_ops::Rows tokenRowsOf(const OpCall &c, const StepContext &context) { return {tokensOf(c, context), c.kernel.n}; }

// Rows of the table before the first position are never read.
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

cpu_ops::LossOptions lossOptions(const StepContext &context)
{
    const HeadModule &head = context.model.head;
    return {.logitScale = static_cast<float>(head.logitScale),
        .softCap = static_cast<float>(head.softCap),
        .zLoss = context.zLoss};
}

void logitStatistics(const OpCall &c, const StepContext &context)
{
    cpu_ops::logitStatistics({c.kernel.m, c.kernel.k}, vocabularyShard(c, context), c.read<std::int32_t>(1),
        lossOptions(context), c.write(0), c.write<cpu_ops::LogitStatistics>(1));
}

double lossSum(const OpCall &c, const StepContext &context)
{
    const cpu_ops::LossOptions options = lossOptions(context);
    const std::int32_t *const targets = c.read<std::int32_t>(1);
    return isSplit(c) ? cpu_ops::vocabParallelCrossEntropy({c.kernel.m, c.kernel.k}, vocabularyShard(c, context),
                            targets, context.lossScale, options, c.read<cpu_ops::LogitStatistics>(2),
                            groupOf(c, context).size(), c.write(0))
                            .crossEntropy
                      : cpu_ops::crossEntropy(rowsOf(c), targets, context.lossScale, options, c.write(0)).crossEntropy;
}

void crossEntropy(const OpCall &c, const StepContext &context)
{
    const double sum = lossSum(c, context);
    float &loss = *c.write(1);
    loss = (c.accumulate ? loss : 0.0f) + static_cast<float>(sum * static_cast<double>(context.lossScale));
}

} // namespace

OpFunction modelEndOp(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch:
        return loadBatch;
    case OpKind::Embedding:
        return embedding;
    case OpKind::EmbeddingBackward:
        return embeddingBackward;
    case OpKind::AddPositions:
        return addPositions;
    case OpKind::AddPositionsBackward:
        return addPositionsBackward;
    case OpKind::LogitStatistics:
        return logitStatistics;
    case OpKind::CrossEntropy:
        return crossEntropy;
    default:
        return nullptr;
    }
}

} // namespace slipway
