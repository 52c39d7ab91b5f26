// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/curve.h"

#include <cassert>

namespace slipway {

RunningMean RunningMeans::after(RunningMean mean, const Column &values, std::size_t from, std::size_t end)
{
    values.forEach(from, end, [&mean](double value) {
        if (std::isfinite(value))
            mean.take(value);
    });
    return mean;
}

double RunningMeans::at(const Column &values, std::size_t i)
{
    if (m_states.empty())
        m_states.emplace_back(m_halfLife);
    while (m_states.size() * kStride <= i) {
        const std::size_t next = m_states.size() * kStride;
        m_states.push_back(after(m_states.back(), values, next - kStride, next));
    }
    return after(m_states[i / kStride], values, i / kStride * kStride, i).add(values[i]);
}

void RunningMeans::fill(std::span<EnvelopeBucket> buckets, const Column &values)
{
    for (EnvelopeBucket &bucket : buckets) {
        if (bucket.points > 0)
            bucket.mean = at(values, static_cast<std::size_t>(bucket.x));
    }
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

std::vector<EnvelopeBucket> PlainCurve::buckets(std::size_t most, const CurveRange &shown, double halfLife) const
{
    RunningMeans means(halfLife);
    return envelope(m_x, m_y, most, shown.from, shown.to, halfLife > 0 ? &means : nullptr);
}

std::optional<CurvePoint> PlainCurve::nearest(double x, double halfLife) const
{
    if (m_x.empty())
        return std::nullopt;
    const std::size_t i = nearestIndex(m_x, x);
    return CurvePoint{
        m_x[i], m_y[i], halfLife > 0 ? std::optional(RunningMeans(halfLife).at(m_y.values(), i)) : std::nullopt};
}

} // namespace slipway
