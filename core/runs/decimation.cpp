// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/decimation.h"

#include <cassert>
#include <cmath>

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

std::vector<EnvelopeBucket> envelope(
    std::span<const double> x, std::span<const double> y, std::size_t most, double from, double to)
{
    assert(x.size() == y.size());
    std::vector<EnvelopeBucket> buckets;
    forEachBucket(x, most, from, to, [&](std::size_t first, std::size_t end) {
        EnvelopeBucket &bucket = buckets.emplace_back(EnvelopeBucket{.x = x[first]});
        for (std::size_t i = first; i < end; ++i)
            add(bucket, x[i], y[i]);
    });
    return buckets;
}

std::vector<EnvelopeBucket> envelope(std::span<const double> x, std::span<const double> y, std::size_t most)
{
    if (x.empty())
        return {};
    return envelope(x, y, most, x.front(), x.back());
}

} // namespace slipway
