// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace slipway {

bool isPredicted(const ReportSeries &series) { return toLower(series.name).find("predict") != std::string::npos; }

bool hasPrediction(const ReportFigure &figure)
{
    return std::any_of(figure.series.begin(), figure.series.end(), isPredicted);
}

bool atWholeNumbers(const ReportFigure &figure)
{
    return std::all_of(figure.series.begin(), figure.series.end(), [](const ReportSeries &series) {
        return std::all_of(series.x.begin(), series.x.end(), [](double x) { return x == std::floor(x); });
    });
}

} // namespace slipway
