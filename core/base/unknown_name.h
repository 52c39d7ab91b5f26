// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The one way to refuse a name that nobody knows: flags, commands, keys, presets, cards, columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipway {

// "unknown GPU 'h10'; did you mean h100? (accepted: ...)". `where` is the flag or the file's line; `accepted` is left
// out of the message where it is empty, and by default it is all that is known.
Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where,
    std::string accepted);
Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where);

// An enum's names, as `unknownName` takes them.
template<typename Names>
std::vector<std::string> namesOf(const Names &names)
{
    return {std::begin(names), std::end(names)};
}

} // namespace slipway
