// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/errors.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

// Interpolates linearly between the two nearest values.
double quantile(const std::vector<double> &sorted, double part)
{
    if (sorted.empty())
        return 0;
    const double at = part * double(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double next = sorted[std::min(below + 1, sorted.size() - 1)];
    return sorted[below] + (at - double(below)) * (next - sorted[below]);
}

} // namespace

void Errors::add(const std::string &id, double measured, const PredictedFigure &predicted)
{
    const double error = predicted.value / measured - 1;
    ++m_summary.rows;
    m_summary.inRange += measured >= predicted.p10 && measured <= predicted.p90;
    m_summary.meanAbsolute += std::abs(error);
    m_summary.bias += error;
    if (predicted.value > 0)
        m_residuals.push_back(measured / predicted.value);
    if (std::abs(error) >= std::abs(m_summary.largest)) {
        m_summary.largest = error;
        m_summary.worstId = id;
    }
}

ErrorSummary Errors::of(std::string by, std::string value, std::string metric) const
{
    ErrorSummary s = m_summary;
    s.by = std::move(by);
    s.value = std::move(value);
    s.metric = std::move(metric);
    s.meanAbsolute /= std::max(1, s.rows);
    s.bias /= std::max(1, s.rows);
    s.inRange /= std::max(1, s.rows);
    std::vector<double> sorted = m_residuals;
    std::sort(sorted.begin(), sorted.end());
    s.p10 = quantile(sorted, 0.1);
    s.p50 = quantile(sorted, 0.5);
    s.p90 = quantile(sorted, 0.9);
    return s;
}

} // namespace slipway
