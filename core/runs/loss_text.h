// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Formats losses and similar values for people. The sign of NaN is left out, because the C library prints "-nan" as
// often as "nan".
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace slipway {

// "4.1235", "NaN", "infinite", "-infinite"; all digits if `decimals` < 0.
inline std::string lossText(double value, int decimals = 4)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "infinite" : "-infinite";
    return decimals < 0 ? fmt::format("{}", value) : fmt::format("{:.{}f}", value, decimals);
}

} // namespace slipway
