// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <array>

#include "cpu_ops/attention.h"
#include "cpu_ops/attention_heads.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/scores.h"
#include "cpu_ops/scratch.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

// What a row of queries knows after the blocks of keys so far.
struct RunningRow {
    float largest, sum;
};

// Turns the scaled scores [first, valid) of a row into exponentials against the new maximum, the rest into zeros;
// returns what the row's output so far is to be multiplied by.
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

SLIPWAY_SIMD void multiplyRow(std::int64_t width, float factor, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] *= factor;
}

SLIPWAY_SIMD float dotRow(std::int64_t width, const float *a, const float *b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += a[j] * b[j];
    return sum;
}

void forwardBlock(const QkvShape &s, HeadIndex head, std::int64_t queryStart, const float *qkv, float *out, float *lse)
{
    thread_local ThreadScratch scratch;
    float *const keysTransposed = scratch.get(kBlock * (s.headDim + kBlock));
    float *const scores = keysTransposed + kBlock * s.headDim;
    const float *query = qkv + queryOffset(s, head), *key = qkv + keyOffset(s, head),
                *value = qkv + valueOffset(s, head);
    float *result = out + outOffset(s, head) + queryStart * s.outStride();
    const std::int64_t queries = std::min(kBlock, s.seq - queryStart);
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    std::array<RunningRow, kBlock> rows;
    rows.fill({-3e38f, 0.0f});

    const std::int64_t firstBlock = firstKeyBlock(s, head, queryStart);
    for (std::int64_t keyStart = firstBlock; keyStart < queryStart + queries; keyStart += kBlock) {
        const std::int64_t keys = std::min(kBlock, s.seq - keyStart);
        tileTranspose(keys, s.headDim, rowsOf(key, s.stride(), keyStart), {keysTransposed, kBlock});
        tileMultiply(queries, keys, s.headDim, rowsOf(query, s.stride(), queryStart), {keysTransposed, kBlock},
            {scores, kBlock}, false);
        for (std::int64_t i = 0; i < queries; ++i) {
            const std::int64_t valid = std::min(keys, queryStart + i + 1 - keyStart);
            const std::int64_t first =
                std::clamp<std::int64_t>(s.firstKey(head.batch, queryStart + i) - keyStart, 0, valid);
            float *const row = scores + i * kBlock;
            if (changed)
                changeScores(valid - first, change, {queryStart + i - keyStart - first, -1}, row + first);
            const float keep =
                softmaxStep(first, valid, keys, changed ? 1.0f : change.scale, row, rows[static_cast<std::size_t>(i)]);
            if (keyStart > firstBlock)
                multiplyRow(s.headDim, keep, result + i * s.outStride());
        }
        tileMultiply(queries, s.headDim, keys, {scores, kBlock}, rowsOf(value, s.stride(), keyStart),
            {result, s.outStride()}, keyStart > firstBlock);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
        const RunningRow row = rows[static_cast<std::size_t>(i)];
        multiplyRow(s.headDim, 1.0f / row.sum, result + i * s.outStride());
        lse[rowOffset(s, head) + queryStart + i] = row.largest + std::log(row.sum);
    }
}

void zeroOutside(std::int64_t columns, std::int64_t firstValid, std::int64_t endValid, float *scores, float *dscores)
{
    for (std::int64_t c = 0; c < firstValid; ++c)
        scores[c] = dscores[c] = 0;
    for (std::int64_t c = endValid; c < columns; ++c)
        scores[c] = dscores[c] = 0;
}

// Row r of a block is a key, column c a query. In: scores (unscaled) and dprobabilities. Out: probabilities and
// dscores.
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

// A block of scores, keys by queries.
struct Block {
    std::int64_t queryStart, queries, keyStart, keys;
};

// Queries of a block, from its start, that still see the key.
std::int64_t endOfSeeing(const QkvShape &s, HeadIndex head, const Block &block, std::int64_t key)
{
    std::int64_t end = block.queries;
    while (end > 0 && s.firstKey(head.batch, block.queryStart + end - 1) > key)
        --end;
    return end;
}

