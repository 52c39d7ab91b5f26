// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <array>

#include "cpu_ops/attention.h"
#include "cpu_ops/attention_heads.h"
#include "cpu_ops/norm_rows.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/scores.h"
#include "cpu_ops/scratch.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

// The state of a row of queries after the blocks of keys that were processed: running maximum and sum.
struct RunningRow {
    float largest, sum;
};

KeyRows<const float> attendedKeys(const QkvShape &s, HeadIndex head, const float *qkv, const RankKeys &keys)
{
    return keys.rows ? keysOfRanks(s, head, keys.rows, keys.rank) : keysOf(s, head, qkv);
}

// Replaces the scores [first, valid) of a row by exponentials relative to the new maximum, and the others by zeros.
// Returns the factor by which the previous output of the row must be multiplied.
SLIPWAY_SIMD float softmaxStep(
    std::int64_t first, std::int64_t valid, std::int64_t columns, float scale, float *scores, RunningRow &row)
{
    float largest = row.largest;
#pragma omp simd reduction(max : largest)
    for (std::int64_t j = first; j < valid; ++j)
        largest = largest < scores[j] * scale ? scores[j] * scale : largest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = first; j < valid; ++j) {
        const float e = fastExp(scores[j] * scale - largest);
        scores[j] = e;
        sum += e;
    }
    for (std::int64_t j = 0; j < first; ++j)
        scores[j] = 0;
    for (std::int64_t j = valid; j < columns; ++j)
        scores[j] = 0;
    const float keep = fastExp(row.largest - largest);
    row = {largest, row.sum * keep + sum};
    return keep;
}

void forwardBlock(const QkvShape &s, HeadIndex head, const TokenRange &queries, const float *qkv,
    const KeyRows<const float> &rows, float *out, float *lse, bool continues)
{
    thread_local ThreadScratch scratch;
    float *const keysTransposed = scratch.get(kBlock * (s.headDim + kBlock));
    float *const scores = keysTransposed + kBlock * s.headDim;
    const Tile query = rowsOf(qkv + queryOffset(s, head), s.stride(), queries.row);
    float *result = out + outOffset(s, head) + queries.row * s.outStride();
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    float *const lseRows = lse + rowOffset(s, head) + queries.row;
    std::array<RunningRow, kBlock> running;
    for (std::int64_t i = 0; i < queries.count; ++i) // the earlier result counts as one key with score lse
        running[static_cast<std::size_t>(i)] = continues ? RunningRow{lseRows[i], 1.0f} : RunningRow{-3e38f, 0.0f};

    bool begun = continues;
    const AttendedBlocks seen = attendedBlocks(s, head, queries);
    for (std::int64_t block = seen.first; block <= seen.last; ++block) {
        if (!hasBlock(s, block, rows.rank))
            continue;
        const TokenRange keys = keyBlock(s, head, block, rows.rank);
        tileTranspose(keys.count, s.headDim, rowsOf(rows.keys, rows.stride, keys.row), {keysTransposed, kBlock});
        tileMultiply(queries.count, keys.count, s.headDim, query, {keysTransposed, kBlock}, {scores, kBlock}, false);
        for (std::int64_t i = 0; i < queries.count; ++i) {
            const std::int64_t position = queries.position + i;
            const std::int64_t valid = std::clamp<std::int64_t>(position + 1 - keys.position, 0, keys.count);
            const std::int64_t first =
                std::clamp<std::int64_t>(s.firstKey(head.batch, position) - keys.position, 0, valid);
            float *const row = scores + i * kBlock;
            if (changed)
                changeScores(valid - first, change, {position - keys.position - first, -1}, row + first);
            const float keep = softmaxStep(
                first, valid, keys.count, changed ? 1.0f : change.scale, row, running[static_cast<std::size_t>(i)]);
            if (begun)
                multiplyRow(s.headDim, keep, result + i * s.outStride());
        }
        tileMultiply(queries.count, s.headDim, keys.count, {scores, kBlock}, rowsOf(rows.values, rows.stride, keys.row),
            {result, s.outStride()}, begun);
        begun = true;
    }
    for (std::int64_t i = 0; i < queries.count; ++i) {
        const RunningRow row = running[static_cast<std::size_t>(i)];
        multiplyRow(s.headDim, 1.0f / row.sum, result + i * s.outStride());
        lseRows[i] = row.largest + std::log(row.sum);
    }
}

