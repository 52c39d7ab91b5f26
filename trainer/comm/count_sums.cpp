// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/count_sums.h"

#include <vector>

namespace slipway {

void sumCounts(Communicator &communicator, std::span<std::int64_t> counts)
{
    std::vector<std::int64_t> all(counts.size() * static_cast<std::size_t>(communicator.size()));
    communicator.allGather(std::as_bytes(counts), std::as_writable_bytes(std::span(all)));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] = 0;
        for (std::size_t at = i; at < all.size(); at += counts.size())
            counts[i] += all[at];
    }
}

} // namespace slipway
