// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/split_attention.h"

#include <algorithm>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/logaddexp.h>

#include "aten_ops/block_attention.h"
#include "aten_ops/flash_calls.h"
#include "aten_ops/split_keys.h"
#include "aten_ops/statistics.h"

namespace slipway::aten_ops {
namespace {

// Consecutive chunks of keys that a chunk of queries attends to in one call.
struct Piece {
    std::int64_t firstChunk = 0, chunks = 1;
    std::int64_t rows = 0;       // queries, from the first of their chunk, that attend to one of these keys
    std::int64_t firstQuery = 0; // position of the first query, relative to the first key
    bool seesAll = false;        // each query attends to all of these keys
};

// The pieces of chunk number `chunk` of the queries. The first one of a chunk's own rank has a key for each query.
std::vector<Piece> piecesOf(const SplitSequence &sequence, std::int64_t chunk, std::int64_t length, std::int64_t window)
{
    if (sequence.keysOf == kAllRanks) {
        const std::int64_t first = window > 0 ? std::max<std::int64_t>(0, chunk * length - window + 1) / length : 0;
        return {{first, chunk - first + 1, length, (chunk - first) * length, false}};
    }
    std::vector<Piece> pieces;
    for (const std::int64_t number : {2 * sequence.shard.ranks - 1 - sequence.keysOf, std::int64_t{sequence.keysOf}}) {
        const std::int64_t distance = (chunk - number) * length;
        const std::int64_t rows = window > 0 ? std::min(length, window + length - 1 - distance) : length;
        if (number <= chunk && rows > 0)
            pieces.push_back(
                {number, 1, rows, distance, number < chunk && (window == 0 || distance + length <= window)});
    }
    return pieces;
}

// A rank has two chunks of queries.
constexpr int kHalves = 2;
std::int64_t chunkOf(const SplitSequence &sequence, int half)
{
    return half == 0 ? sequence.shard.place : 2 * sequence.shard.ranks - 1 - sequence.shard.place;
}
// The first `rows` tokens of a rank's chunk in [batch, seq, ...].
at::Tensor rowsOfHalf(const at::Tensor &tokens, int half, std::int64_t rows)
{
    return tokens.narrow(1, half * (tokens.size(1) / kHalves), rows);
}
at::Tensor statisticsOfHalf(const at::Tensor &lse, int half, std::int64_t rows)
{
    return lse.narrow(2, half * (lse.size(2) / kHalves), rows);
}

struct Call {
    Piece piece;
    FlashKernel kernel;
    Keys keys;
    AttentionOptions options;
};

// LibTorch's kernels have a causal mask that ends at the last key; on the CPU it needs as many keys as queries.
Call callOf(FlashKernel usual, const Piece &piece, std::int64_t keys, AttentionOptions options)
{
    const bool ends = piece.firstQuery + piece.rows == keys;
    if (piece.seesAll)
        options.window = 0;
    FlashKernel kernel = flashKernelFor(usual == FlashKernel::Cudnn ? FlashKernel::Gpu : usual, options);
    const bool causal = kernel == FlashKernel::Gpu ? ends : ends && piece.firstQuery == 0;
    if (!piece.seesAll && !causal)
        kernel = FlashKernel::Blocks;
    return {piece, kernel, piece.seesAll ? Keys::All : Keys::UpToQuery, std::move(options)};
}

FlashResult forwardOf(const Call &call, const HeadOperands &in)
{
    if (call.kernel == FlashKernel::Gpu)
        return gpuFlash(in, call.keys, call.options);
    if (call.kernel == FlashKernel::Processor)
        return cpuFlash(in, call.keys, call.options);
    const FlashResult result{at::empty(in.q.sizes(), in.q.options().dtype(at::kFloat)),
        at::empty({in.q.size(0), in.q.size(2), in.q.size(1)}, in.q.options().dtype(at::kFloat))};
    blocksForward(in, call.piece.firstQuery, result.out, result.lse, call.options);
    return result;
}

HeadGradients backwardOf(const Call &call, const BackwardInput &in)
{
    if (call.kernel == FlashKernel::Gpu)
        return gpuFlashBackward(in, call.keys, call.options);
    if (call.kernel == FlashKernel::Processor)
        return cpuFlashBackward(in, call.keys, call.options);
    const auto like = [](const at::Tensor &heads) {
        return at::empty(heads.sizes(), heads.options().dtype(at::kFloat));
    };
    const HeadGradients gradients{like(in.q), like(in.k), like(in.v)};
    blocksBackward(in, call.piece.firstQuery, gradients, call.options);
    return gradients;
}

// The factor of each row of an output whose log-sum-exp is `part`.
at::Tensor shareOf(const at::Tensor &part, const at::Tensor &all)
{
    return part.sub(all).exp_().transpose(1, 2).unsqueeze(3);
}

void merge(const FlashResult &more, at::Tensor out, at::Tensor lse)
{
    const at::Tensor all = at::logaddexp(lse, more.lse);
    out.copy_(out.mul(shareOf(lse, all)).add_(more.out.mul(shareOf(more.lse, all))));
    lse.copy_(all);
}

// Calls run(half, call, keys, values, first of this half) for each piece of this rank's queries.
template<typename Run>
void forEachPiece(FlashKernel usual, const SplitSequence &sequence, const at::Tensor &keys,
    const AttentionOptions &options, const Run &run)
{
    const std::int64_t length = keys.size(2) / kHalves;
    for (int half = 0; half < kHalves; ++half) {
        bool first = true;
        for (const Piece &piece : piecesOf(sequence, chunkOf(sequence, half), length, options.window)) {
            const at::Tensor rows = keysInOrder(sequence, keys, piece.firstChunk, piece.chunks);
            run(half, callOf(usual, piece, rows.size(1), options), keysOf(rows), valuesOf(rows), first);
            first = false;
        }
    }
}

} // namespace

void splitAttention(FlashKernel usual, const SplitSequence &sequence, const at::Tensor &qkv, const at::Tensor &keys,
    const at::Tensor &out, const at::Tensor &lse, bool continues, const AttentionOptions &options)
{
    const at::Tensor queries = qkv.narrow(2, 0, out.size(2));
    forEachPiece(usual, sequence, keys, options,
        [&](int half, const Call &call, const at::Tensor &k, const at::Tensor &v, bool first) {
            const std::int64_t rows = call.piece.rows;
            const FlashResult result = forwardOf(call, {rowsOfHalf(queries, half, rows), k, v});
            at::Tensor to = rowsOfHalf(out, half, rows), toLse = statisticsOfHalf(lse, half, rows);
            if (!first || continues)
                return merge(result, to, toLse);
            to.copy_(result.out);
            copyLogSumExp(result.lse, toLse);
        });
}

// With the log-sum-exp and the output for all keys, the backward pass of a part of the keys gives their part of the
// gradients (Dao 2023, section 3.1.2).
void splitAttentionBackward(FlashKernel usual, const SplitSequence &sequence, const SplitGradient &g)
{
    const std::int64_t heads = g.out.size(2);
    const at::Tensor queries = g.qkv.narrow(2, 0, heads), dqueries = g.dqkv.narrow(2, 0, heads);
    g.dkeys.zero_();
    if (!g.continues)
        dqueries.zero_();
    forEachPiece(usual, sequence, g.keys, g.options,
        [&](int half, const Call &call, const at::Tensor &k, const at::Tensor &v, bool) {
            const std::int64_t rows = call.piece.rows;
            const HeadGradients gradients =
                backwardOf(call, {rowsOfHalf(g.dout, half, rows), rowsOfHalf(queries, half, rows), k, v,
                                     rowsOfHalf(g.out, half, rows), statisticsOfHalf(g.lse, half, rows).contiguous()});
            rowsOfHalf(dqueries, half, rows).add_(gradients.q);
            addKeys(sequence, gradients.k, gradients.v, call.piece.firstChunk, g.dkeys);
        });
}

} // namespace slipway::aten_ops
