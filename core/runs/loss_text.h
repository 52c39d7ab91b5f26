// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Losses and their like as people read them. One that went wrong says so: the C library would write "-nan" as often as
// "nan".
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace slipway {

// "4.1235", "NaN", "infinite", "-infinite"; with `decimals` < 0 all digits.
inline std::string lossText(double value, int decimals = 4)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "infinite" : "-infinite";
    return decimals < 0 ? fmt::format("{}", value) : fmt::format("{:.{}f}", value, decimals);
}

} // namespace slipway
