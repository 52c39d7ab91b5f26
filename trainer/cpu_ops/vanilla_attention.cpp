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

// The keys that a block of queries attends to. Rows of scores have one column per token of the sequence.
struct AttendedKeys {
    AttendedKeys(const QkvShape &s, HeadIndex at, const TokenRange &block)
        : head(at),
          queries(block),
          blocks(attendedBlocks(s, at, block)),
          columns(s.shard.whole(s.seq))
    {
    }
    template<typename Visit>
    void forEachBlock(const QkvShape &s, const Visit &visit) const
    {
        for (std::int64_t block = blocks.first; block <= blocks.last; ++block)
            visit(keyBlock(s, head, block, kAllRanks), block > blocks.first);
    }

    HeadIndex head;
    TokenRange queries;
    AttendedBlocks blocks;
    std::int64_t columns;
};

// out[queries, keys] = rows keysOrValues^T for a block of keys.
void multiplyTransposed(const QkvShape &s, const AttendedKeys &seen, const TokenRange &keys, Tile rows,
    const float *keysOrValues, std::int64_t stride, TileOut out)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * s.headDim);
    tileTranspose(keys.count, s.headDim, rowsOf(keysOrValues, stride, keys.row), {transposed, kBlock});
    tileMultiply(seen.queries.count, keys.count, s.headDim, rows, {transposed, kBlock}, out, false);
}

KeyRows<const float> attendedKeys(const QkvShape &s, HeadIndex head, const float *qkv, const float *allKeys)
{
    return allKeys ? keysOfRanks(s, head, allKeys, kAllRanks) : keysOf(s, head, qkv);
}

void forwardBlock(const QkvShape &s, const AttendedKeys &seen, const float *qkv, const KeyRows<const float> &keyRows,
    float *probabilities, float *out)
{
    const HeadIndex head = seen.head;
    const TokenRange &queries = seen.queries;
    float *rows = probabilities + (rowOffset(s, head) + queries.row) * seen.columns;
    const Tile query = rowsOf(qkv + queryOffset(s, head), s.stride(), queries.row);
    seen.forEachBlock(s, [&](const TokenRange &keys, bool) {
        multiplyTransposed(s, seen, keys, query, keyRows.keys, keyRows.stride, {rows + keys.position, seen.columns});
    });
    const bool changed = changesScores(s);
    const ScoreChange change = scoreChange(s, head);
    for (std::int64_t i = 0; i < queries.count; ++i) {
        const std::int64_t position = queries.position + i, first = s.firstKey(head.batch, position);
        float *const row = rows + i * seen.columns;
        if (changed)
            changeScores(position + 1 - first, change, {position - first, -1}, row + first);
        softmaxRow(first, position + 1, seen.columns, changed ? 1.0f : change.scale, row);
    }
    seen.forEachBlock(s, [&](const TokenRange &keys, bool add) {
        tileMultiply(queries.count, s.headDim, keys.count, {rows + keys.position, seen.columns},
            rowsOf(keyRows.values, keyRows.stride, keys.row),
            rowsOf(out + outOffset(s, head), s.outStride(), queries.row), add);
    });
}

// Adds the contribution of a block of queries to the gradients of its keys or values: their[keys] +=
// probabilitiesOrScores^T rows.
void addToKeys(const QkvShape &s, const AttendedKeys &seen, bool firstOfGroup, Tile weights, Tile rows, float *their,
    std::int64_t stride)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * kBlock);
    seen.forEachBlock(s, [&](const TokenRange &keys, bool) {
        tileTranspose(
            seen.queries.count, keys.count, {weights.data + keys.position, weights.stride}, {transposed, kBlock});
        tileMultiply(keys.count, s.headDim, seen.queries.count, {transposed, kBlock}, rows,
            rowsOf(their, stride, keys.row), !firstOfGroup || !contributesFirst(s, seen.queries, keys));
    });
}

