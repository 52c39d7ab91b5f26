// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tables of commands on a terminal show only the first rows of a large result.
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace slipway::cli {

inline constexpr std::size_t kRowsShown = 60;

// The line below a table of which rows are missing; empty if all are shown.
inline std::string hiddenRowsText(std::size_t all)
{
    return all > kRowsShown ? fmt::format("... {} of {} rows; --csv or --json writes all\n", kRowsShown, all)
                            : std::string();
}

} // namespace slipway::cli
