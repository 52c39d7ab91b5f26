// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QRectF>

#include "report/report.h"

class QPainter;

namespace slipway::ui {

// The color of the n-th series of a figure, by name where the name is a role of memory or a part of a step.
QColor figureSeriesColor(const ReportFigure &figure, std::size_t series);

// Draws a figure with its axes, key and limit into `box`, in points; light colors, opaque fills.
void paintFigure(QPainter &painter, const QRectF &box, const ReportFigure &figure);

} // namespace slipway::ui