void zeroOutside(std::int64_t columns, std::int64_t firstValid, std::int64_t endValid, float *scores, float *dscores)
{
    for (std::int64_t c = 0; c < firstValid; ++c)
        scores[c] = dscores[c] = 0;
    for (std::int64_t c = endValid; c < columns; ++c)
        scores[c] = dscores[c] = 0;
}

// Row r of a block is a key, column c a query. In: unscaled scores and dprobabilities. Out: probabilities and dscores.
SLIPWAY_SIMD void gradientRow(std::int64_t firstValid, std::int64_t endValid, float scale, const float *lse,
    const float *delta, float *scores, float *dscores)
{
#pragma omp simd
    for (std::int64_t c = firstValid; c < endValid; ++c) {
        const float probability = fastExp(scores[c] * scale - lse[c]);
        scores[c] = probability;
        dscores[c] = probability * (dscores[c] - delta[c]) * scale;
    }
}

struct BackwardScratch {
    explicit BackwardScratch(const QkvShape &s)
    {
        thread_local ThreadScratch scratch;
        queriesTransposed = scratch.get(kBlock * (2 * s.headDim + 3 * kBlock));
        doutTransposed = queriesTransposed + kBlock * s.headDim;
        scores = doutTransposed + kBlock * s.headDim;
        dscores = scores + kBlock * kBlock;
        dscoresTransposed = dscores + kBlock * kBlock;
    }
    float *queriesTransposed, *doutTransposed, *scores, *dscores, *dscoresTransposed;
};

// The number of queries from the start of a block that attend to the key at this position.
std::int64_t endOfSeeing(const QkvShape &s, HeadIndex head, const TokenRange &queries, std::int64_t key)
{
    std::int64_t end = queries.count;
    while (end > 0 && s.firstKey(head.batch, queries.position + end - 1) > key)
        --end;
    return end;
}

// One block of scores, with keys as rows and queries as columns. In: scores and dprobabilities. Out: probabilities and
// dscores.
void gradientBlock(const QkvShape &s, HeadIndex head, const TokenRange &queries, const TokenRange &keys,
    const FlashGradient &g, float *scores, float *dscores)
{
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    const std::int64_t at = rowOffset(s, head) + queries.row;
    for (std::int64_t r = 0; r < keys.count; ++r) {
        const std::int64_t key = keys.position + r, end = endOfSeeing(s, head, queries, key);
        const std::int64_t first = std::clamp<std::int64_t>(key - queries.position, 0, end);
        float *const row = scores + r * kBlock, *const drow = dscores + r * kBlock;
        if (changed) {
            changedScoresGradient(end - first, change, {queries.position + first - key, 1},
                {g.lse + at + first, g.delta + at + first, row + first, drow + first});
            zeroOutside(queries.count, first, end, row, drow);
        } else {
            zeroOutside(queries.count, first, end, row, drow);
            gradientRow(first, end, change.scale, g.lse + at, g.delta + at, row, drow);
        }
    }
}

void computeDelta(const QkvShape &s, HeadIndex head, const FlashGradient &g)
{
    const std::int64_t at = outOffset(s, head);
    for (std::int64_t i = 0; i < s.seq; ++i)
        g.delta[rowOffset(s, head) + i] =
            dotRow(s.headDim, g.dout + at + i * s.outStride(), g.out + at + i * s.outStride());
}

