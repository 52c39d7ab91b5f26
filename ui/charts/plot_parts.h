// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Inside ui/charts only.
#pragma once

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

namespace slipway::ui {

// An area between two lines that it owns.
inline QAreaSeries *newArea()
{
    auto *upper = new QLineSeries;
    auto *lower = new QLineSeries;
    auto *area = new QAreaSeries(upper, lower);
    upper->setParent(area);
    lower->setParent(area);
    area->setPen(Qt::NoPen);
    return area;
}

} // namespace slipway::ui
