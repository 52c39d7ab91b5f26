// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A million points as a few thousand, without hiding a spike. Buckets are 2^k wide and begin at multiples of their width,
// so that a curve does not shimmer as points arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slipway {

struct EnvelopeBucket {
    double x = 0;     // of the last finite point
    double last = 0;
    double min = 0, max = 0;
    std::int64_t points = 0;     // finite ones
    std::int64_t notFinite = 0;  // NaN and infinities: a gap in the line, never dropped unseen
    bool operator==(const EnvelopeBucket &) const = default;
};

// The points with from <= x <= to, in at most about `most` buckets; x rises, both spans are as long. A bucket without
// points is left out; one that has no finite point has points == 0 and x at its first point.
std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most, double from, double to);
std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most);

// The least power of two that cuts the range into at most `most` buckets. Below one where x is finer than whole steps.
double envelopeBucketWidth(double range, std::size_t most);

} // namespace slipway
