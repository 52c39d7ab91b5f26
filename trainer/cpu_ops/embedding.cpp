// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/embedding.h"

#include <algorithm>
#include <cstring>

#include "cpu_ops/norm_rows.h"
#include "cpu_ops/parallel.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kLookupGrain = 64, kColumnGrain = 64, kByteGrain = 1 << 18;

std::int64_t positionOf(const Positions &positions, std::int64_t row)
{
    row += positions.firstRow;
    const std::int64_t position = positions.shard.position(row % positions.seq, positions.seq);
    const std::int64_t wholeRow = row / positions.seq * positions.shard.whole(positions.seq) + position;
    return position - (positions.documentStarts ? positions.documentStarts[wholeRow] : 0);
}

// dtable[rowOf(i)] += dx[i]; a negative row is skipped. Threads are assigned columns, not rows, so that the gradients
// of a repeated token are summed in the order of i.
template<typename RowOf>
void addToRows(Rows shape, const float *dx, std::int64_t tableRows, float *dtable, bool accumulate, const RowOf &rowOf)
{
    if (!accumulate)
        fillZero(tableRows * shape.width * std::int64_t{sizeof(float)}, reinterpret_cast<std::byte *>(dtable));
    parallelRanges(shape.width, kColumnGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = 0; i < shape.rows; ++i) {
            const std::int64_t row = rowOf(i);
            if (row < 0)
                continue;
            float *const to = dtable + row * shape.width + begin;
            addRow(end - begin, to, dx + i * shape.width + begin, to);
        }
    });
}

} // namespace

void embedding(Rows shape, const std::int32_t *tokens, const float *table, float *x)
{
    const auto rowBytes = static_cast<std::size_t>(shape.width) * sizeof(float);
    parallelRanges(shape.rows, kLookupGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            std::memcpy(x + i * shape.width, table + tokens[i] * shape.width, rowBytes);
    });
}

void embeddingBackward(
    Rows shape, const std::int32_t *tokens, const float *dx, std::int64_t vocabulary, float *dtable, bool accumulate)
{
    addToRows(shape, dx, vocabulary, dtable, accumulate, [&](std::int64_t i) { return std::int64_t{tokens[i]}; });
}

void vocabParallelEmbedding(Rows shape, const std::int32_t *tokens, VocabularyShard shard, const float *table, float *x)
{
    parallelRanges(shape.rows, kLookupGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t row = tokens[i] - shard.first;
            if (row >= 0 && row < shard.count)
                std::copy_n(table + row * shape.width, shape.width, x + i * shape.width);
            else
                std::fill_n(x + i * shape.width, shape.width, 0.0f);
        }
    });
}

void vocabParallelEmbeddingBackward(Rows shape, const std::int32_t *tokens, VocabularyShard shard, const float *dx,
    std::int64_t tableRows, float *dtable, bool accumulate)
{
    addToRows(shape, dx, tableRows, dtable, accumulate, [&](std::int64_t i) {
        const std::int64_t row = tokens[i] - shard.first;
        return row < shard.count ? row : -1;
    });
}

void addPositions(Rows shape, Positions positions, const float *table, float *x)
{
    parallelRanges(shape.rows, kLookupGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *const row = x + i * shape.width;
            addRow(shape.width, row, table + positionOf(positions, i) * shape.width, row);
        }
    });
}

void positionsGradient(
    Rows shape, Positions positions, const float *dx, std::int64_t tableRows, float *dtable, bool accumulate)
{
    addToRows(shape, dx, tableRows, dtable, accumulate, [&](std::int64_t i) { return positionOf(positions, i); });
}

void fillZero(std::int64_t bytes, std::byte *data)
{
    parallelRanges(bytes, kByteGrain, [&](std::int64_t begin, std::int64_t end) {
        std::memset(data + begin, 0, static_cast<std::size_t>(end - begin));
    });
}

} // namespace slipway::cpu_ops
