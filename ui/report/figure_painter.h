// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QRectF>

#include "report/report.h"

class QPainter;

namespace slipway::ui {

inline constexpr bool kPaper = false; // the argument `dark` of themeColor(): paper is light

// Returns the color of the n-th series of a figure. Memory and kernel categories are recognized by their names.
QColor figureSeriesColor(const ReportFigure &figure, std::size_t series);

// Draws a figure with its axes, legend and limit into `box`, which is in points, with light colors and opaque fills.
void paintFigure(QPainter &painter, const QRectF &box, const ReportFigure &figure);

} // namespace slipway::ui
