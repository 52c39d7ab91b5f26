// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which charts a run is shown in, and how their values are written.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "runs/run_series.h"
#include "ui/charts/line_chart.h"

namespace slipway::ui {

struct MonitorChart {
    QString title;
    std::vector<Quantity> quantities; // lines; of those measured per GPU, one for each
    std::function<QString(double)> text;
    double scale = 1.0; // of the axis
    bool fromZero = true;
    bool smooth = false;      // noisy from step to step
    bool logarithmic = false; // may be drawn on a logarithmic axis
};

std::vector<MonitorChart> monitorCharts();
QString quantityName(Quantity quantity); // of a line among others: "allocated"
bool perGpu(Quantity quantity);
bool mustBeFinite(Quantity quantity); // loss: a value that is not is a fault

// The lines of one chart that `series` has, in the order of the chart's quantities. Empty: nothing of it was measured.
std::vector<ChartLine> chartLines(const MonitorChart &chart, const RunSeries &series, XAxis axis);

QString axisTitle(XAxis axis);
XUnit axisUnit(XAxis axis);

} // namespace slipway::ui
