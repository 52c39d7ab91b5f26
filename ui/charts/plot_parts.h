// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Internal to ui/charts: helpers for Qt Charts series.
#pragma once

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

namespace slipway::ui {

// Creates an area series that owns its two boundary lines.
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
