// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway {

// The hash of a key in a table with open addressing, whose low bits select a slot.
inline std::size_t fibonacciHash(std::uint64_t key)
{
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U);
}

} // namespace slipway
