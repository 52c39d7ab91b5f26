// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Helpers that several groups of ops, and the tables of both backends, share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu_ops/norm.h"
#include "cpu_ops/vocabulary_shard.h"
#include "exec/op_table.h"
#include "plan/placement.h"

namespace slipway {

inline cpu_ops::Rows rowsOf(const OpCall &c) { return {c.kernel.m, c.kernel.n}; }

inline float weightOffset(const StepContext &context) { return context.model.norm.onePlusWeight ? 1.0f : 0.0f; }

// Index of the operand of LayerNorm that follows the weight, which not every model has.
inline std::size_t operandAfterWeight(const NormModule &norm, std::size_t weight)
{
    return norm.weight ? weight + 1 : weight;
}

// Whether each head of queries and keys is normalized separately, with the same weights.
inline bool normsEachHead(const StepContext &context) { return context.model.attention.qkNorm == QkNorm::Head; }

// Number of QkNorm's weights of queries on this rank; those of keys follow them.
inline std::int64_t queryWeights(const OpCall &c, const StepContext &context)
{
    return normsEachHead(context) ? c.kernel.headDim : std::int64_t{c.kernel.heads} * c.kernel.headDim;
}

// The addend of a GEMM: a residual, or its own result; null: none.
inline std::byte *addendOf(const OpCall &c)
{
    return c.kernel.residual ? c.reads[2] : c.accumulate ? c.writes[0] : nullptr;
}

inline double matrixDecay(const OptimizerStep &optimizer)
{
    return optimizer.noDecay.has(ParameterKind::Matrix) ? 0 : optimizer.weightDecay;
}

inline bool isSplit(const OpCall &c) { return c.kernel.group != GroupId::None; }

// The token ids whose weights this rank of the op's group has.
inline cpu_ops::VocabularyShard vocabularyShard(const OpCall &c, const StepContext &context)
{
    const Communicator &group = groupOf(c, context);
    const WeightSlice own =
        sliceOf(WeightPlacement::Rows, {.rows = context.model.vocab, .columns = 1}, group.size(), group.rank());
    return {own.firstRow, own.rows};
}

// With sequence parallelism: the first token of this rank, and how many of its rows are tokens. The last ranks may have
// padding after the last token.
inline std::int64_t firstTokenOf(const OpCall &c, const StepContext &context)
{
    return isSplit(c) ? c.kernel.m * groupOf(c, context).rank() : 0;
}
inline std::int64_t tokensOf(const OpCall &c, const StepContext &context)
{
    const std::int64_t all = std::int64_t{c.kernel.batch} * c.kernel.seq;
    return std::clamp<std::int64_t>(all - firstTokenOf(c, context), 0, c.kernel.m);
}

// The rank at a distance from this one, where the first rank follows the last.
inline int rankAt(int distance, const Communicator &group)
{
    return (group.rank() + group.size() + distance) % group.size();
}
inline int peerOf(const OpCall &c, const Communicator &group) { return rankAt(c.kernel.peer, group); }

} // namespace slipway
