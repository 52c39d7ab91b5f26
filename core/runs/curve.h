// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The data of a chart: a quantity over an ascending x, of any length, which is reduced to an envelope for the visible
// range.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "runs/pyramid.h"

namespace slipway {

struct CurvePoint {
    double x = 0, y = 0;
    std::optional<double> smoothed;
};

struct CurveRange {
    double from = 0, to = 0;
    bool operator==(const CurveRange &) const = default;
};

// An exponential moving average with bias correction at the start; the weight of a value is halved after `halfLife`
// values. Values that are not finite are not averaged and are returned unchanged.
class RunningMean {
public:
    explicit RunningMean(double halfLife) : m_keep(halfLife > 0 ? std::exp2(-1.0 / halfLife) : 0.0) {}
    double add(double value)
    {
        if (!std::isfinite(value))
            return value;
        take(value);
        return m_sum / m_weight;
    }
    void take(double value) // `value` must be finite
    {
        m_sum = m_keep * m_sum + (1.0 - m_keep) * value;
        m_weight = m_keep * m_weight + (1.0 - m_keep);
    }

private:
    double m_keep, m_sum = 0, m_weight = 0;
};

// The moving averages of a growing column. They are not stored but recomputed from the nearest stored state before
// them; there is one state per several hundred values, because a chart requests only a few hundred of a million
// averages.
class RunningMeans {
public:
    explicit RunningMeans(double halfLife) : m_halfLife(halfLife) {}

    [[nodiscard]] double halfLife() const { return m_halfLife; }
    [[nodiscard]] double at(const Column &values, std::size_t i);
    void truncate(std::size_t size)
    {
        m_states.resize(std::min(m_states.size(), size / kStride + 1), RunningMean(m_halfLife));
    }
    // Sets the means of buckets whose x are indices of values.
    void fill(std::span<EnvelopeBucket> buckets, const Column &values);

private:
    static constexpr std::size_t kStride = 256;
    static RunningMean after(RunningMean mean, const Column &values, std::size_t from, std::size_t end);

    double m_halfLife;
    std::vector<RunningMean> m_states; // before the values 0, kStride, 2 kStride and so on
};

class Curve {
public:
    virtual ~Curve() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::optional<CurveRange> range() const = 0; // empty: there are no points
    // halfLife 0: the buckets have no means.
    [[nodiscard]] virtual std::vector<EnvelopeBucket> buckets(
        std::size_t most, const CurveRange &shown, double halfLife) const = 0;
    [[nodiscard]] virtual std::optional<CurvePoint> nearest(double x, double halfLife) const = 0;
};

// A curve over given values.
class PlainCurve final : public Curve {
public:
    PlainCurve(std::vector<double> x, std::span<const double> y); // of equal length

    [[nodiscard]] std::size_t size() const override { return m_x.size(); }
    [[nodiscard]] std::optional<CurveRange> range() const override;
    [[nodiscard]] std::vector<EnvelopeBucket> buckets(
        std::size_t most, const CurveRange &shown, double halfLife) const override;
    [[nodiscard]] std::optional<CurvePoint> nearest(double x, double halfLife) const override;

private:
    std::vector<double> m_x;
    Pyramid m_y;
};

// Returns the same buckets as envelope(x, values, most, from, to), with identical values; the buckets have means if
// these are requested.
template<typename X>
std::vector<EnvelopeBucket> envelope(
    const X &x, const Pyramid &values, std::size_t most, double from, double to, RunningMeans *means = nullptr)
{
    std::vector<EnvelopeBucket> buckets;
    forEachBucket(
        x, most, from, to, [&](std::size_t first, std::size_t end) { buckets.push_back(values.over(first, end)); });
    if (means)
        means->fill(buckets, values.values());
    for (EnvelopeBucket &bucket : buckets)
        bucket.x = x[static_cast<std::size_t>(bucket.x)];
    return buckets;
}

// The index of the value of the ascending `x` that is nearest to `at`; x must not be empty.
template<typename X>
std::size_t nearestIndex(const X &x, double at)
{
    const std::size_t i = firstNotBelow(x, 0, x.size(), at);
    return i > 0 && (i == x.size() || at - x[i - 1] < x[i] - at) ? i - 1 : i;
}

} // namespace slipway
