// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "cpu_ops/attention.h"
#include "cpu_ops/attention_heads.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/scores.h"
#include "cpu_ops/scratch.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

SLIPWAY_SIMD void softmaxRow(std::int64_t first, std::int64_t valid, std::int64_t columns, float scale, float *scores)
{
    float largest = scores[first] * scale;
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
    const float factor = 1.0f / sum;
#pragma omp simd
    for (std::int64_t j = first; j < valid; ++j)
        scores[j] *= factor;
    for (std::int64_t j = 0; j < first; ++j)
        scores[j] = 0;
    for (std::int64_t j = valid; j < columns; ++j)
        scores[j] = 0;
}

// In: dprobabilities. Out: dscores.
SLIPWAY_SIMD void gradientRow(std::int64_t first, std::int64_t valid, std::int64_t columns, float scale,
    const float *probabilities, float *dscores)
{
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t j = first; j < valid; ++j)
        dot += probabilities[j] * dscores[j];
#pragma omp simd
    for (std::int64_t j = first; j < valid; ++j)
        dscores[j] = probabilities[j] * (dscores[j] - dot) * scale;
    for (std::int64_t j = 0; j < first; ++j)
        dscores[j] = 0;
    for (std::int64_t j = valid; j < columns; ++j)
        dscores[j] = 0;
}

// What a block of queries looks at: the keys from the block of the first one that any of them sees.
struct Seen {
    Seen(const QkvShape &s, HeadIndex head, std::int64_t start)
        : queryStart(start),
          queries(std::min(kBlock, s.seq - start)),
          begin(firstKeyBlock(s, head, start)),
          end(start + queries)
    {
    }
    [[nodiscard]] std::int64_t keysFrom(std::int64_t start) const { return std::min(kBlock, end - start); }

    std::int64_t queryStart, queries, begin, end;
};

// out[queries, keys] = rows keysOrValues^T for the block of keys from `start` on.
void multiplyTransposed(
    const QkvShape &s, const Seen &seen, std::int64_t start, Tile rows, const float *keysOrValues, TileOut out)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * s.headDim);
    const std::int64_t keys = seen.keysFrom(start);
    tileTranspose(keys, s.headDim, rowsOf(keysOrValues, s.stride(), start), {transposed, kBlock});
    tileMultiply(seen.queries, keys, s.headDim, rows, {transposed, kBlock}, out, false);
}

void forwardBlock(
    const QkvShape &s, HeadIndex head, std::int64_t queryStart, const float *qkv, float *probabilities, float *out)
{
    const Seen seen(s, head, queryStart);
    float *rows = probabilities + (rowOffset(s, head) + queryStart) * s.seq;
    const Tile query = rowsOf(qkv + queryOffset(s, head), s.stride(), queryStart);
    for (std::int64_t start = seen.begin; start < seen.end; start += kBlock)
        multiplyTransposed(s, seen, start, query, qkv + keyOffset(s, head), {rows + start, s.seq});
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    for (std::int64_t i = 0; i < seen.queries; ++i) {
        const std::int64_t position = queryStart + i, first = s.firstKey(head.batch, position);
        float *const row = rows + i * s.seq;
        if (changed)
            changeScores(position + 1 - first, change, {position - first, -1}, row + first);
        softmaxRow(first, position + 1, s.seq, changed ? 1.0f : change.scale, row);
    }
    tileMultiply(seen.queries, s.headDim, seen.end - seen.begin, {rows + seen.begin, s.seq},
        rowsOf(qkv + valueOffset(s, head), s.stride(), seen.begin),
        rowsOf(out + outOffset(s, head), s.outStride(), queryStart), false);
}

// What a block of queries adds to the keys and values it saw: their[keys] += probabilitiesOrScores^T rows.
void addToKeys(const QkvShape &s, const Seen &seen, Tile weights, Tile rows, float *their, std::int64_t addedUntil)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * kBlock);
    for (std::int64_t start = seen.begin; start < seen.end; start += kBlock) {
        const std::int64_t keys = seen.keysFrom(start);
        tileTranspose(seen.queries, keys, {weights.data + start, weights.stride}, {transposed, kBlock});
        tileMultiply(keys, s.headDim, seen.queries, {transposed, kBlock}, rows, rowsOf(their, s.stride(), start),
            start < addedUntil);
    }
}

