// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_series.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace slipway {

namespace {

double lastOf(const Column &column) { return column.empty() ? 0.0 : column.back(); }

} // namespace

// A column as a function of an axis. It is read under the owner's lock.
class RunSeries::View final : public Curve {
public:
    View(std::shared_ptr<const RunSeries> run, SeriesKey key, XAxis axis)
        : m_run(std::move(run)),
          m_key(key),
          m_axis(axis)
    {
    }

    [[nodiscard]] std::size_t size() const override { return m_run->size(); }

    [[nodiscard]] std::optional<CurveRange> range() const override
    {
        const std::shared_lock lock(m_run->m_mutex);
        const Column &x = m_run->axisColumn(m_axis);
        const double scale = m_run->axisScale(m_axis);
        return x.empty() ? std::nullopt : std::optional(CurveRange{x.front() * scale, x.back() * scale});
    }

    [[nodiscard]] std::vector<EnvelopeBucket> buckets(
        std::size_t most, const CurveRange &shown, double halfLife) const override
    {
        const std::unique_lock lock(m_run->m_mutex); // the pyramid and the means are extended on request
        const auto column = m_run->m_columns.find(m_key);
        if (column == m_run->m_columns.end())
            return {};
        const double scale = m_run->axisScale(m_axis);
        std::vector<EnvelopeBucket> buckets = envelope(m_run->axisColumn(m_axis), column->second.values, most,
            shown.from / scale, shown.to / scale, meansOf(column->second, halfLife));
        if (scale != 1.0) {
            for (EnvelopeBucket &bucket : buckets)
                bucket.x *= scale;
        }
        return buckets;
    }

    [[nodiscard]] std::optional<CurvePoint> nearest(double x, double halfLife) const override
    {
        const std::unique_lock lock(m_run->m_mutex);
        const auto column = m_run->m_columns.find(m_key);
        if (column == m_run->m_columns.end() || column->second.values.size() == 0)
            return std::nullopt;
        const Column &all = m_run->axisColumn(m_axis);
        const double scale = m_run->axisScale(m_axis);
        const std::size_t i = nearestIndex(all, x / scale);
        RunningMeans *const means = meansOf(column->second, halfLife);
        return CurvePoint{all[i] * scale, column->second.values[i],
            means ? std::optional(means->at(column->second.values.values(), i)) : std::nullopt};
    }

private:
    std::shared_ptr<const RunSeries> m_run;
    SeriesKey m_key;
    XAxis m_axis;
};

void RunSeries::follow(const StepTable &table, std::size_t from)
{
    const std::unique_lock lock(m_mutex);
    from = std::min(from, m_steps.size());
    m_steps.share(table.steps(), from);
    growAxes(table, from);
    m_restarts.clear();
    for (std::size_t i = table.empty() ? 0 : table.attemptEnd(0); i < table.size(); i = table.attemptEnd(i))
        m_restarts.push_back(table.step(i));
    for (const SeriesKey &key : table.keys()) {
        if (!table.measured(key))
            continue;
        Drawn &drawn = m_columns[key];
        drawn.values.share(*table.column(key), std::min(from, drawn.values.size()));
        if (drawn.means)
            drawn.means->truncate(from);
    }
}

// The axes never decrease, even if a clock was set back or a count is damaged.
void RunSeries::growAxes(const StepTable &table, std::size_t from)
{
    m_tokens.truncate(from);
    m_seconds.truncate(from);
    m_billed.truncate(from);
    const Column *const stepSeconds = table.column({Quantity::StepSeconds});
    for (std::size_t i = from; i < table.size(); ++i) {
        const double time = table.times()[i];
        if (!m_begin && std::isfinite(time))
            m_begin = time - (*stepSeconds)[i] * 1000;
        m_tokens.push_back(std::max(lastOf(m_tokens), table.tokens()[i]));
        m_seconds.push_back(
            std::max(lastOf(m_seconds), m_begin && std::isfinite(time) ? (time - *m_begin) / 1000 : 0.0));
        m_billed.push_back(std::max(
            lastOf(m_billed), m_begin && std::isfinite(time) ? (time - *m_begin - unbilledUntil(time)) / 1000 : 0.0));
    }
}

double RunSeries::unbilledUntil(double time) const
{
    double sum = 0;
    for (const UnbilledPause &pause : m_unbilled)
        sum += std::clamp(time, pause.from, pause.until) - pause.from;
    return sum;
}

