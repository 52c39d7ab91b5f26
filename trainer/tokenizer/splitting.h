// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How matches, and the text between them, become pieces. The names are those of the package `tokenizers`.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace slipway {

enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
template<>
struct EnumNames<SplitBehavior> {
    static constexpr std::array<std::string_view, 5> names{
        "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
};

// A part of a text: a match, or the text between two matches.
struct SplitPart {
    std::size_t begin = 0, end = 0;
    bool match = false;
};

// `parts` must cover the text without gaps. Afterwards they are the resulting pieces.
inline void applyBehavior(SplitBehavior behavior, std::vector<SplitPart> &parts)
{
    std::vector<SplitPart> kept;
    bool previous = false; // whether the previous part, or for MergedWithNext the next one, is a match
    const auto add = [&](const SplitPart &part, bool joins) {
        if (joins && !kept.empty()) {
            kept.back().begin = std::min(kept.back().begin, part.begin);
            kept.back().end = std::max(kept.back().end, part.end);
        } else {
            kept.push_back(part);
        }
        previous = part.match;
    };
    switch (behavior) {
    case SplitBehavior::Isolated:
        return;
    case SplitBehavior::Removed:
        std::erase_if(parts, [](const SplitPart &part) { return part.match; });
        return;
    case SplitBehavior::Contiguous:
        for (const SplitPart &part : parts)
            add(part, part.match == previous);
        break;
    case SplitBehavior::MergedWithPrevious:
        for (const SplitPart &part : parts)
            add(part, part.match && !previous);
        break;
    case SplitBehavior::MergedWithNext:
        std::for_each(parts.rbegin(), parts.rend(), [&](const SplitPart &part) { add(part, part.match && !previous); });
        std::reverse(kept.begin(), kept.end());
        break;
    }
    parts = std::move(kept);
}

} // namespace slipway
