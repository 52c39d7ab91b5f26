// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Marks that distinguish several curves in addition to their colors: the shape of their dots and the dashes of their
// lines.
#pragma once

#include <QPainter>
#include <QPolygonF>

namespace slipway::ui {

inline constexpr std::size_t kSeriesShapes = 6, kSeriesDashes = 4;

// Returns the outline of the n-th shape around `center`. It is empty for a circle. All shapes have about the same area.
QPolygonF seriesShape(std::size_t n, const QPointF &center, double radius);
// Fills the n-th shape with the brush of `painter`.
void drawSeriesMark(QPainter &painter, std::size_t n, const QPointF &center, double radius);

// The first line is solid.
Qt::PenStyle seriesDash(std::size_t n);

} // namespace slipway::ui
