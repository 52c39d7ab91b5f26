// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The boundaries of separate documents in a batch, as the ops of a device read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace slipway {

// The documents of a micro-batch. Sequences are concatenated, and a document ends at the end of its sequence.
struct DocumentTable {
    std::span<const std::int32_t> positions = {}; // [tokens]: position of each token in its document
    std::span<const std::int32_t> bounds =
        {};                   // [documents + 1]: the first token of each, then the number of tokens (cu_seqlens)
    std::int32_t longest = 0; // tokens of the longest document
};

// The tables of a step's micro-batches of `tokens` tokens each. `starts`: where in its sequence each token's document
// begins; empty: each sequence is one document. The tables are views of the caller's memory: `positions` needs one
// element per token, `bounds` one per token and one more per micro-batch.
std::vector<DocumentTable> documentTables(std::span<const std::int32_t> starts, std::int64_t tokens, std::int64_t seq,
    std::span<std::int32_t> positions, std::span<std::int32_t> bounds);

} // namespace slipway
