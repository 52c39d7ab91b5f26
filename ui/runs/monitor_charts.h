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
    std::vector<Quantity> quantities; // number of lines; one per GPU for per-GPU quantities
    std::function<QString(double)> text;
    double scale = 1.0; // of the axis
    bool bytes = false; // the axis has units of bytes
    bool fromZero = true;
    bool smooth = false;      // noisy from step to step
    bool logarithmic = false; // may be drawn on a logarithmic axis
};

std::vector<MonitorChart> monitorCharts();
QString quantityName(Quantity quantity); // of a line among others: "allocated"
bool perGpu(Quantity quantity);
bool mustBeFinite(Quantity quantity); // a value of the loss that is not finite is an error

// The lines of one chart, in the order of its quantities. Empty if `series` has none of them.
std::vector<ChartLine> chartLines(const MonitorChart &chart, const RunSeries &series, XAxis axis);

QString axisTitle(XAxis axis);
XUnit axisUnit(XAxis axis);

} // namespace slipway::ui
