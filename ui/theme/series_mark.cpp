// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/theme/series_mark.h"

#include <array>
#include <cmath>
#include <numbers>

namespace slipway::ui {

namespace {

// A polygon with `corners` corners, of which the first is at the angle `first`. `size` compensates for its smaller
// area.
struct Shape {
    int corners;
    double first, size;
};

constexpr double kUp = -0.5; // angles are in units of pi; y grows downwards
constexpr std::array<Shape, kSeriesShapes> kShapes{{
    {0, 0, 1},
    {4, 0.25, 1.25},
    {3, kUp, 1.5},
    {4, kUp, 1.3},
    {3, -kUp, 1.5},
    {5, kUp, 1.15},
}};

} // namespace

QPolygonF seriesShape(std::size_t n, const QPointF &center, double radius)
{
    const Shape &shape = kShapes[n % kShapes.size()];
    QPolygonF outline;
    for (int i = 0; i < shape.corners; ++i) {
        const double angle = (shape.first + 2.0 * i / shape.corners) * std::numbers::pi;
        outline << center + shape.size * radius * QPointF(std::cos(angle), std::sin(angle));
    }
    return outline;
}

void drawSeriesMark(QPainter &painter, std::size_t n, const QPointF &center, double radius)
{
    const QPolygonF outline = seriesShape(n, center, radius);
    if (outline.isEmpty())
        painter.drawEllipse(center, radius, radius);
    else
        painter.drawPolygon(outline);
}

Qt::PenStyle seriesDash(std::size_t n)
{
    static constexpr std::array<Qt::PenStyle, kSeriesDashes> kDashes{
        Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return kDashes[n % kDashes.size()];
}

} // namespace slipway::ui
