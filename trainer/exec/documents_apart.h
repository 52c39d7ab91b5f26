// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where documents lie that are kept apart, as the ops of a device read it: tables that come with the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace slipway {

// Of a micro-batch, int32. Sequences follow each other, and a document ends with its sequence.
struct DocumentTable {
    std::span<const std::int32_t> positions = {}; // [tokens]: of each in its document
    std::span<const std::int32_t> bounds =
        {};                   // [documents + 1]: the first token of each, then how many tokens there are
    std::int32_t longest = 0; // tokens of a document, at most
};

// Of a step's micro-batches, `tokens` each; in memory that the caller has, which outlives them. `starts`: where in its
// sequence each token's document begins; empty: each sequence is one document. `positions` takes a number for each
// token, `bounds` one more for each micro-batch.
std::vector<DocumentTable> documentTables(std::span<const std::int32_t> starts, std::int64_t tokens, std::int64_t seq,
    std::span<std::int32_t> positions, std::span<std::int32_t> bounds);

} // namespace slipway
