// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Preconditions of messages between two ranks, for any transport. Each function throws std::logic_error if one does not
// hold, as this is a bug of the caller. Sizes are in bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace slipway {

// `other` must be a different one of `ranks` ranks. `verb` ("send to") is for the message.
void requirePeer(const char *verb, int rank, int other, int ranks);

// `from` and `to` are global ranks.
void requireSameSize(int from, std::size_t sent, int to, std::size_t expected);

// Offsets of each rank's range in a buffer, and its end. There must be one size per rank, and they must add up to
// `total`, if it is given. `what` ("sent") names the buffer in messages.
std::vector<std::size_t> partOffsets(
    std::span<const std::size_t> sizes, int ranks, const char *what, std::optional<std::size_t> total = std::nullopt);

} // namespace slipway
