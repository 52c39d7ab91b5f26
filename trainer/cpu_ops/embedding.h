// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_ops/norm.h"
#include "cpu_ops/sequence_part.h"
#include "cpu_ops/vocabulary_part.h"

namespace slipway::cpu_ops {

// x[i] = table[tokens[i]]; ids have been checked.
void embedding(Rows shape, const std::int32_t *tokens, const float *table, float *x);

// dtable[tokens[i]] += dx[i] for i in order; where not `accumulate`, dtable [vocabulary, width] starts from zeros.
void embeddingBackward(
    Rows shape, const std::int32_t *tokens, const float *dx, std::int64_t vocabulary, float *dtable, bool accumulate);

// The same over a table that ranks share: this one has the rows of the part. Other tokens get zeros, and their
// gradients go nowhere.
void embeddingOfPart(Rows shape, const std::int32_t *tokens, VocabularyPart part, const float *table, float *x);
void embeddingBackwardOfPart(Rows shape, const std::int32_t *tokens, VocabularyPart part, const float *dx,
    std::int64_t tableRows, float *dtable, bool accumulate);

// Learned positions: x[i] += table[position of i], positions counting from 0 in every sequence of `seq` rows, or from
// where the row's document begins (QkvShape::documentStarts). The table has at least as many rows as a whole sequence.
struct Positions {
    std::int64_t seq = 0;
    std::int64_t firstRow = 0; // of the micro-batch: the row that row 0 is
    const std::int32_t *documentStarts = nullptr;
    SequencePart part = {};
};
void addPositions(Rows shape, Positions positions, const float *table, float *x);

// dtable[position of i] += dx[i] for i in order; where not `accumulate`, dtable [tableRows, width] starts from zeros.
void positionsGradient(
    Rows shape, Positions positions, const float *dx, std::int64_t tableRows, float *dtable, bool accumulate);

void fillZero(std::int64_t bytes, std::byte *data);

} // namespace slipway::cpu_ops