// In: scores and dprobabilities. Out: probabilities and dscores.
void gradientBlock(
    const QkvShape &s, HeadIndex head, const Block &block, const FlashGradient &g, float *scores, float *dscores)
{
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    const std::int64_t at = rowOffset(s, head) + block.queryStart;
    for (std::int64_t r = 0; r < block.keys; ++r) {
        const std::int64_t key = block.keyStart + r, end = endOfSeeing(s, head, block, key);
        const std::int64_t first = std::clamp<std::int64_t>(key - block.queryStart, 0, end);
        float *const row = scores + r * kBlock, *const drow = dscores + r * kBlock;
        if (changed) {
            changedScoresGradient(end - first, change, {block.queryStart + first - key, 1},
                {g.lse + at + first, g.delta + at + first, row + first, drow + first});
            zeroOutside(block.queries, first, end, row, drow);
        } else {
            zeroOutside(block.queries, first, end, row, drow);
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

// Blocks are computed keys by queries, so that probabilities and dscores are what dv and dk multiply from the left.
void backwardHead(const QkvShape &s, HeadIndex head, bool firstOfGroup, const FlashGradient &g)
{
    const BackwardScratch t(s);
    const float *query = g.qkv + queryOffset(s, head), *key = g.qkv + keyOffset(s, head),
                *value = g.qkv + valueOffset(s, head);
    const float *dout = g.dout + outOffset(s, head);
    float *dquery = g.dqkv + queryOffset(s, head), *dkey = g.dqkv + keyOffset(s, head),
          *dvalue = g.dqkv + valueOffset(s, head);
    const std::int64_t stride = s.stride();
    computeDelta(s, head, g);

    for (std::int64_t queryStart = 0; queryStart < s.seq; queryStart += kBlock) {
        const std::int64_t queries = std::min(kBlock, s.seq - queryStart);
        const Tile doutRows = rowsOf(dout, s.outStride(), queryStart), queryRows = rowsOf(query, stride, queryStart);
        tileTranspose(queries, s.headDim, queryRows, {t.queriesTransposed, kBlock});
        tileTranspose(queries, s.headDim, doutRows, {t.doutTransposed, kBlock});
        const std::int64_t firstBlock = firstKeyBlock(s, head, queryStart);
        for (std::int64_t keyStart = firstBlock; keyStart <= queryStart; keyStart += kBlock) {
            const std::int64_t keys = std::min(kBlock, s.seq - keyStart);
            const Tile keyRows = rowsOf(key, stride, keyStart);
            tileMultiply(keys, queries, s.headDim, keyRows, {t.queriesTransposed, kBlock}, {t.scores, kBlock}, false);
            tileMultiply(keys, queries, s.headDim, rowsOf(value, stride, keyStart), {t.doutTransposed, kBlock},
                {t.dscores, kBlock}, false);
            gradientBlock(s, head, {queryStart, queries, keyStart, keys}, g, t.scores, t.dscores);
            const bool add =
                !firstOfGroup || keyStart < queryStart; // a block of keys meets the queries of its own place first
            tileMultiply(keys, s.headDim, queries, {t.scores, kBlock}, doutRows, rowsOf(dvalue, stride, keyStart), add);
            tileMultiply(keys, s.headDim, queries, {t.dscores, kBlock}, queryRows, rowsOf(dkey, stride, keyStart), add);
            tileTranspose(keys, queries, {t.dscores, kBlock}, {t.dscoresTransposed, kBlock});
            tileMultiply(queries, s.headDim, keys, {t.dscoresTransposed, kBlock}, keyRows,
                rowsOf(dquery, stride, queryStart), keyStart > firstBlock);
        }
    }
}

} // namespace

void flashAttention(const QkvShape &shape, const float *qkv, float *out, float *lse)
{
    const std::int64_t heads = shape.batch * shape.heads, blocks = ceilDiv(shape.seq, kBlock);
    // The last block of queries has the most keys: it goes first.
    parallelForUneven(heads * blocks, [&](std::int64_t i) {
        forwardBlock(shape, headIndex(shape, i % heads), (blocks - 1 - i / heads) * kBlock, qkv, out, lse);
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

} // namespace slipway::cpu_ops
