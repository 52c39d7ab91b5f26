// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/document_tables.h"

#include <algorithm>

namespace slipway {
namespace {

DocumentTable tableOf(std::span<const std::int32_t> starts, std::int64_t seq, std::span<std::int32_t> positions,
    std::span<std::int32_t> bounds)
{
    std::size_t documents = 0;
    std::int32_t longest = 0;
    const auto close = [&](std::int32_t end) {
        longest = documents > 0 ? std::max(longest, end - bounds[documents - 1]) : longest;
        bounds[documents] = end;
    };
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto place = static_cast<std::int32_t>(static_cast<std::int64_t>(i) % seq);
        positions[i] = place - (starts.empty() ? 0 : starts[i]);
        if (positions[i] == 0) {
            close(static_cast<std::int32_t>(i));
            ++documents;
        }
    }
    close(static_cast<std::int32_t>(positions.size()));
    return {positions, bounds.first(documents + 1), longest};
}

} // namespace

std::vector<DocumentTable> documentTables(std::span<const std::int32_t> starts, std::int64_t tokens, std::int64_t seq,
    std::span<std::int32_t> positions, std::span<std::int32_t> bounds)
{
    std::vector<DocumentTable> tables;
    const auto count = static_cast<std::size_t>(tokens);
    for (std::size_t first = 0; first < positions.size(); first += count)
        tables.push_back(tableOf(starts.empty() ? starts : starts.subspan(first, count), seq,
            positions.subspan(first, count), bounds.subspan(first + tables.size(), count + 1)));
    return tables;
}

} // namespace slipway
