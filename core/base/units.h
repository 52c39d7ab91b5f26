// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Names for the quantities that cross module boundaries. The unit of a value is part of its type or of its name.
#pragma once

#include <cstdint>

namespace slipway {

using Bytes = std::int64_t; // binary units: 1 GiB = 2^30
using Tokens = std::int64_t;
using Flops = double; // a number of floating-point operations, never a rate
using Seconds = double;
using Usd = double;

inline constexpr Bytes kKiB = Bytes{1} << 10;
inline constexpr Bytes kMiB = Bytes{1} << 20;
inline constexpr Bytes kGiB = Bytes{1} << 30;

constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t multiple)
{
    return ceilDiv(value, multiple) * multiple;
}

} // namespace slipway
