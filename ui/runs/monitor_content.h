// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The content of the charts of one or several runs: lines, evaluations, restarts, the predicted range and legends.
// Monitor places the charts and draws them.
#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "ui/runs/monitor_charts.h"
#include "ui/runs/run_display.h"
#include "ui/widgets/legend.h"

namespace slipway::ui {

class MonitorContent {
public:
    struct Overlay {
        QString name;
        std::shared_ptr<const RunDisplay> run;
    };
    std::vector<Overlay> runs;
    std::vector<SeriesKey> keys; // keys of the series that the runs have measured
    std::function<bool(std::size_t run)> isShown;
    XAxis axis = XAxis::Step;
    double halfLife = LineChart::kAutomatic; // half-life of the smoothing in steps; 0 disables it

    [[nodiscard]] QString titleOf(const MonitorChart &what) const;
    [[nodiscard]] std::vector<ChartLine> overlayLines(const MonitorChart &what) const;
    // Returns the lines, including the repeated steps of a single run.
    [[nodiscard]] std::vector<ChartLine> allLines(const MonitorChart &what) const;
    // Returns the legend of a single run. It is empty for several runs, because the legend beside the charts covers all
    // of them.
    [[nodiscard]] std::vector<LegendEntry> legend(const MonitorChart &what, const std::vector<ChartLine> &lines) const;
    void setUp(const MonitorChart &what, LineChart &chart) const; // sets everything except lines and evaluations
    void setDots(const MonitorChart &what, LineChart &chart) const;

private:
    [[nodiscard]] std::vector<ChartLine> supersededLines(const MonitorChart &what) const;
    [[nodiscard]] std::vector<LineMarker> markers() const;
};

} // namespace slipway::ui