// The scores themselves are not kept: their products are computed again.
void softCapGradients(const QkvShape &s, HeadIndex head, const Seen &seen, const VanillaGradient &g, float *dscores)
{
    thread_local ThreadScratch scratch;
    float *const scores = scratch.get(kBlock * kBlock);
    const ScoreChange change = scoreChange(s, head);
    const Tile query = rowsOf(g.qkv + queryOffset(s, head), s.stride(), seen.queryStart);
    for (std::int64_t start = seen.begin; start < seen.end; start += kBlock) {
        multiplyTransposed(s, seen, start, query, g.qkv + keyOffset(s, head), {scores, kBlock});
        for (std::int64_t i = 0; i < seen.queries; ++i)
            softCapGradient(seen.keysFrom(start), change, scores + i * kBlock, dscores + i * s.seq + start);
    }
}

void backwardBlock(
    const QkvShape &s, HeadIndex head, bool firstOfGroup, std::int64_t queryStart, const VanillaGradient &g)
{
    const Seen seen(s, head, queryStart);
    const std::int64_t row = (rowOffset(s, head) + queryStart) * s.seq;
    const Tile dout = rowsOf(g.dout + outOffset(s, head), s.outStride(), queryStart);
    const Tile probabilities{g.probabilities + row, s.seq};
    float *const dscores = g.dscores + row;
    for (std::int64_t start = seen.begin; start < seen.end; start += kBlock)
        multiplyTransposed(s, seen, start, dout, g.qkv + valueOffset(s, head), {dscores + start, s.seq});
    for (std::int64_t i = 0; i < seen.queries; ++i)
        gradientRow(s.firstKey(head.batch, queryStart + i), queryStart + i + 1, s.seq, scoreScale(s),
            probabilities.data + i * s.seq, dscores + i * s.seq);
    if (s.softCap != 0.0f)
        softCapGradients(s, head, seen, g, dscores);

    const std::int64_t addedUntil = firstOfGroup ? queryStart : s.seq; // keys from there on meet their first queries
    const Tile query = rowsOf(g.qkv + queryOffset(s, head), s.stride(), queryStart);
    addToKeys(s, seen, probabilities, dout, g.dqkv + valueOffset(s, head), addedUntil);
    addToKeys(s, seen, {dscores, s.seq}, query, g.dqkv + keyOffset(s, head), addedUntil);
    tileMultiply(seen.queries, s.headDim, seen.end - seen.begin, {dscores + seen.begin, s.seq},
        rowsOf(g.qkv + keyOffset(s, head), s.stride(), seen.begin),
        rowsOf(g.dqkv + queryOffset(s, head), s.stride(), queryStart), false);
}

} // namespace

void vanillaAttention(const QkvShape &shape, const float *qkv, float *probabilities, float *out)
{
    const std::int64_t heads = shape.batch * shape.heads, blocks = ceilDiv(shape.seq, kBlock);
    parallelForUneven(heads * blocks, [&](std::int64_t i) {
        forwardBlock(shape, headIndex(shape, i % heads), (blocks - 1 - i / heads) * kBlock, qkv, probabilities, out);
    });
}

void vanillaAttentionBackward(const QkvShape &shape, const VanillaGradient &gradient)
{
    const std::int64_t group = queriesPerKey(shape);
    parallelForUneven(shape.batch * shape.kvHeads, [&](std::int64_t i) {
        for (std::int64_t q = 0; q < group; ++q) {
            for (std::int64_t start = 0; start < shape.seq; start += kBlock)
                backwardBlock(shape, {i / shape.kvHeads, i % shape.kvHeads * group + q}, q == 0, start, gradient);
        }
    });
}

} // namespace slipway::cpu_ops
