// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace slipway {

// Empty if there are no values. Of an even number of values, the mean of the middle two. No value may be NaN.
inline std::optional<double> median(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The value below which this fraction of the values lies: always one of the values. Reorders them. `fraction` is less
// than 1, and there is at least one value.
inline double quantileOf(std::span<double> values, double fraction)
{
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size()));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace slipway
