// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Internal to attention with context parallelism: the chunks of keys and values [ranks, batch, seq, 2 kvHeads, headDim]
// in the order of their positions.
#pragma once

#include <vector>

#include <ATen/ops/cat.h>

#include "aten_ops/split_attention.h"

namespace slipway::aten_ops {

inline at::Tensor keyChunk(const SplitSequence &sequence, const at::Tensor &keys, std::int64_t chunk)
{
    const std::int64_t length = keys.size(2) / 2, owner = sequence.shard.ownerOf(chunk);
    return keys.select(0, sequence.keysOf == kAllRanks ? owner : 0)
        .narrow(1, chunk < sequence.shard.ranks ? 0 : length, length);
}

// Consecutive chunks [batch, tokens, 2 kvHeads, headDim]; a copy, unless there is only one.
inline at::Tensor keysInOrder(
    const SplitSequence &sequence, const at::Tensor &keys, std::int64_t first, std::int64_t chunks)
{
    if (chunks == 1)
        return keyChunk(sequence, keys, first);
    std::vector<at::Tensor> parts;
    for (std::int64_t chunk = first; chunk < first + chunks; ++chunk)
        parts.push_back(keyChunk(sequence, keys, chunk));
    return at::cat(parts, 1);
}

inline at::Tensor keysOf(const at::Tensor &rows) { return rows.narrow(2, 0, rows.size(2) / 2); }
inline at::Tensor valuesOf(const at::Tensor &rows) { return rows.narrow(2, rows.size(2) / 2, rows.size(2) / 2); }

// Adds gradients of consecutive chunks [batch, tokens, kvHeads, headDim] to `dkeys`.
inline void addKeys(const SplitSequence &sequence, const at::Tensor &dk, const at::Tensor &dv, std::int64_t first,
    const at::Tensor &dkeys)
{
    const std::int64_t length = dkeys.size(2) / 2;
    for (std::int64_t at = 0; at < dk.size(1); at += length) {
        const at::Tensor to = keyChunk(sequence, dkeys, first + at / length);
        keysOf(to).add_(dk.narrow(1, at, length));
        valuesOf(to).add_(dv.narrow(1, at, length));
    }
}

} // namespace slipway::aten_ops
