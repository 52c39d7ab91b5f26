// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Conversion to and from fp8 by definition: E4M3 without infinities, and E5M2 (Micikevicius et al. 2022, arXiv
// 2209.05433).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace slipway::fused_ops {

struct Fp8Format {
    int mantissa = 3, bias = 7;
    float largest = 448;
};
inline constexpr Fp8Format kE4m3{}, kE5m2{.mantissa = 2, .bias = 15, .largest = 57344};

// Rounds to nearest, ties to even, and saturates. NaN stays NaN.
inline std::uint8_t toFp8(float value, Fp8Format format)
{
    const unsigned sign = std::signbit(value) ? 0x80U : 0U;
    if (std::isnan(value))
        return static_cast<std::uint8_t>(sign | 0x7fU);
    const float size = std::min(std::abs(value), format.largest);
    if (size == 0)
        return static_cast<std::uint8_t>(sign);
    int exponent = std::max(std::ilogb(size), 1 - format.bias);
    int steps = static_cast<int>(std::nearbyint(std::ldexp(size, format.mantissa - exponent)));
    const int whole = 1 << format.mantissa; // lower limit for the mantissa of a normal number
    if (steps == 2 * whole) {
        ++exponent;
        steps = whole;
    }
    const int bits = steps < whole ? steps : (exponent + format.bias) * whole + steps - whole;
    return static_cast<std::uint8_t>(sign | static_cast<unsigned>(bits));
}

inline float fromFp8(std::uint8_t bits, Fp8Format format)
{
    const int size = bits & 0x7f, whole = 1 << format.mantissa, exponent = size / whole, steps = size % whole;
    if (format.mantissa == 3 ? size == 0x7f : size > 0x7c)
        return std::numeric_limits<float>::quiet_NaN();
    if (format.mantissa == 2 && size == 0x7c)
        return std::copysign(std::numeric_limits<float>::infinity(), (bits & 0x80U) != 0 ? -1.0f : 1.0f);
    const float value = exponent == 0
                            ? std::ldexp(static_cast<float>(steps), 1 - format.bias - format.mantissa)
                            : std::ldexp(static_cast<float>(whole + steps), exponent - format.bias - format.mantissa);
    return (bits & 0x80U) != 0 ? -value : value;
}

} // namespace slipway::fused_ops
