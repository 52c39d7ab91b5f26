// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parallel loops over the threads of LibTorch's OpenMP pool. Results do not depend on the number of threads, so that
// they are bitwise reproducible on any number of cores.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <omp.h>

#include "base/units.h"

namespace slipway::cpu_ops {

// Calls body(i) for each i < count. Each thread gets consecutive values of i.
template<typename Body>
void parallelFor(std::int64_t count, const Body &body)
{
#pragma omp parallel for schedule(static) if (count > 1)
    for (std::int64_t i = 0; i < count; ++i)
        body(i);
}

// The same with dynamic scheduling, for calls of unequal cost.
template<typename Body>
void parallelForUneven(std::int64_t count, const Body &body)
{
#pragma omp parallel for schedule(dynamic) if (count > 1)
    for (std::int64_t i = 0; i < count; ++i)
        body(i);
}

// Calls body(begin, end) for ranges of at most `grain` elements that cover [0, count).
template<typename Body>
void parallelRanges(std::int64_t count, std::int64_t grain, const Body &body)
{
    parallelFor(ceilDiv(count, grain), [&](std::int64_t i) { body(i * grain, std::min(count, (i + 1) * grain)); });
}

// Grains of ops on rows of a model's width and of ops on separate elements.
inline constexpr std::int64_t kRowGrain = 16, kElementGrain = 16384;

// Sums are computed from at most this many partial sums over fixed ranges, which are added in order.
inline constexpr std::int64_t kPieces = 64;

template<typename Sum = double, typename PieceSum> // Sum(begin, end)
Sum parallelSum(std::int64_t count, const PieceSum &pieceSum)
{
    std::array<Sum, kPieces> sums{};
    const std::int64_t grain = std::max<std::int64_t>(1, ceilDiv(count, kPieces));
    parallelRanges(count, grain, [&](std::int64_t begin, std::int64_t end) {
        sums[static_cast<std::size_t>(begin / grain)] = pieceSum(begin, end);
    });
    Sum sum{};
    for (const Sum &piece : sums)
        sum += piece;
    return sum;
}

} // namespace slipway::cpu_ops
