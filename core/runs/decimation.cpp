// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/decimation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace slipway {

namespace {

void add(EnvelopeBucket &bucket, double x, double y)
{
    if (!std::isfinite(y)) {
        ++bucket.notFinite;
        return;
    }
    bucket.min = bucket.points == 0 ? y : std::min(bucket.min, y);
    bucket.max = bucket.points == 0 ? y : std::max(bucket.max, y);
    bucket.x = x;
    bucket.last = y;
    ++bucket.points;
}

} // namespace

double envelopeBucketWidth(double range, std::size_t most)
{
    if (!(range > 0) || most == 0)
        return 1;
    return std::exp2(std::ceil(std::log2(range / static_cast<double>(most))));
}

std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most, double from, double to)
{
    assert(x.size() == y.size());
    const auto first = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), from) - x.begin());
    const auto end = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), to) - x.begin());
    std::vector<EnvelopeBucket> buckets;
    if (first >= end)
        return buckets;
    const double width = envelopeBucketWidth(x[end - 1] - x[first], most);
    buckets.reserve(std::min(most + 2, end - first));
    double next = -std::numeric_limits<double>::infinity(); // first x beyond the bucket being filled
    for (std::size_t i = first; i < end; ++i) {
        if (buckets.empty() || x[i] >= next) {
            next = (std::floor(x[i] / width) + 1) * width;
            buckets.push_back({.x = x[i]});
        }
        add(buckets.back(), x[i], y[i]);
    }
    return buckets;
}

std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most)
{
    if (x.empty())
        return {};
    return envelope(x, y, most, x.front(), x.back());
}

} // namespace slipway
