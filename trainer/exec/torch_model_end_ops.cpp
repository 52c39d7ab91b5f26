// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <array>
#include <span>
#include <utility>

#include <ATen/ops/zeros.h>

#include "aten_ops/elementwise.h"
#include "aten_ops/loss.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

void loadBatch(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto load = [&](std::size_t to, std::int64_t at, std::span<const std::int32_t> ids) {
        const std::int64_t count = std::ssize(ids);
        o.write(to, {at + count}, at::kInt)
            .narrow(0, at, count)
            .copy_(tensorAt(std::as_bytes(ids).data(), {count}, at::kInt, at::kCPU), true);
    };
    // The chunks of each sequence that this rank has under context parallelism.
    const cpu_ops::SequenceShard &shard = step.sequenceShard;
    const std::int64_t length = c.kernel.seq, chunk = shard.ranks > 1 ? shard.chunkLength(length) : c.kernel.m;
    for (std::int64_t row = 0; row < c.kernel.m; row += chunk) {
        const std::int64_t first =
            shard.ranks > 1 ? row / length * shard.whole(length) + shard.position(row % length, length) : row;
        const auto of = [&](std::span<const std::int32_t> ids) {
            return ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(chunk));
        };
        load(0, row, of(step.tokens));
        load(1, row, of(step.targets));
    }
    if (!c.writes[2])
        return;
    load(2, 0, step.documents.positions);
    load(3, 0, step.documents.bounds);
}

void embedding(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const at::Tensor tokens = o.read(0, {m}, at::kInt), x = o.write(0, {m, n});
    if (!isSplit(c))
        return aten_ops::embedding(tokens, o.read(1, {t.vocab, n}), x);
    const cpu_ops::VocabularyShard shard = vocabularyShard(c, step);
    aten_ops::vocabParallelEmbedding(tokens, shard, o.read(1, {shard.count, n}), x);
}

void embeddingBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const at::Tensor tokens = o.read(0, {m}, at::kInt), dx = o.read(1, {m, n}),
                     dtable = o.write(0, {c.kernel.k, n}, at::kFloat);
    if (isSplit(c))
        return aten_ops::vocabParallelEmbeddingBackward(tokens, vocabularyShard(c, step), dx, dtable, c.accumulate);
    aten_ops::embeddingBackward(tokens, dx, dtable, c.accumulate);
}

// The residual stream for all tokens of the batch, and for those of a rank.
at::Tensor wholeStream(const Kernel &k, const Operands &o, bool writes)
{
    const std::array<std::int64_t, 3> sizes{k.batch, k.seq, k.n};
    return writes ? o.write(0, sizes) : o.read(0, sizes);
}
at::Tensor partOfStream(const OpCall &c, const StepContext &step, const Operands &o, bool writes)
{
    const std::array<std::int64_t, 2> sizes{tokensOf(c, step), c.kernel.n};
    return writes ? o.write(0, sizes) : o.read(0, sizes);
}

void addPositions(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t first = step.model.embedding.firstPosition, rows = c.kernel.k;
    at::Tensor table = o.read(1, {rows, c.kernel.n}).narrow(0, first, rows - first);
    if (t.positions.defined())
        table = table.index_select(0, t.positions);
    if (!isSplit(c))
        return aten_ops::addPositions(table, wholeStream(c.kernel, o, true));
    aten_ops::addPositionsOfRows(table, firstTokenOf(c, step), c.kernel.seq, partOfStream(c, step, o, true));
}

void addPositionsBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t first = step.model.embedding.firstPosition, rows = c.kernel.k;
    const at::Tensor table = o.write(0, {rows, c.kernel.n}, at::kFloat);
    if (!c.accumulate)
        table.narrow(0, 0, first).zero_();
    const at::Tensor dtable = table.narrow(0, first, rows - first);
    const auto gradient = [&](const at::Tensor &to, bool accumulate) {
        if (!isSplit(c))
            return aten_ops::positionsGradient(wholeStream(c.kernel, o, false), to, accumulate);
        aten_ops::positionsGradientOfRows(
            partOfStream(c, step, o, false), firstTokenOf(c, step), c.kernel.seq, to, accumulate);
    };
    if (!t.positions.defined())
        return gradient(dtable, c.accumulate);
    if (!c.accumulate)
        dtable.zero_();
    const at::Tensor own = at::zeros({c.kernel.seq, c.kernel.n}, dtable.options());
    gradient(own, false);
    dtable.index_add_(0, t.positions, own);
}

aten_ops::LossOptions lossOptions(const StepContext &step, const TorchContext &t)
{
    return {.logitScale = step.model.head.logitScale,
        .softCap = step.model.head.softCap,
        .zLoss = static_cast<double>(step.zLoss),
        .zLossSum = t.zLossSum};
}

// Unlike on the CPU, the logits are not scaled in place, because bf16 logits would be rounded once more.
void logitStatistics(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t rows = c.kernel.m;
    const auto [first, count] = vocabularyShard(c, step);
    aten_ops::logitStatistics(o.read(0, {rows, c.kernel.k}).narrow(1, 0, count), o.read(1, {rows}, at::kInt), first,
        o.write(1, {rows, fused_ops::kLogitStatistics}, at::kFloat), lossOptions(step, t));
}

void crossEntropy(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [first, count] = isSplit(c) ? vocabularyShard(c, step) : cpu_ops::VocabularyShard{0, c.kernel.n};
    const at::Tensor filled = o.write(0, {c.kernel.m, c.kernel.k}), logits = filled.narrow(1, 0, count),
                     targets = o.read(1, {c.kernel.m}, at::kInt), loss = o.write(1, {}, at::kFloat);
    const auto scale = static_cast<double>(step.lossScale);
    filled.narrow(1, count, c.kernel.k - count).zero_(); // padding of the rows
    if (!isSplit(c))
        return aten_ops::crossEntropy(logits, targets, scale, loss, c.accumulate, lossOptions(step, t));
    const at::Tensor statistics =
        o.read(2, {groupOf(c, step).size(), c.kernel.m, fused_ops::kLogitStatistics}, at::kFloat);
    aten_ops::vocabParallelCrossEntropy(
        logits, targets, first, statistics, scale, loss, c.accumulate, lossOptions(step, t));
}

} // namespace

TorchOpFunction modelEndOp(OpKind kind)
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

} // namespace slipway::torch_ops
