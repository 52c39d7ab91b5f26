// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/line_plot.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::ui {

namespace {

constexpr double kSmallestSpan = 4.0; // steps

QAreaSeries *areaBetween(QLineSeries *upper, QLineSeries *lower)
{
    auto *area = new QAreaSeries(upper, lower);
    upper->setParent(area);
    lower->setParent(area);
    area->setPen(Qt::NoPen);
    return area;
}

} // namespace

void LinePlot::create(QWidget *parent)
{
    view = new PlotView(parent);
    view->setMargins({56, 12, 14, 26});
    m_bandTop = new QLineSeries;
    m_bandBottom = new QLineSeries;
    m_rawTop = new QLineSeries;
    m_rawBottom = new QLineSeries;
    m_band = areaBetween(m_bandTop, m_bandBottom);
    m_raw = areaBetween(m_rawTop, m_rawBottom);
    m_predicted = new QLineSeries;
    m_line = new QLineSeries;
    for (QAbstractSeries *series : std::initializer_list<QAbstractSeries *>{m_band, m_raw, m_predicted, m_line})
        view->add(series);
    view->overlay = [this](QPainter &painter) { drawOverlay(painter); };
}

QString LinePlot::reading(double value) const
{
    return text ? text(value) : readingNumber(value);
}

double LinePlot::from() const
{
    return zoomed ? zoomed->low : x.empty() ? 0.0 : x.front();
}

double LinePlot::to() const
{
    if (zoomed)
        return zoomed->high;
    return x.empty() ? 1.0 : std::max(x.back(), x.front() + 1.0);
}

void LinePlot::show(double low, double high)
{
    const double first = x.front(), last = x.back();
    const double width = std::min(high - low, last - first);
    low = std::clamp(low, first, last - width);
    zoomed = AxisRange{low, low + width};
    redraw();
}

void LinePlot::zoomAround(double factor, double around)
{
    if (x.size() < 3)
        return;
    const double width = std::max((to() - from()) * factor, kSmallestSpan);
    if (width >= x.back() - x.front()) {
        zoomed.reset();
        redraw();
        return;
    }
    const double share = (around - from()) / (to() - from());
    show(around - share * width, around + (1.0 - share) * width);
}

std::size_t LinePlot::nearest(double value) const
{
    const auto above = std::lower_bound(x.begin(), x.end(), value);
    if (above == x.begin())
        return 0;
    if (above == x.end() || value - *(above - 1) < *above - value)
        return static_cast<std::size_t>(above - x.begin()) - 1;
    return static_cast<std::size_t>(above - x.begin());
}

void LinePlot::smooth()
{
    // Half-life of a two-hundredth of the run: noise goes, and the line does not trail behind a falling curve.
    mean = smoothing ? smoothed(y, std::clamp(static_cast<double>(y.size()) / 200.0, 2.0, 100.0)) : y;
}

void LinePlot::redraw()
{
    const double gap = std::numeric_limits<double>::quiet_NaN();
    const auto most = static_cast<std::size_t>(std::clamp(view->plotRect().width(), 100.0, 2000.0));
    const std::vector<EnvelopeBucket> raw = envelope(x, y, most, from(), to());
    QList<QPointF> line, top, bottom;
    std::vector<double> seen;
    lostAt.clear();
    for (const EnvelopeBucket &bucket : raw) {
        if (bucket.notFinite > 0)
            lostAt.push_back(bucket.x);
        if (bucket.points == 0)
            continue;
        top.append({bucket.x, bucket.max});
        bottom.append({bucket.x, bucket.min});
        seen.push_back(bucket.min);
        seen.push_back(bucket.max);
    }
    for (const EnvelopeBucket &bucket : smoothing ? envelope(x, mean, most, from(), to()) : raw)
        line.append({bucket.x, bucket.points > 0 ? bucket.last : gap});
    drawn = static_cast<std::size_t>(line.size());
    std::vector<double> keep;
    if (band) {
        keep.push_back(band->middle);
        if (band->low && band->high)
            keep.insert(keep.end(), {*band->low, *band->high});
    }
    for (std::size_t i = 0; i < dotsX.size(); ++i) {
        if (dotsX[i] >= from() && dotsX[i] <= to() && std::isfinite(dotsY[i]))
            keep.push_back(dotsY[i]);
    }
    const ShownRange shown = robustRange(std::move(seen), keep, fromZero);
    const AxisRange steps{from(), to()};
    view->setRanges(steps, {shown.low, shown.high});
    colour();
    drawBand(steps);
    m_raw->setVisible(smoothing || x.size() > most);
    m_rawTop->replace(top);
    m_rawBottom->replace(bottom);
    m_line->replace(line);
    view->viewport()->update();
    if (redrawn)
        redrawn();
}

