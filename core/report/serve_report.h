// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "serve/serve_figures.h"

namespace slipway {

// A server on paper: memory, speed, load, prices, and each figure with its table.
Report serveReport(const ServePrediction &prediction, const std::vector<ServeFigure> &figures);

// A figure's numbers as a table: a row for each place along the axis, a column for each line of each panel.
ReportTable serveTable(const ServeFigure &figure);

// One row a dot: figure, panel, line, place, x, y, fits.
std::string serveFiguresCsv(const std::vector<ServeFigure> &figures);
// One row: every choice under its flag's name, then what serve-plan --json has about memory, speed and load.
std::string servePlanCsv(const ServePrediction &prediction);

} // namespace slipway
