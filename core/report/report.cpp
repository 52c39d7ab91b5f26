// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report.h"

#include <algorithm>
#include <cmath>

namespace slipway {

bool atWholeNumbers(const ReportFigure &figure)
{
    return std::all_of(figure.series.begin(), figure.series.end(), [](const ReportSeries &series) {
        return std::all_of(series.x.begin(), series.x.end(), [](double x) { return x == std::floor(x); });
    });
}

} // namespace slipway
