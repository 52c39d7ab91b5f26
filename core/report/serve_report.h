// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "serve/serve_figures.h"

namespace slipway {

// The report on a server: memory, speed, load and prices, then each figure with its table.
Report serveReport(const ServePrediction &prediction, const std::vector<ServeFigure> &figures);

// The values of a figure as a table: one row per position on the x axis, one column per line of each panel.
ReportTable serveTable(const ServeFigure &figure);

// One row per point: figure, panel, line, position, x, y, fits.
std::string serveFiguresCsv(const std::vector<ServeFigure> &figures);
// One row: every setting under the name of its flag, then the figures of `serve-plan --json` on memory, speed and load.
std::string servePlanCsv(const ServePrediction &prediction);

} // namespace slipway
