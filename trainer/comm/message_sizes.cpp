// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/message_sizes.h"

#include <stdexcept>
#include <string>

namespace slipway {

void requirePeer(const char *verb, int rank, int other, int ranks)
{
    if (other != rank && other >= 0 && other < ranks)
        return;
    throw std::logic_error("rank " + std::to_string(rank) + " cannot " + verb + " rank " + std::to_string(other) +
                           ": it needs another rank from 0 to " + std::to_string(ranks - 1));
}

void requireSameSize(int from, std::size_t sent, int to, std::size_t expected)
{
    if (sent != expected)
        throw std::logic_error("rank " + std::to_string(from) + " sent " + std::to_string(sent) + " bytes, but rank " +
                               std::to_string(to) + " expects " + std::to_string(expected) + " bytes of it");
}

std::vector<std::size_t> partOffsets(
    std::span<const std::size_t> sizes, int ranks, const char *what, std::optional<std::size_t> total)
{
    if (sizes.size() != static_cast<std::size_t>(ranks))
        throw std::logic_error(std::string("what is ") + what + " has sizes for " + std::to_string(sizes.size()) +
                               " ranks: it needs one for each of " + std::to_string(ranks));
    std::vector<std::size_t> offsets{0};
    for (const std::size_t size : sizes)
        offsets.push_back(offsets.back() + size);
    if (total && offsets.back() != *total)
        throw std::logic_error(std::string("the parts that are ") + what + " have " + std::to_string(offsets.back()) +
                               " bytes together, but the buffer has " + std::to_string(*total));
    return offsets;
}

} // namespace slipway
