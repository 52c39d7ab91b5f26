// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The overlay of a line chart: markers, values that are not finite, dots, the cursor and its tooltip.
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/line_plot.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr std::size_t kMostRead = 12, kLeastRead = 3; // most and fewest lines of a tooltip

} // namespace

void LinePlot::drawOverlay(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (points() == 0) {
        painter.setPen(view->colorOf(ThemeColor::Muted));
        painter.drawText(view->plotRect(), Qt::AlignCenter, QObject::tr("No steps yet"));
        return;
    }
    drawMarkers(painter);
    drawEdges(painter);
    drawDots(painter);
    drawCursor(painter);
}

void LinePlot::drawMarkers(QPainter &painter) const
{
    const QRectF area = view->plotRect();
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.82);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    double free = area.left(); // end of the last name; overlapping names are left out
    for (const LineMarker &marker : markers) {
        if (marker.x < from() || marker.x > to())
            continue;
        const double at = view->toPixel({marker.x, 0}).x();
        painter.setPen(QPen(view->colorOf(ThemeColor::Muted), 1, Qt::DashLine));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        const double width = metrics.horizontalAdvance(marker.name);
        const double left = at + 4 + width <= area.right() ? at + 4 : at - 4 - width;
        if (left < free)
            continue;
        free = left + width + 4;
        // A curve at the top would strike the name through.
        painter.fillRect(QRectF(left - 2, area.top(), width + 4, metrics.height()), view->colorOf(ThemeColor::Surface));
        painter.setPen(view->colorOf(ThemeColor::Muted));
        painter.drawText(QPointF(left, area.top() + metrics.ascent()), marker.name);
    }
}

// Draws marks at the edges for values that are not finite or outside the range, so that nothing is hidden silently.
void LinePlot::drawEdges(QPainter &painter) const
{
    const QRectF area = view->plotRect();
    painter.setPen(Qt::NoPen);
    painter.setBrush(view->colorOf(ThemeColor::Bad));
    for (const QPointF &lost : m_lost) {
        const double px = view->toPixel({lost.x(), 0}).x();
        painter.drawPolygon(QPolygonF({{px - 4, area.bottom()}, {px + 4, area.bottom()}, {px, area.bottom() - 7}}));
    }
    painter.setBrush(view->colorOf(ThemeColor::Muted));
    for (const double at : m_above) {
        const double px = view->toPixel({at, 0}).x();
        painter.drawPolygon(QPolygonF({{px - 3, area.top() + 5}, {px + 3, area.top() + 5}, {px, area.top()}}));
    }
    if (m_notShown > 0) {
        painter.setPen(view->colorOf(ThemeColor::Muted));
        painter.drawText(area.adjusted(0, 0, -4, -3), Qt::AlignRight | Qt::AlignBottom,
            QObject::tr("Values of zero or less are not shown"));
    }
}

void LinePlot::drawDots(QPainter &painter) const
{
    painter.setPen(QPen(view->colorOf(ThemeColor::Surface), 1.2));
    painter.setBrush(view->colorOf(ThemeColor::Warn));
    for (std::size_t i = 0; i < dotsX.size(); ++i) {
        if (dotsX[i] >= from() && dotsX[i] <= to() && std::isfinite(height(dotsY[i])))
            painter.drawEllipse(view->toPixel({dotsX[i], height(dotsY[i])}), 3.6, 3.6);
    }
}

// Returns the number of lines that fit into the chart besides the title and the note on the remaining lines.
std::size_t LinePlot::mostRead() const
{
    const double room = view->rect().height() / (QFontMetricsF(view->font()).height() + 2.0) - 3.0;
    return std::clamp(static_cast<std::size_t>(std::max(room, 0.0)), kLeastRead, kMostRead);
}

void LinePlot::drawCursor(QPainter &painter) const
{
    if (!cursor)
        return;
    const QRectF area = view->plotRect();
    std::optional<double> at;
    std::vector<TooltipLine> readings;
    std::vector<std::pair<QPointF, QColor>> rings;
    std::size_t found = 0;
    std::vector<std::size_t> order = paintOrder();
    std::rotate(order.begin(),
        order.begin() +
            static_cast<std::ptrdiff_t>(order.size() - std::size_t{!order.empty() && standsOut(lines[order.back()])}),
        order.end());
    const std::size_t most = mostRead();
    for (const std::size_t i : order) {
        const ChartLine &line = lines[i];
        const double life = halfLifeOf(line);
        const std::optional<CurvePoint> point = line.curve ? line.curve->nearest(*cursor, life) : std::nullopt;
        if (!point || point->x < from() || point->x > to())
            continue;
        at = at.value_or(point->x);
        const QColor color = colorOf(line);
        const double drawnValue = point->smoothed.value_or(point->y);
        if (std::isfinite(height(drawnValue)) && !fades(line))
            rings.emplace_back(view->toPixel({point->x, height(drawnValue)}), color);
        ++found;
        if (readings.size() >= most)
            continue;
        const bool alone = lines.size() == 1;
        readings.push_back({alone && point->smoothed ? rawColorOf(line) : color, line.name, reading(point->y)});
        if (alone && point->smoothed && std::isfinite(*point->smoothed))
            readings.push_back({color, QObject::tr("smoothed"), reading(*point->smoothed)});
    }
    if (!at)
        return;
    const double px = view->toPixel({*at, 0}).x();
    painter.setPen(QPen(view->colorOf(ThemeColor::Text), 1));
    painter.drawLine(QPointF(px, area.top()), QPointF(px, area.bottom()));
    for (const auto &[center, color] : rings) {
        painter.setPen(QPen(view->colorOf(ThemeColor::Surface), 1.6));
        painter.setBrush(color);
        if (area.contains(center))
            painter.drawEllipse(center, 4, 4);
    }
    if (found > most)
        readings.push_back({{}, QObject::tr("and %1 more").arg(found - most), {}});
    if (band)
        readings.push_back({view->colorOf(ThemeColor::Predicted), band->name, reading(band->middle)});
    if (band && band->low && band->high)
        readings.push_back({view->colorOf(ThemeColor::PredictedWash), QObject::tr("P10–P90"),
            reading(*band->low) + QStringLiteral(" – ") + reading(*band->high)});
    drawCursorTooltip(painter, *view, {px, area.top() + area.height() * 0.35}, xTitle + u' ' + xReading(*at), readings);
}

} // namespace slipway::ui
