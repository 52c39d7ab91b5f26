// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What must hold of messages between two ranks, whatever carries them. Each function throws std::logic_error where it
// does not: the caller has a bug. Sizes are in bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace slipway {

// `verb` ("send to") says what `rank` does with `other`, which must be another of `ranks` ranks.
void requirePeer(const char *verb, int rank, int other, int ranks);

// Both ranks as the world counts them.
void requireSameSize(int from, std::size_t sent, int to, std::size_t expected);

// Where each rank's part begins in a buffer, and the end of the last one. There must be a size for each of `ranks`
// ranks, and together they must fill the buffer where its `total` is known. `what` ("sent") names it.
std::vector<std::size_t> partOffsets(
    std::span<const std::size_t> sizes, int ranks, const char *what, std::optional<std::size_t> total = std::nullopt);

} // namespace slipway
