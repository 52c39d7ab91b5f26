// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_ops/norm.h"
#include "cpu_ops/sequence_shard.h"
#include "cpu_ops/vocabulary_shard.h"

namespace slipway::cpu_ops {

// x[i] = table[tokens[i]]. The caller has checked the ids.
void embedding(Rows shape, const std::int32_t *tokens, const float *table, float *x);

// dtable[tokens[i]] += dx[i] in the order of i. Without `accumulate`, dtable [vocabulary, width] starts from zeros.
void embeddingBackward(
    Rows shape, const std::int32_t *tokens, const float *dx, std::int64_t vocabulary, float *dtable, bool accumulate);

// The same for a table that ranks shard by rows. Tokens of other shards give zeros, and their gradients are dropped.
void vocabParallelEmbedding(
    Rows shape, const std::int32_t *tokens, VocabularyShard shard, const float *table, float *x);
void vocabParallelEmbeddingBackward(Rows shape, const std::int32_t *tokens, VocabularyShard shard, const float *dx,
    std::int64_t tableRows, float *dtable, bool accumulate);

// Learned positions: x[i] += table[position of i]. Positions count from the start of each sequence of `seq` rows, or
// from the start of the row's document (QkvShape::documentStarts). The table has at least as many rows as a full
// sequence.
struct Positions {
    std::int64_t seq = 0;
    std::int64_t firstRow = 0; // number of row 0 within the micro-batch (sequence parallelism)
    const std::int32_t *documentStarts = nullptr;
    SequenceShard shard = {};
};
void addPositions(Rows shape, Positions positions, const float *table, float *x);

// dtable[position of i] += dx[i] in the order of i. Without `accumulate`, dtable [tableRows, width] starts from zeros.
void positionsGradient(
    Rows shape, Positions positions, const float *dx, std::int64_t tableRows, float *dtable, bool accumulate);

void fillZero(std::int64_t bytes, std::byte *data);

} // namespace slipway::cpu_ops
