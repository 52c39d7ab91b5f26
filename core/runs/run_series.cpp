// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_series.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace slipway {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double orNone(const std::optional<double> &value) { return value.value_or(kNone); }
double orNone(const std::optional<Bytes> &value) { return value ? static_cast<double>(*value) : kNone; }

double lastOf(const std::vector<double> &column) { return column.empty() ? 0.0 : column.back(); }

} // namespace

// A column over an axis, read under the owner's lock.
class RunSeries::View final : public Curve {
public:
    View(std::shared_ptr<const RunSeries> run, SeriesKey key, XAxis axis) : m_run(std::move(run)), m_key(key), m_axis(axis) {}

    [[nodiscard]] std::size_t size() const override { return m_run->size(); }

    [[nodiscard]] std::optional<CurveRange> range() const override
    {
        const std::shared_lock lock(m_run->m_mutex);
        const std::vector<double> &x = m_run->axisColumn(m_axis);
        const double scale = m_run->axisScale(m_axis);
        return x.empty() ? std::nullopt : std::optional(CurveRange{x.front() * scale, x.back() * scale});
    }

    [[nodiscard]] std::vector<EnvelopeBucket> buckets(std::size_t most, const CurveRange &shown, double halfLife) const override
    {
        const std::unique_lock lock(m_run->m_mutex); // a mean may be made
        const auto column = m_run->m_columns.find(m_key);
        if (column == m_run->m_columns.end())
            return {};
        const Pyramid &values = halfLife > 0 ? m_run->mean(column->second, halfLife) : column->second.values;
        const std::vector<double> &x = m_run->axisColumn(m_axis);
        const double scale = m_run->axisScale(m_axis);
        std::vector<EnvelopeBucket> buckets = envelope(std::span(x).first(values.size()), values, most, shown.from / scale, shown.to / scale);
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
        const std::span<const double> all = std::span(m_run->axisColumn(m_axis)).first(column->second.values.size());
        const double scale = m_run->axisScale(m_axis);
        const std::size_t i = nearestIndex(all, x / scale);
        return CurvePoint{all[i] * scale, column->second.values[i], halfLife > 0 ? std::optional(m_run->mean(column->second, halfLife)[i]) : std::nullopt};
    }

private:
    std::shared_ptr<const RunSeries> m_run;
    SeriesKey m_key;
    XAxis m_axis;
};

void RunSeries::replaceFrom(std::size_t from, std::span<const StepMetrics> metrics)
{
    const std::unique_lock lock(m_mutex);
    truncate(from);
    for (const StepMetrics &row : metrics)
        appendRow(row);
}

void RunSeries::setUsdPerHour(std::optional<Usd> price)
{
    const std::unique_lock lock(m_mutex);
    m_usdPerHour = price && *price > 0 ? price : std::nullopt;
}

void RunSeries::truncate(std::size_t size)
{
    if (size >= m_steps.size())
        return;
    while (!m_restarts.empty() && static_cast<double>(m_restarts.back()) > (size > 0 ? m_steps[size - 1] : 0))
        m_restarts.pop_back();
    m_steps.resize(size);
    m_tokens.resize(size);
    m_seconds.resize(size);
    for (auto &[key, column] : m_columns) {
        column.values.truncate(size);
        column.mean = {};
        column.running.reset();
    }
}

void RunSeries::put(SeriesKey key, double value)
{
    const std::size_t at = place(key);
    if (m_found.size() <= at)
        m_found.resize(at + 1);
    Column *const found = m_found[at];
    if (!found) {
        if (std::isnan(value) && key.quantity != Quantity::Loss)
            return; // not measured here, so far
        Column &column = m_columns[key]; // stays where it is: a map's nodes do
        m_found[at] = &column;
        for (std::size_t i = 1; i < m_steps.size(); ++i)
            column.values.append(kNone);
        column.values.append(value);
        return;
    }
    // A GPU that a step does not tell of leaves a gap.
    while (found->values.size() + 1 < m_steps.size())
        found->values.append(kNone);
    found->values.append(value);
}

std::size_t RunSeries::place(SeriesKey key)
{
    constexpr std::size_t kQuantities = static_cast<std::size_t>(Quantity::GpuMemory) + 1;
    return static_cast<std::size_t>(key.gpu) * kQuantities + static_cast<std::size_t>(key.quantity);
}

void RunSeries::appendRow(const StepMetrics &row)
{
    const auto time = fromIso8601(row.time);
    if (!m_begin && time)
        m_begin = *time - std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::duration<double>(row.stepSeconds));
    if (row.attempt != std::exchange(m_attempt, row.attempt) && !m_steps.empty())
        m_restarts.push_back(row.step);
    m_steps.push_back(static_cast<double>(row.step));
    // A clock that was set back, or a damaged count, must not fold the curve over itself.
    m_tokens.push_back(std::max(lastOf(m_tokens), static_cast<double>(row.tokens)));
    const double seconds = time && m_begin ? std::chrono::duration<double>(*time - *m_begin).count() : 0.0;
    m_seconds.push_back(std::max(lastOf(m_seconds), seconds));
    put({Quantity::TokensPerSecond}, row.tokensPerSecond);
    put({Quantity::StepSeconds}, row.stepSeconds);
    put({Quantity::Loss}, row.loss);
    put({Quantity::EvalLoss}, orNone(row.evalLoss));
    put({Quantity::LearningRate}, row.learningRate);
    put({Quantity::GradNorm}, row.gradNorm);
    put({Quantity::Mfu}, orNone(row.mfu));
    put({Quantity::Allocated}, orNone(row.allocatedPeak));
    put({Quantity::Reserved}, orNone(row.reservedPeak));
    put({Quantity::DeviceUsed}, orNone(row.deviceUsed));
    put({Quantity::DataWait}, orNone(row.dataWait));
    put({Quantity::Forward}, orNone(row.forward));
    put({Quantity::Backward}, orNone(row.backward));
    put({Quantity::Optimizer}, orNone(row.optimizer));
    put({Quantity::Communication}, orNone(row.communicationExposed));
    for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
        const int index = static_cast<int>(gpu);
        put({Quantity::GpuUse, index}, orNone(row.gpus[gpu].utilisation));
        put({Quantity::GpuPower, index}, orNone(row.gpus[gpu].powerWatts));
        put({Quantity::GpuTemperature, index}, orNone(row.gpus[gpu].temperatureC));
        put({Quantity::GpuMemory, index}, orNone(row.gpus[gpu].used));
    }
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
    const auto at = std::lower_bound(m_steps.begin(), m_steps.end(), static_cast<double>(step));
    if (at == m_steps.end() || (axis == XAxis::Cost && !m_usdPerHour))
        return std::nullopt;
    return axisColumn(axis)[static_cast<std::size_t>(at - m_steps.begin())] * axisScale(axis);
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

const std::vector<double> &RunSeries::axisColumn(XAxis axis) const
{
    return axis == XAxis::Step ? m_steps : axis == XAxis::TokensSeen ? m_tokens : m_seconds;
}

double RunSeries::axisScale(XAxis axis) const
{
    return axis == XAxis::Cost ? m_usdPerHour.value_or(0) / 3600.0 : 1.0;
}

const Pyramid &RunSeries::mean(Column &column, double halfLife) const
{
    if (column.halfLife != halfLife || !column.running) {
        column.mean = {};
        column.running.emplace(halfLife);
        column.halfLife = halfLife;
    }
    for (std::size_t i = column.mean.size(); i < column.values.size(); ++i)
        column.mean.append(column.running->add(column.values[i]));
    return column.mean;
}

} // namespace slipway
