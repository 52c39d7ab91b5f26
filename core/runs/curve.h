// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a chart draws: a quantity over a rising x, of any length, read as an envelope over the range that is shown.
#pragma once

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
    double add(double value);

private:
    double m_keep, m_sum = 0, m_weight = 0;
};

class Curve {
public:
    virtual ~Curve() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::optional<CurveRange> range() const = 0; // empty: no points
    // halfLife 0: the values themselves.
    [[nodiscard]] virtual std::vector<EnvelopeBucket> buckets(std::size_t most, const CurveRange &shown, double halfLife) const = 0;
    [[nodiscard]] virtual std::optional<CurvePoint> nearest(double x, double halfLife) const = 0;
};

// A curve of given values.
class PlainCurve final : public Curve {
public:
    PlainCurve(std::vector<double> x, std::span<const double> y); // as long as each other

    [[nodiscard]] std::size_t size() const override { return m_x.size(); }
    [[nodiscard]] std::optional<CurveRange> range() const override;
    [[nodiscard]] std::vector<EnvelopeBucket> buckets(std::size_t most, const CurveRange &shown, double halfLife) const override;
    [[nodiscard]] std::optional<CurvePoint> nearest(double x, double halfLife) const override;

private:
    [[nodiscard]] const Pyramid &mean(double halfLife) const;

    std::vector<double> m_x;
    Pyramid m_y;
    mutable Pyramid m_mean; // of m_halfLife, made when it is asked for
    mutable double m_halfLife = 0;
};

// Index of the value of rising `x` that is nearest to `at`; x is not empty.
template<typename X>
std::size_t nearestIndex(const X &x, double at)
{
    const std::size_t i = firstNotBelow(x, 0, x.size(), at);
    return i > 0 && (i == x.size() || at - x[i - 1] < x[i] - at) ? i - 1 : i;
}

} // namespace slipway