void RunSeries::replaceFrom(std::size_t from, std::span<const StepMetrics> metrics)
{
    m_rows.truncate(from);
    for (const StepMetrics &row : metrics)
        m_rows.push_back(row);
    follow(m_rows, from);
}

void RunSeries::setUsdPerHour(std::optional<Usd> price)
{
    const std::unique_lock lock(m_mutex);
    m_usdPerHour = price && *price > 0 ? price : std::nullopt;
}

void RunSeries::setUnbilled(std::vector<UnbilledPause> pauses)
{
    const std::unique_lock lock(m_mutex);
    m_unbilled = std::move(pauses);
}

void RunSeries::shareBeginning(const RunSeries &other)
{
    const std::scoped_lock lock(m_mutex, other.m_mutex);
    m_begin = other.m_begin;
    m_usdPerHour = other.m_usdPerHour;
    m_unbilled = other.m_unbilled;
}

std::size_t RunSeries::size() const
{
    const std::shared_lock lock(m_mutex);
    return m_steps.size();
}

std::vector<SeriesKey> RunSeries::keys() const
{
    const std::shared_lock lock(m_mutex);
    std::vector<SeriesKey> keys;
    for (const auto &[key, column] : m_columns)
        keys.push_back(key);
    return keys;
}

std::optional<Usd> RunSeries::usdPerHour() const
{
    const std::shared_lock lock(m_mutex);
    return m_usdPerHour;
}

std::vector<std::int64_t> RunSeries::restarts() const
{
    const std::shared_lock lock(m_mutex);
    return m_restarts;
}

std::optional<double> RunSeries::xOfStep(XAxis axis, std::int64_t step) const
{
    const std::shared_lock lock(m_mutex);
    const std::size_t at = firstNotBelow(m_steps, 0, m_steps.size(), static_cast<double>(step));
    if (at == m_steps.size() || (axis == XAxis::Cost && !m_usdPerHour))
        return std::nullopt;
    return axisColumn(axis)[at] * axisScale(axis);
}

std::shared_ptr<const Curve> RunSeries::curve(SeriesKey key, XAxis axis) const
{
    if (axis == XAxis::Cost && !usdPerHour())
        return nullptr;
    return std::make_shared<View>(shared_from_this(), key, axis);
}

RunSeries::Dots RunSeries::dots(SeriesKey key, XAxis axis) const
{
    const std::shared_lock lock(m_mutex);
    Dots dots;
    const auto column = m_columns.find(key);
    if (column == m_columns.end() || (axis == XAxis::Cost && !m_usdPerHour))
        return dots;
    const Pyramid &values = column->second.values;
    const double scale = axisScale(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            continue;
        dots.x.push_back(axisColumn(axis)[i] * scale);
        dots.y.push_back(values[i]);
    }
    return dots;
}

const Column &RunSeries::axisColumn(XAxis axis) const
{
    return axis == XAxis::Step         ? m_steps
           : axis == XAxis::TokensSeen ? m_tokens
           : axis == XAxis::Cost       ? m_billed
                                       : m_seconds;
}

double RunSeries::axisScale(XAxis axis) const { return axis == XAxis::Cost ? m_usdPerHour.value_or(0) / 3600.0 : 1.0; }

RunningMeans *RunSeries::meansOf(Drawn &drawn, double halfLife)
{
    if (!(halfLife > 0))
        return nullptr;
    if (!drawn.means || drawn.means->halfLife() != halfLife)
        drawn.means.emplace(halfLife);
    return &*drawn.means;
}

std::vector<std::shared_ptr<const RunSeries>> supersededSeries(
    std::span<const StepMetrics> superseded, const RunSeries &run)
{
    std::map<int, StepTable> attempts;
    for (const StepMetrics &row : superseded) {
        StepTable &table = attempts[row.attempt];
        if (table.empty() || row.step > table.step(table.size() - 1)) // the x values of a chart must rise
            table.push_back(row);
    }
    std::vector<std::shared_ptr<const RunSeries>> all;
    for (const auto &[attempt, table] : attempts) {
        auto series = std::make_shared<RunSeries>();
        series->shareBeginning(run);
        series->follow(table, 0);
        all.push_back(std::move(series));
    }
    return all;
}

} // namespace slipway
