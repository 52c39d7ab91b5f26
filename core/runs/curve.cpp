// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/curve.h"

#include <cassert>

namespace slipway {

double RunningMean::add(double value)
{
    if (!std::isfinite(value))
        return value;
    m_sum = m_keep * m_sum + (1.0 - m_keep) * value;
    m_weight = m_keep * m_weight + (1.0 - m_keep);
    return m_sum / m_weight;
}

PlainCurve::PlainCurve(std::vector<double> x, std::span<const double> y) : m_x(std::move(x))
{
    assert(m_x.size() == y.size());
    for (const double value : y)
        m_y.append(value);
}

std::optional<CurveRange> PlainCurve::range() const
{
    return m_x.empty() ? std::nullopt : std::optional(CurveRange{m_x.front(), m_x.back()});
}

const Pyramid &PlainCurve::mean(double halfLife) const
{
    if (halfLife != m_halfLife || m_mean.size() != m_y.size()) {
        m_mean = {};
        m_halfLife = halfLife;
        RunningMean running(halfLife);
        for (std::size_t i = 0; i < m_y.size(); ++i)
            m_mean.append(running.add(m_y[i]));
    }
    return m_mean;
}

std::vector<EnvelopeBucket> PlainCurve::buckets(std::size_t most, const CurveRange &shown, double halfLife) const
{
    return envelope(m_x, halfLife > 0 ? mean(halfLife) : m_y, most, shown.from, shown.to);
}

std::optional<CurvePoint> PlainCurve::nearest(double x, double halfLife) const
{
    if (m_x.empty())
        return std::nullopt;
    const std::size_t i = nearestIndex(m_x, x);
    return CurvePoint{m_x[i], m_y[i], halfLife > 0 ? std::optional(mean(halfLife)[i]) : std::nullopt};
}

} // namespace slipway