void LinePlot::colour()
{
    view->setFormats(compactNumber, compactNumber);
    m_band->setColor(view->inkOf(Ink::PredictedWash));
    m_raw->setColor(view->inkOf(Ink::Raw));
    m_raw->setPen(QPen(view->inkOf(Ink::Raw), 1));
    m_predicted->setPen(QPen(view->inkOf(Ink::Predicted), 1.4, Qt::DashLine));
    m_line->setPen(QPen(view->inkOf(Ink::Measured), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
}

void LinePlot::drawBand(const AxisRange &shown)
{
    const bool wide = band && band->low && band->high;
    m_band->setVisible(wide);
    m_predicted->setVisible(band.has_value());
    if (wide) {
        m_bandTop->replace(QList<QPointF>{{shown.low, *band->high}, {shown.high, *band->high}});
        m_bandBottom->replace(QList<QPointF>{{shown.low, *band->low}, {shown.high, *band->low}});
    }
    if (band)
        m_predicted->replace(QList<QPointF>{{shown.low, band->middle}, {shown.high, band->middle}});
}

void LinePlot::drawOverlay(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (x.empty()) {
        painter.setPen(view->inkOf(Ink::Muted));
        painter.drawText(view->plotRect(), Qt::AlignCenter, QObject::tr("no steps yet"));
    }
    drawMarkers(painter);
    drawDots(painter);
    drawCursor(painter);
}

void LinePlot::drawMarkers(QPainter &painter) const
{
    const QRectF area = view->plotRect();
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.82);
    painter.setFont(font);
    for (const LineMarker &marker : markers) {
        if (marker.x < from() || marker.x > to())
            continue;
        const double at = view->toPixel({marker.x, 0}).x();
        painter.setPen(QPen(view->inkOf(Ink::Muted), 1, Qt::DashLine));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        painter.setPen(view->inkOf(Ink::Muted));
        painter.drawText(QPointF(at + 4, area.top() + QFontMetricsF(font).ascent()), marker.name);
    }
    // Lost values, and what the range leaves out, are told at the edges: nothing is hidden silently.
    painter.setPen(Qt::NoPen);
    painter.setBrush(view->inkOf(Ink::Bad));
    for (const double at : lostAt) {
        const double px = view->toPixel({at, 0}).x();
        painter.drawPolygon(QPolygonF({{px - 4, area.bottom()}, {px + 4, area.bottom()}, {px, area.bottom() - 7}}));
    }
    painter.setBrush(view->inkOf(Ink::Muted));
    for (const QPointF &point : m_rawTop->points()) {
        if (point.y() > view->yRange().high) {
            const double px = view->toPixel({point.x(), 0}).x();
            painter.drawPolygon(QPolygonF({{px - 3, area.top() + 5}, {px + 3, area.top() + 5}, {px, area.top()}}));
        }
    }
}

void LinePlot::drawDots(QPainter &painter) const
{
    painter.setPen(QPen(view->inkOf(Ink::Surface), 1.2));
    painter.setBrush(view->inkOf(Ink::Warn));
    for (std::size_t i = 0; i < dotsX.size(); ++i) {
        if (dotsX[i] >= from() && dotsX[i] <= to() && std::isfinite(dotsY[i]))
            painter.drawEllipse(view->toPixel({dotsX[i], dotsY[i]}), 3.6, 3.6);
    }
}

void LinePlot::drawCursor(QPainter &painter) const
{
    if (!cursor || x.empty())
        return;
    const std::size_t i = nearest(*cursor);
    if (x[i] < from() || x[i] > to())
        return;
    const QRectF area = view->plotRect();
    const QPointF at = view->toPixel({x[i], std::isfinite(mean[i]) ? mean[i] : view->yRange().low});
    painter.setPen(QPen(view->inkOf(Ink::Text), 1));
    painter.drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()));
    painter.setPen(QPen(view->inkOf(Ink::Surface), 2));
    painter.setBrush(view->inkOf(Ink::Measured));
    if (area.contains(at))
        painter.drawEllipse(at, 4.5, 4.5);
    std::vector<ReadingLine> lines{{view->inkOf(smoothing ? Ink::Raw : Ink::Measured), QObject::tr("measured"), reading(y[i])}};
    if (smoothing && std::isfinite(mean[i]))
        lines.push_back({view->inkOf(Ink::Measured), QObject::tr("smoothed"), reading(mean[i])});
    if (band)
        lines.push_back({view->inkOf(Ink::Predicted), band->name, reading(band->middle)});
    if (band && band->low && band->high)
        lines.push_back({view->inkOf(Ink::PredictedWash), QObject::tr("P10–P90"), reading(*band->low) + QStringLiteral(" – ") + reading(*band->high)});
    drawReading(painter, *view, {at.x(), area.top() + area.height() * 0.35}, xTitle + u' ' + readingNumber(x[i]), lines);
}

} // namespace slipway::ui
