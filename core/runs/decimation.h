// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reduces a million points to a few thousand without hiding a spike. Buckets are 2^k wide and begin at multiples of
// their width, so that a curve does not flicker as points arrive.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slipway {

struct EnvelopeBucket {
    double x = 0; // x of the last finite point
    double last = 0;
    double min = 0, max = 0;
    std::int64_t points = 0;    // number of finite points
    std::int64_t notFinite = 0; // number of NaN and infinite points, which are drawn as a gap in the line
    std::optional<double> mean; // moving average at x, if it was requested and a point is finite
    bool operator==(const EnvelopeBucket &) const = default;
};

// Reduces the points with from <= x <= to to about `most` buckets or fewer; x is ascending and as long as y. Buckets
// without points are left out. A bucket without a finite point has points == 0 and the x of its first point.
std::vector<EnvelopeBucket> envelope(
    std::span<const double> x, std::span<const double> y, std::size_t most, double from, double to);
std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most);

// The first index in [begin, end) with x >= `at`, or with x > `at` for the second function. `x` is read as x[i] and
// ascending.
template<typename X>
std::size_t firstNotBelow(const X &x, std::size_t begin, std::size_t end, double at)
{
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (x[middle] < at)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
template<typename X>
std::size_t firstAbove(const X &x, std::size_t begin, std::size_t end, double at)
{
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (at < x[middle])
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

// The smallest power of two for which the range has at most `most` buckets. It is below one if the values of x are
// finer than whole steps.
double envelopeBucketWidth(double range, std::size_t most);

// Calls take(first, end) for the points of each bucket of from <= x <= to, in order.
template<typename X, typename Take>
void forEachBucket(const X &x, std::size_t most, double from, double to, Take take)
{
    const std::size_t first = firstNotBelow(x, 0, x.size(), from), end = firstAbove(x, first, x.size(), to);
    if (first >= end)
        return;
    const double width = envelopeBucketWidth(x[end - 1] - x[first], most);
    for (std::size_t at = first; at < end;) {
        const double next = (std::floor(x[at] / width) + 1) * width; // first x after the bucket
        // Most buckets have about the same number of points, so the search begins near the previous end.
        std::size_t step = 1, below = at;
        while (below + step < end && x[below + step] < next) {
            below += step;
            step *= 2;
        }
        const std::size_t until = std::max(firstNotBelow(x, below, std::min(below + step, end), next), at + 1);
        take(at, until);
        at = until;
    }
}

} // namespace slipway
