// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

namespace slipway {

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), which maps nearby numbers to values that are far apart.
constexpr std::uint64_t splitMix64(std::uint64_t x)
{
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

} // namespace slipway
