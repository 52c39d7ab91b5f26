// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The error for an unknown name of a flag, command, key, preset, GPU or column.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipway {

// "unknown GPU 'h10'; did you mean h100? (accepted: ...)". `where` is the flag or the line of the file. An empty
// `accepted` is left out of the message; by default it lists all known names.
Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where,
    std::string accepted);
Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where);

// At most `most` candidates that nearestName() would give, the nearest first.
std::vector<std::string> nearestNames(
    std::string_view name, std::span<const std::string> candidates, std::size_t most = std::string_view::npos);

// The names of an enum as a list for `unknownName`.
template<typename Names>
std::vector<std::string> namesOf(const Names &names)
{
    return {std::begin(names), std::end(names)};
}

} // namespace slipway
