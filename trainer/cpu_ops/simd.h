// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Support for plain loops that the compiler vectorizes, and math functions that can be vectorized.
#pragma once

#include <bit>
#include <cstdint>

// Compiles a function once per level of x86-64. The loader chooses at program start, before a sanitizer's runtime is
// ready.
#if defined(__x86_64__) && !defined(SLIPWAY_SANITIZED)
#define SLIPWAY_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SLIPWAY_SIMD
#endif

namespace slipway::cpu_ops {

// The number of floats in a vector of AVX-512. Sums in few_rows.h and paged_attention.h have so many
// partial sums on every CPU.
inline constexpr std::int64_t kLanes = 16;

// e^x within 2 units in the last place for x in [-87, 88]; clamped outside. Cody and Waite's reduction x = n ln 2 + r,
// then a polynomial for e^r on [-ln2/2, ln2/2] (coefficients of Cephes' expf), then n goes into the exponent.
[[gnu::always_inline]] inline float fastExp(float x)
{
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    constexpr float kRound = 12582912.0f; // 1.5 x 2^23: adding and subtracting it rounds to an integer
    const float shifted = x * 1.44269504088896341f + kRound;
    const float n = shifted - kRound;
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    // n stands in the low bits of `shifted`. Converting the float would be undefined for a NaN.
    const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRound) + 127)
                                   << 23;
    return p * std::bit_cast<float>(exponent);
}

// tanh x within 3 units in the last place. For small arguments, Cephes' tanhf, an odd polynomial, keeps the precision.
[[gnu::always_inline]] inline float fastTanh(float x)
{
    const float size = x < 0.0f ? -x : x, square = x * x;
    float p = -5.70498872745e-3f;
    p = p * square + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    const float near = x + x * square * p, far = 1.0f - 2.0f / (fastExp(2.0f * size) + 1.0f);
    return size < 0.625f ? near : (x < 0.0f ? -far : far);
}

} // namespace slipway::cpu_ops
