// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The charts of a run and the formats of their values.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "runs/run_series.h"
#include "ui/charts/line_chart.h"

namespace slipway::ui {

struct MonitorChart {
    QString title;
    std::vector<Quantity> quantities; // one line per quantity, or one for each of its GPUs or experts
    std::function<QString(double)> text;
    double scale = 1.0; // scale of the axis
    bool bytes = false; // the axis uses units of bytes
    bool fromZero = true;
    bool smooth = false;      // the quantity is noisy from step to step
    bool logarithmic = false; // the chart can have a logarithmic axis
};

std::vector<MonitorChart> monitorCharts();
QString quantityName(Quantity quantity);              // the name of a line among others, such as "allocated"
QString lineName(const SeriesKey &key, bool several); // `several`: the quantity has a line for each GPU or expert
bool perGpu(Quantity quantity);
bool perExpert(Quantity quantity);
bool mustBeFinite(Quantity quantity); // a value that is not finite is an error of the run

// Returns the lines of one chart in the order of its quantities. Empty if `series` has none of the quantities.
std::vector<ChartLine> chartLines(const MonitorChart &chart, const RunSeries &series, XAxis axis);

QString axisTitle(XAxis axis);
XUnit axisUnit(XAxis axis);

} // namespace slipway::ui