// Blocks have keys as rows and queries as columns, so that probabilities and dscores are the left operands of the GEMMs
// for dv and dk.
void backwardHead(const QkvShape &s, HeadIndex head, bool firstOfGroup, const FlashGradient &g)
{
    const BackwardScratch t(s);
    const KeyRows<const float> rows = attendedKeys(s, head, g.qkv, g.keys);
    const KeyRows<float> drows = g.keys.rows ? keysOfRanks(s, head, g.dkeys, g.keys.rank) : keysOf(s, head, g.dqkv);
    if (!g.continues)
        computeDelta(s, head, g);
    if (g.keys.rows && firstOfGroup)
        zeroKeys(s, head, drows);

    for (std::int64_t i = 0; i < queryBlocks(s); ++i) {
        const TokenRange queries = queryBlock(s, i);
        const Tile doutRows = rowsOf(g.dout + outOffset(s, head), s.outStride(), queries.row),
                   queryRows = rowsOf(g.qkv + queryOffset(s, head), s.stride(), queries.row);
        tileTranspose(queries.count, s.headDim, queryRows, {t.queriesTransposed, kBlock});
        tileTranspose(queries.count, s.headDim, doutRows, {t.doutTransposed, kBlock});
        bool begun = g.continues;
        const AttendedBlocks seen = attendedBlocks(s, head, queries);
        for (std::int64_t block = seen.first; block <= seen.last; ++block) {
            if (!hasBlock(s, block, rows.rank))
                continue;
            const TokenRange keys = keyBlock(s, head, block, rows.rank);
            const Tile keyRows = rowsOf(rows.keys, rows.stride, keys.row);
            tileMultiply(keys.count, queries.count, s.headDim, keyRows, {t.queriesTransposed, kBlock},
                {t.scores, kBlock}, false);
            tileMultiply(keys.count, queries.count, s.headDim, rowsOf(rows.values, rows.stride, keys.row),
                {t.doutTransposed, kBlock}, {t.dscores, kBlock}, false);
            gradientBlock(s, head, queries, keys, g, t.scores, t.dscores);
            const bool add = !firstOfGroup || !contributesFirst(s, queries, keys);
            tileMultiply(keys.count, s.headDim, queries.count, {t.scores, kBlock}, doutRows,
                rowsOf(drows.values, drows.stride, keys.row), add);
            tileMultiply(keys.count, s.headDim, queries.count, {t.dscores, kBlock}, queryRows,
                rowsOf(drows.keys, drows.stride, keys.row), add);
            tileTranspose(keys.count, queries.count, {t.dscores, kBlock}, {t.dscoresTransposed, kBlock});
            tileMultiply(queries.count, s.headDim, keys.count, {t.dscoresTransposed, kBlock}, keyRows,
                rowsOf(g.dqkv + queryOffset(s, head), s.stride(), queries.row), begun);
            begun = true;
        }
    }
}

} // namespace

void flashAttention(
    const QkvShape &shape, const float *qkv, float *out, float *lse, const RankKeys &keys, bool continues)
{
    const std::int64_t heads = shape.batch * shape.heads, blocks = queryBlocks(shape);
    // The last block of queries attends to the most keys, so it is started first.
    parallelForUneven(heads * blocks, [&](std::int64_t i) {
        const HeadIndex head = headIndex(shape, i % heads);
        forwardBlock(shape, head, queryBlock(shape, blocks - 1 - i / heads), qkv, attendedKeys(shape, head, qkv, keys),
            out, lse, continues);
    });
}

void flashAttentionBackward(const QkvShape &shape, const FlashGradient &gradient)
{
    const std::int64_t group = queriesPerKey(shape);
    parallelForUneven(shape.batch * shape.kvHeads, [&](std::int64_t i) {
        for (std::int64_t q = 0; q < group; ++q)
            backwardHead(shape, {i / shape.kvHeads, i % shape.kvHeads * group + q}, q == 0, gradient);
    });
}

void packKeys(const QkvShape &shape, const float *qkv, float *keys)
{
    const std::int64_t width = 2 * shape.kvHeads * shape.headDim;
    tileCopy(shape.batch * shape.seq, width, {qkv + shape.outStride(), shape.stride()}, {keys, width});
}

void unpackKeys(const QkvShape &shape, const float *keys, float *qkv)
{
    const std::int64_t width = 2 * shape.kvHeads * shape.headDim;
    tileCopy(shape.batch * shape.seq, width, {keys, width}, {qkv + shape.outStride(), shape.stride()});
}

} // namespace slipway::cpu_ops
