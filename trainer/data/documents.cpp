// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/documents.h"

namespace slipway {

void separateDocuments(const DocumentMarks &marks, std::span<const std::int32_t> tokens,
    std::span<std::int32_t> targets, std::span<std::int32_t> starts)
{
    const auto begins = [&marks](std::int32_t before, std::int32_t id) {
        return (marks.begin >= 0 && id == marks.begin) || (marks.end >= 0 && before == marks.end);
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i == 0)
            starts[i] = 0;
        else
            starts[i] = begins(tokens[i - 1], tokens[i]) ? static_cast<std::int32_t>(i) : starts[i - 1];
        if (begins(tokens[i], targets[i]))
            targets[i] = -1;
    }
}

} // namespace slipway
