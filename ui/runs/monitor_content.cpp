// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/monitor_content.h"

#include <QObject>

#include <algorithm>
#include <iterator>

#include "ui/runs/run_legend.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

LegendEntry bandEntry(const QString &name, ThemeColor id, LegendMark mark)
{
    return {name, {}, {}, themeColor(id, false), themeColor(id, true), mark};
}

bool isPhases(const MonitorChart &chart) { return chart.quantities.size() > 3; }

} // namespace

std::vector<ChartLine> MonitorContent::overlayLines(const MonitorChart &what) const
{
    if (runs.size() == 1)
        return runs[0].run->series ? chartLines(what, *runs[0].run->series, axis) : std::vector<ChartLine>();
    if (perExpert(what.quantities.front()))
        return {}; // the first experts of several runs have nothing in common
    // Each run shows only one quantity, because more lines could not be distinguished.
    std::vector<ChartLine> lines;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!isShown(i))
            continue;
        MonitorChart one = what;
        if (isPhases(what))
            one.quantities = {what.quantities.back()}; // the last quantity is the whole step
        else if (what.quantities.size() > 1)
            one.quantities = {what.quantities.front()};
        std::vector<ChartLine> found =
            runs[i].run->series ? chartLines(one, *runs[i].run->series, axis) : std::vector<ChartLine>();
        if (found.empty())
            continue;
        found[0].name = runs[i].name;
        const RunLineStyle style = runLineStyle(i);
        found[0].light = style.light;
        found[0].dark = style.dark;
        found[0].style = style.style;
        lines.push_back(std::move(found[0]));
    }
    return lines;
}

// Returns faint lines for repeated steps. They are drawn only if there is a single line, because it would otherwise be
// unclear to which line they belong.
std::vector<ChartLine> MonitorContent::supersededLines(const MonitorChart &what) const
{
    std::vector<ChartLine> lines;
    if (runs.size() != 1)
        return lines;
    for (const std::shared_ptr<const RunSeries> &series : runs[0].run->superseded) {
        std::vector<ChartLine> found = chartLines(what, *series, axis);
        if (found.size() != 1)
            continue;
        found[0].name = QObject::tr("before the restart");
        found[0].light = themeColor(ThemeColor::Raw, false);
        found[0].dark = themeColor(ThemeColor::Raw, true);
        found[0].markNonFinite = false;
        lines.push_back(std::move(found[0]));
    }
    return lines;
}

std::vector<LineMarker> MonitorContent::markers() const
{
    std::vector<LineMarker> found;
    if (runs.size() != 1 || !runs[0].run->series)
        return found;
    for (const RunDisplay::Restart &restart : runs[0].run->restarts) {
        if (const auto x = runs[0].run->series->xOfStep(axis, restart.step))
            found.push_back({*x, restart.name});
    }
    return found;
}

QString MonitorContent::titleOf(const MonitorChart &what) const
{
    return isPhases(what) && runs.size() > 1 ? QObject::tr("Step time (s)") : what.title;
}

void MonitorContent::setUp(const MonitorChart &what, LineChart &chart) const
{
    chart.setXAxis(axisTitle(axis), axisUnit(axis));
    chart.setHalfLife(what.smooth ? halfLife : 0);
    chart.setMarkers(markers());
    std::optional<PredictedBand> band;
    if (runs.size() == 1) {
        for (const Quantity quantity : what.quantities) {
            const auto found = runs[0].run->bands.find(quantity);
            const bool measured =
                std::any_of(keys.begin(), keys.end(), [&](const SeriesKey &key) { return key.quantity == quantity; });
            if (found != runs[0].run->bands.end() && measured)
                band = found->second; // the last quantity is the memory in use on the device
        }
    }
    chart.setPredicted(band);
}

std::vector<ChartLine> MonitorContent::allLines(const MonitorChart &what) const
{
    std::vector<ChartLine> lines = overlayLines(what);
    if (lines.size() == 1) {
        std::vector<ChartLine> superseded = supersededLines(what);
        lines.insert(
            lines.end(), std::make_move_iterator(superseded.begin()), std::make_move_iterator(superseded.end()));
    }
    return lines;
}

std::vector<LegendEntry> MonitorContent::legend(const MonitorChart &what, const std::vector<ChartLine> &lines) const
{
    std::vector<LegendEntry> entries;
    const bool smooth = what.smooth && halfLife != 0;
    if (runs.size() == 1 && lines.size() == 1 && smooth) {
        entries.push_back(bandEntry(QObject::tr("measured"), ThemeColor::Raw, LegendMark::Line));
        entries.push_back({QObject::tr("smoothed"), {}, {}, lines[0].light, lines[0].dark, LegendMark::Line});
    } else {
        for (const ChartLine &line : lines)
            entries.push_back({line.name, {}, {}, line.light, line.dark,
                line.style == Qt::SolidLine ? LegendMark::Line : LegendMark::Dashes});
    }
    if (runs.size() != 1)
        return entries;
    if (lines.size() == 1 && !runs[0].run->superseded.empty())
        entries.push_back(bandEntry(QObject::tr("before the restart"), ThemeColor::Raw, LegendMark::Line));
    if (what.quantities.front() == Quantity::Loss && runs[0].run->series &&
        !runs[0].run->series->dots({Quantity::EvalLoss}, axis).x.empty())
        entries.push_back(bandEntry(QObject::tr("evaluation"), ThemeColor::Warn, LegendMark::Dot));
    for (const Quantity quantity : what.quantities) {
        const auto band = runs[0].run->bands.find(quantity);
        const bool measured =
            std::any_of(keys.begin(), keys.end(), [&](const SeriesKey &key) { return key.quantity == quantity; });
        if (band == runs[0].run->bands.end() || !measured || (quantity == Quantity::Allocated && lines.size() > 1))
            continue;
        if (band->second.low)
            entries.push_back(bandEntry(
                QObject::tr("%1, P10–P90").arg(band->second.name), ThemeColor::PredictedWash, LegendMark::Band));
        else
            entries.push_back(bandEntry(band->second.name, ThemeColor::Predicted, LegendMark::Dashes));
    }
    return entries;
}

void MonitorContent::setDots(const MonitorChart &what, LineChart &chart) const
{
    if (runs.size() == 1 && what.quantities.front() == Quantity::Loss && runs[0].run->series) {
        RunSeries::Dots dots = runs[0].run->series->dots({Quantity::EvalLoss}, axis);
        chart.setDots(std::move(dots.x), std::move(dots.y), QObject::tr("evaluation"));
    } else {
        chart.setDots({}, {}, {});
    }
}

} // namespace slipway::ui
