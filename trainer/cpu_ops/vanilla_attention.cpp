// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "cpu_ops/attention.h"
#include "cpu_ops/attention_heads.h"
#include "cpu_ops/parallel.h"
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
SLIPWAY_SIMD void gradientRow(
    std::int64_t valid, std::int64_t columns, float scale, const float *probabilities, float *dscores)
{
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t j = 0; j < valid; ++j)
        dot += probabilities[j] * dscores[j];
#pragma omp simd
    for (std::int64_t j = 0; j < valid; ++j)
        dscores[j] = probabilities[j] * (dscores[j] - dot) * scale;
    for (std::int64_t j = valid; j < columns; ++j)
        dscores[j] = 0;
}

// out[queries, keys so far] = rows keysOrValues^T, block by block.
void multiplyTransposed(
    const QkvShape &s, std::int64_t queries, std::int64_t seen, Tile rows, const float *keysOrValues, TileOut out)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * s.headDim);
    for (std::int64_t start = 0; start < seen; start += kBlock) {
        const std::int64_t keys = std::min(kBlock, seen - start);
        tileTranspose(keys, s.headDim, rowsOf(keysOrValues, s.stride(), start), {transposed, kBlock});
        tileMultiply(queries, keys, s.headDim, rows, {transposed, kBlock}, {out.data + start, out.stride}, false);
    }
}

void forwardBlock(
    const QkvShape &s, HeadIndex head, std::int64_t queryStart, const float *qkv, float *probabilities, float *out)
{
    const std::int64_t queries = std::min(kBlock, s.seq - queryStart), seen = queryStart + queries;
    float *rows = probabilities + (rowOffset(s, head) + queryStart) * s.seq;
    multiplyTransposed(s, queries, seen, rowsOf(qkv + queryOffset(s, head), s.stride(), queryStart),
        qkv + keyOffset(s, head), {rows, s.seq});
    for (std::int64_t i = 0; i < queries; ++i)
        softmaxRow(
            s.documentStart(head.batch, queryStart + i), queryStart + i + 1, s.seq, scoreScale(s), rows + i * s.seq);
    tileMultiply(queries, s.headDim, seen, {rows, s.seq}, {qkv + valueOffset(s, head), s.stride()},
        rowsOf(out + outOffset(s, head), s.outStride(), queryStart), false);
}

// What a block of queries adds to the keys and values it saw: their[keys] += probabilitiesOrScores^T rows.
void addToKeys(const QkvShape &s, std::int64_t queries, std::int64_t seen, Tile weights, Tile rows, float *their,
    std::int64_t addedUntil)
{
    thread_local ThreadScratch scratch;
    float *const transposed = scratch.get(kBlock * kBlock);
    for (std::int64_t start = 0; start < seen; start += kBlock) {
        const std::int64_t keys = std::min(kBlock, seen - start);
        tileTranspose(queries, keys, {weights.data + start, weights.stride}, {transposed, kBlock});
        tileMultiply(
            keys, s.headDim, queries, {transposed, kBlock}, rows, rowsOf(their, s.stride(), start), start < addedUntil);
    }
}

void backwardBlock(
    const QkvShape &s, HeadIndex head, bool firstOfGroup, std::int64_t queryStart, const VanillaGradient &g)
{
    const std::int64_t queries = std::min(kBlock, s.seq - queryStart), seen = queryStart + queries;
    const std::int64_t row = (rowOffset(s, head) + queryStart) * s.seq;
    const Tile dout = rowsOf(g.dout + outOffset(s, head), s.outStride(), queryStart);
    const Tile probabilities{g.probabilities + row, s.seq};
    float *const dscores = g.dscores + row;
    multiplyTransposed(s, queries, seen, dout, g.qkv + valueOffset(s, head), {dscores, s.seq});
    for (std::int64_t i = 0; i < queries; ++i)
        gradientRow(queryStart + i + 1, s.seq, scoreScale(s), probabilities.data + i * s.seq, dscores + i * s.seq);

    const std::int64_t addedUntil = firstOfGroup ? queryStart : s.seq; // keys from there on meet their first queries
    const Tile query = rowsOf(g.qkv + queryOffset(s, head), s.stride(), queryStart);
    addToKeys(s, queries, seen, probabilities, dout, g.dqkv + valueOffset(s, head), addedUntil);
    addToKeys(s, queries, seen, {dscores, s.seq}, query, g.dqkv + keyOffset(s, head), addedUntil);
    tileMultiply(queries, s.headDim, seen, {dscores, s.seq}, {g.qkv + keyOffset(s, head), s.stride()},
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
