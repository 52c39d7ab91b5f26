// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/monitor_charts.h"

#include <algorithm>

#include "base/text.h"
#include "ui/charts/ticks.h"
#include "ui/language/local_text.h"
#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString memoryText(double value) { return localText(formatBytes(static_cast<Bytes>(value))); }
QString percentText(double value) { return localNumber(value, 1) + QStringLiteral(" %"); }

QString reading(double value) { return localText(formatReading(value)); }

std::function<QString(double)> withUnit(const QString &unit)
{
    return [unit](double value) -> QString { return reading(value) + u' ' + unit; };
}

} // namespace

std::vector<MonitorChart> monitorCharts()
{
    const auto speed = [](double value) -> QString {
        return localText(formatCount(value)) + QStringLiteral(" ") + tr("tokens/s");
    };
    const auto share = [](double value) -> QString { return percentText(value * 100); };
    return {
        {.title = tr("Loss (nats/token)"),
            .quantities = {Quantity::Loss},
            .text = withUnit(tr("nats")),
            .fromZero = false,
            .smooth = true,
            .logarithmic = true},
        {.title = tr("Throughput (tokens/s)"),
            .quantities = {Quantity::TokensPerSecond},
            .text = speed,
            .smooth = true},
        {.title = tr("Memory"),
            .quantities = {Quantity::Allocated, Quantity::Reserved, Quantity::DeviceUsed},
            .text = memoryText,
            .bytes = true},
        {.title = tr("MFU (%)"), .quantities = {Quantity::Mfu}, .text = share, .scale = 0.01, .smooth = true},
        {.title = tr("Step time by phase (s)"),
            .quantities = {Quantity::Forward, Quantity::Backward, Quantity::Optimizer, Quantity::Communication,
                Quantity::StepSeconds},
            .text = withUnit(QStringLiteral("s")),
            .smooth = true},
        {.title = tr("Data wait (s)"),
            .quantities = {Quantity::DataWait},
            .text = withUnit(QStringLiteral("s")),
            .smooth = true},
        {.title = tr("GPU utilization (%)"), .quantities = {Quantity::GpuUse}, .text = percentText},
        {.title = tr("GPU memory"), .quantities = {Quantity::GpuMemory}, .text = memoryText, .bytes = true},
        {.title = tr("GPU power (W)"), .quantities = {Quantity::GpuPower}, .text = withUnit(QStringLiteral("W"))},
        {.title = tr("GPU temperature (°C)"),
            .quantities = {Quantity::GpuTemperature},
            .text = withUnit(QStringLiteral("°C")),
            .fromZero = false},
        {.title = tr("Gradient norm"),
            .quantities = {Quantity::GradNorm},
            .text = reading,
            .smooth = true,
            .logarithmic = true},
        {.title = tr("Expert load (largest ÷ mean)"),
            .quantities = {Quantity::ExpertLoad},
            .text = reading,
            .fromZero = false,
            .smooth = true},
        {.title = tr("Tokens by expert (%)"),
            .quantities = {Quantity::ExpertShare},
            .text = share,
            .scale = 0.01,
            .smooth = true},
        {.title = tr("Learning rate"), .quantities = {Quantity::LearningRate}, .text = reading, .logarithmic = true},
    };
}

QString quantityName(Quantity quantity)
{
    switch (quantity) {
    case Quantity::Allocated:
        return tr("allocated");
    case Quantity::Reserved:
        return tr("reserved");
    case Quantity::DeviceUsed:
        return tr("in use on the device");
    case Quantity::Forward:
        return tr("forward");
    case Quantity::Backward:
        return tr("backward");
    case Quantity::Optimizer:
        return tr("optimizer");
    case Quantity::Communication:
        return tr("exposed communication");
    case Quantity::StepSeconds:
        return tr("whole step");
    default:
        return tr("measured");
    }
}

bool perGpu(Quantity quantity)
{
    return quantity == Quantity::GpuUse || quantity == Quantity::GpuPower || quantity == Quantity::GpuTemperature ||
           quantity == Quantity::GpuMemory;
}

bool perExpert(Quantity quantity) { return quantity == Quantity::ExpertShare; }

bool mustBeFinite(Quantity quantity) { return quantity == Quantity::Loss || quantity == Quantity::GradNorm; }

QString lineName(const SeriesKey &key, bool several)
{
    return several && perGpu(key.quantity)      ? tr("GPU %1").arg(key.gpu)
           : several && perExpert(key.quantity) ? tr("Expert %1").arg(key.gpu)
                                                : quantityName(key.quantity);
}

std::vector<ChartLine> chartLines(const MonitorChart &chart, const RunSeries &series, XAxis axis)
{
    std::vector<ChartLine> lines;
    const std::vector<SeriesKey> keys = series.keys();
    for (const Quantity quantity : chart.quantities) {
        const auto count =
            std::count_if(keys.begin(), keys.end(), [&](const SeriesKey &key) { return key.quantity == quantity; });
        for (const SeriesKey &key : keys) {
            if (key.quantity != quantity)
                continue;
            const std::size_t n = lines.size();
            const bool alone = chart.quantities.size() == 1 && count == 1;
            lines.push_back({.name = lineName(key, count > 1),
                .light = alone ? themeColor(ThemeColor::Measured, false) : seriesColor(n, false),
                .dark = alone ? themeColor(ThemeColor::Measured, true) : seriesColor(n, true),
                .curve = series.curve(key, axis),
                .style = seriesDash(n + n / kSeriesHues),
                .markNonFinite = mustBeFinite(quantity)});
        }
    }
    // If the phases were not measured, the chart shows only the whole step.
    if (lines.size() == 1 && chart.quantities.size() > 3)
        lines.front().name = tr("whole step");
    std::erase_if(lines, [](const ChartLine &line) { return !line.curve; });
    return lines;
}

QString axisTitle(XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
        return tr("step");
    case XAxis::TokensSeen:
        return tr("tokens");
    case XAxis::Time:
        return tr("time");
    case XAxis::Cost:
        return tr("cost");
    }
    return {};
}

XUnit axisUnit(XAxis axis)
{
    return axis == XAxis::Time ? XUnit::Seconds : axis == XAxis::Cost ? XUnit::Usd : XUnit::Count;
}

} // namespace slipway::ui
