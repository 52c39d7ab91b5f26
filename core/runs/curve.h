// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a chart draws: a quantity over a rising x, of any length, read as an envelope over the range that is shown.
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

// An exponential moving average that starts unbiased: the weight of a value is halved after `halfLife` values. What is
// not finite does not enter it, and is passed on as it is.
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
    void take(double value) // a finite one
    {
        m_sum = m_keep * m_sum + (1.0 - m_keep) * value;
        m_weight = m_keep * m_weight + (1.0 - m_keep);
    }

private:
    double m_keep, m_sum = 0, m_weight = 0;
};

// The running means of a growing column. They are not kept but made again from the nearest state before them, of which
// there is one for every few hundred values: a chart asks for a few hundred of a million.
class RunningMeans {
public:
    explicit RunningMeans(double halfLife) : m_halfLife(halfLife) {}

    [[nodiscard]] double halfLife() const { return m_halfLife; }
    [[nodiscard]] double at(const Column &values, std::size_t i);
    void truncate(std::size_t size)
    {
        m_states.resize(std::min(m_states.size(), size / kStride + 1), RunningMean(m_halfLife));
    }
    // Of buckets whose x are still indices of values.
    void fill(std::span<EnvelopeBucket> buckets, const Column &values);

private:
    static constexpr std::size_t kStride = 256;
    static RunningMean after(RunningMean mean, const Column &values, std::size_t from, std::size_t end);

    double m_halfLife;
    std::vector<RunningMean> m_states; // before the values 0, kStride, 2 kStride ...
};

class Curve {
public:
    virtual ~Curve() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::optional<CurveRange> range() const = 0; // empty: no points
    // halfLife 0: without means.
    [[nodiscard]] virtual std::vector<EnvelopeBucket> buckets(
        std::size_t most, const CurveRange &shown, double halfLife) const = 0;
    [[nodiscard]] virtual std::optional<CurvePoint> nearest(double x, double halfLife) const = 0;
};

// A curve of given values.
class PlainCurve final : public Curve {
public:
    PlainCurve(std::vector<double> x, std::span<const double> y); // as long as each other

    [[nodiscard]] std::size_t size() const override { return m_x.size(); }
    [[nodiscard]] std::optional<CurveRange> range() const override;
    [[nodiscard]] std::vector<EnvelopeBucket> buckets(
        std::size_t most, const CurveRange &shown, double halfLife) const override;
    [[nodiscard]] std::optional<CurvePoint> nearest(double x, double halfLife) const override;

private:
    std::vector<double> m_x;
    Pyramid m_y;
};

// The same buckets as envelope(x, values, most, from, to), value for value; with means where they are asked for.
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

// Index of the value of rising `x` that is nearest to `at`; x is not empty.
template<typename X>
std::size_t nearestIndex(const X &x, double at)
{
    const std::size_t i = firstNotBelow(x, 0, x.size(), at);
    return i > 0 && (i == x.size() || at - x[i - 1] < x[i] - at) ? i - 1 : i;
}

} // namespace slipway