// The scores are not kept, so they are recomputed.
void softCapGradients(
    const QkvShape &s, const AttendedKeys &seen, const float *qkv, const KeyRows<const float> &keyRows, float *dscores)
{
    thread_local ThreadScratch scratch;
    float *const scores = scratch.get(kBlock * kBlock);
    const ScoreChange change = scoreChange(s, seen.head);
    const Tile query = rowsOf(qkv + queryOffset(s, seen.head), s.stride(), seen.queries.row);
    seen.forEachBlock(s, [&](const TokenRange &keys, bool) {
        multiplyTransposed(s, seen, keys, query, keyRows.keys, keyRows.stride, {scores, kBlock});
        for (std::int64_t i = 0; i < seen.queries.count; ++i)
            softCapGradient(keys.count, change, scores + i * kBlock, dscores + i * seen.columns + keys.position);
    });
}

void backwardBlock(const QkvShape &s, const AttendedKeys &seen, bool firstOfGroup, const VanillaGradient &g)
{
    const HeadIndex head = seen.head;
    const TokenRange &queries = seen.queries;
    const KeyRows<const float> keyRows = attendedKeys(s, head, g.qkv, g.allKeys);
    const KeyRows<float> drows = g.allKeys ? keysOfRanks(s, head, g.allDkeys, kAllRanks) : keysOf(s, head, g.dqkv);
    const std::int64_t row = (rowOffset(s, head) + queries.row) * seen.columns;
    const Tile dout = rowsOf(g.dout + outOffset(s, head), s.outStride(), queries.row);
    const Tile probabilities{g.probabilities + row, seen.columns};
    float *const dscores = g.dscores + row;
    seen.forEachBlock(s, [&](const TokenRange &keys, bool) {
        multiplyTransposed(
            s, seen, keys, dout, keyRows.values, keyRows.stride, {dscores + keys.position, seen.columns});
    });
    for (std::int64_t i = 0; i < queries.count; ++i)
        gradientRow(s.firstKey(head.batch, queries.position + i), queries.position + i + 1, seen.columns, scoreScale(s),
            probabilities.data + i * seen.columns, dscores + i * seen.columns);
    if (s.softCap != 0.0f)
        softCapGradients(s, seen, g.qkv, keyRows, dscores);

    const Tile query = rowsOf(g.qkv + queryOffset(s, head), s.stride(), queries.row);
    addToKeys(s, seen, firstOfGroup, probabilities, dout, drows.values, drows.stride);
    addToKeys(s, seen, firstOfGroup, {dscores, seen.columns}, query, drows.keys, drows.stride);
    seen.forEachBlock(s, [&](const TokenRange &keys, bool add) {
        tileMultiply(queries.count, s.headDim, keys.count, {dscores + keys.position, seen.columns},
            rowsOf(keyRows.keys, keyRows.stride, keys.row),
            rowsOf(g.dqkv + queryOffset(s, head), s.stride(), queries.row), add);
    });
}

} // namespace

void vanillaAttention(const QkvShape &shape, const float *qkv, float *probabilities, float *out, const float *allKeys)
{
    const std::int64_t heads = shape.batch * shape.heads, blocks = queryBlocks(shape);
    parallelForUneven(heads * blocks, [&](std::int64_t i) {
        const HeadIndex head = headIndex(shape, i % heads);
        forwardBlock(shape, {shape, head, queryBlock(shape, blocks - 1 - i / heads)}, qkv,
            attendedKeys(shape, head, qkv, allKeys), probabilities, out);
    });
}

void vanillaAttentionBackward(const QkvShape &shape, const VanillaGradient &gradient)
{
    const std::int64_t group = queriesPerKey(shape);
    parallelForUneven(shape.batch * shape.kvHeads, [&](std::int64_t i) {
        for (std::int64_t q = 0; q < group; ++q) {
            const HeadIndex head{i / shape.kvHeads, i % shape.kvHeads * group + q};
            if (gradient.allKeys && q == 0)
                zeroKeys(shape, head, keysOfRanks(shape, head, gradient.allDkeys, kAllRanks));
            for (std::int64_t block = 0; block < queryBlocks(shape); ++block)
                backwardBlock(shape, {shape, head, queryBlock(shape, block)}, q == 0, gradient);
        }
    });
}

} // namespace slipway::cpu_ops
