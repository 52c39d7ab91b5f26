// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/plot_view.h"

#include <QtCharts/QLineSeries>

#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <cmath>

#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

QFont labelFont(const QWidget &widget)
{
    QFont font = widget.font();
    font.setPointSizeF(std::max(7.5, font.pointSizeF() * 0.86));
    return font;
}

double stepOf(const std::vector<double> &ticks)
{
    if (ticks.size() > 1)
        return ticks[1] - ticks[0];
    if (ticks.empty() || ticks[0] == 0.0)
        return 1.0;
    // A single tick is formatted down to its own last significant digit.
    const double digit = std::pow(10.0, std::floor(std::log10(std::abs(ticks[0])) + 1e-9)),
                 leading = std::abs(ticks[0]) / digit;
    return std::abs(leading - std::round(leading)) < 1e-6 ? digit : digit / 10;
}

} // namespace

PlotView::PlotView(QWidget *parent) : QChartView(new QChart, parent), m_xAxis(new QValueAxis), m_yAxis(new QValueAxis)
{
    QChart *plot = chart(); // the view owns it
    plot->legend()->hide();
    plot->setMargins(QMargins());
    plot->setBackgroundVisible(false);
    plot->setAnimationOptions(QChart::NoAnimation);
    plot->addAxis(m_xAxis, Qt::AlignBottom);
    plot->addAxis(m_yAxis, Qt::AlignLeft);
    for (QValueAxis *axis : {m_xAxis, m_yAxis}) {
        axis->setLabelsVisible(false);
        axis->setGridLineVisible(false);
        axis->setLineVisible(false);
    }
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setFocusPolicy(Qt::NoFocus);
}

void PlotView::setColors(bool dark)
{
    m_dark = dark;
    viewport()->update();
}

void PlotView::setRanges(const AxisRange &x, const AxisRange &y)
{
    if (m_x != x) {
        m_x = x;
        m_xAxis->setRange(x.low, x.high);
    }
    if (m_y != y) {
        m_y = y;
        m_yAxis->setRange(y.low, y.high);
    }
    viewport()->update();
}

void PlotView::setFormats(TickFormat x, TickFormat y)
{
    m_formatX = std::move(x);
    m_formatY = std::move(y);
}

void PlotView::setTicks(TickFinder x, TickFinder y)
{
    m_ticksX = std::move(x);
    m_ticksY = std::move(y);
}

void PlotView::setMargins(const QMargins &margins)
{
    m_margins = margins;
    place();
}

void PlotView::add(QAbstractSeries *series)
{
    chart()->addSeries(series);
    series->attachAxis(m_xAxis);
    series->attachAxis(m_yAxis);
}

void PlotView::setArea(
    std::size_t n, const QList<QPointF> &low, const QList<QPointF> &high, const QColor &fill, const QPen &outline)
{
    while (m_areas.size() <= n) {
        auto *upper = new QLineSeries;
        auto *lower = new QLineSeries;
        auto *area = new QAreaSeries(upper, lower);
        upper->setParent(area);
        lower->setParent(area);
        add(area);
        m_areas.push_back(area);
    }
    QAreaSeries &area = *m_areas[n];
    area.lowerSeries()->replace(low);
    area.upperSeries()->replace(high);
    area.setColor(fill);
    area.setPen(outline);
    area.setVisible(true);
}

void PlotView::hideAreasFrom(std::size_t n)
{
    for (; n < m_areas.size(); ++n)
        m_areas[n]->setVisible(false);
}

QPointF PlotView::toPixel(QPointF value) const
{
    const QRectF area = plotRect();
    return {area.left() + (value.x() - m_x.low) / (m_x.high - m_x.low) * area.width(),
        area.bottom() - (value.y() - m_y.low) / (m_y.high - m_y.low) * area.height()};
}

double PlotView::xAt(double pixel) const
{
    const QRectF area = plotRect();
    return m_x.low + (pixel - area.left()) / std::max(1.0, area.width()) * (m_x.high - m_x.low);
}

void PlotView::place() { chart()->setPlotArea(plotRect()); }

void PlotView::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    place();
}

void PlotView::drawBackground(QPainter *painter, const QRectF &)
{
    painter->save();
    drawAxes(*painter);
    if (underlay)
        underlay(*painter);
    painter->restore();
}

void PlotView::drawForeground(QPainter *painter, const QRectF &)
{
    if (!overlay)
        return;
    painter->save();
    overlay(*painter);
    painter->restore();
}

void PlotView::drawAxes(QPainter &painter) const
{
    const QRectF area = plotRect();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(labelFont(*this));
    const QFontMetricsF metrics(painter.font());
    const auto wide = static_cast<int>(std::clamp(area.width() / (metrics.averageCharWidth() * 11.0), 1.0, 9.0));
    const auto high = static_cast<int>(std::clamp(area.height() / (metrics.height() * 2.0), 1.0, 6.0));
    if (m_showY) {
        const std::vector<double> ticks = m_ticksY(m_y.low, m_y.high, high);
        for (const double tick : ticks) {
            const double y = toPixel({m_x.low, tick}).y();
            painter.setPen(QPen(colorOf(ThemeColor::Grid), 1));
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
            painter.setPen(colorOf(ThemeColor::Muted));
            painter.drawText(QRectF(0, y - metrics.height(), area.left() - 7, 2 * metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter, localText(m_formatY(tick, stepOf(ticks))));
        }
    }
    const std::vector<double> ticks = m_ticksX(m_x.low, m_x.high, wide);
    double free = -1e9; // end of the last label
    const double limit = m_xTitle.isEmpty() ? width() : area.right() - metrics.horizontalAdvance(m_xTitle) - 10;
    for (const double tick : ticks) {
        const double x = toPixel({tick, m_y.low}).x();
        painter.setPen(QPen(colorOf(ThemeColor::Grid), 1));
        if (!m_showY)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QString label = localText(m_formatX(tick, stepOf(ticks)));
        const double half = metrics.horizontalAdvance(label) / 2.0;
        if (x - half < free || x + half > limit)
            continue;
        free = x + half + 8;
        painter.setPen(colorOf(ThemeColor::Muted));
        painter.drawText(
            QRectF(x - half - 2, area.bottom() + 5, 2 * half + 4, metrics.height()), Qt::AlignCenter, label);
    }
    painter.setPen(colorOf(ThemeColor::Muted));
    if (!m_xTitle.isEmpty())
        painter.drawText(QRectF(area.left(), area.bottom() + 5, area.width(), metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, m_xTitle);
    if (m_showY) {
        painter.setPen(QPen(colorOf(ThemeColor::Border), 1));
        painter.drawLine(area.bottomLeft(), area.bottomRight());
    }
}

void drawCursorTooltip(QPainter &painter, const PlotView &view, QPointF anchor, const QString &title,
    const std::vector<TooltipLine> &lines)
{
    painter.setFont(labelFont(view));
    const QFontMetricsF metrics(painter.font());
    double labels = 0, values = 0;
    for (const TooltipLine &line : lines) {
        labels = std::max(labels, metrics.horizontalAdvance(line.label));
        values = std::max(values, metrics.horizontalAdvance(line.value));
    }
    const double row = metrics.height() + 2;
    const double width = std::max(metrics.horizontalAdvance(title), labels + values + 28) + 20;
    const double height = row * (static_cast<double>(lines.size()) + (title.isEmpty() ? 0 : 1)) + 14;
    const QRectF bounds = QRectF(view.rect()).adjusted(2, 2, -2, -2);
    QRectF box(anchor.x() + 12, anchor.y() - height / 2, width, height);
    if (box.right() > bounds.right())
        box.moveRight(anchor.x() - 12);
    box.moveLeft(std::max(box.left(), bounds.left()));
    box.moveTop(std::clamp(box.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - height)));
    painter.setPen(QPen(view.colorOf(ThemeColor::Border), 1));
    painter.setBrush(view.colorOf(ThemeColor::Surface));
    painter.drawRoundedRect(box, 5, 5);
    double y = box.top() + 7;
    if (!title.isEmpty()) {
        painter.setPen(view.colorOf(ThemeColor::Muted));
        painter.drawText(QRectF(box.left() + 10, y, width - 20, row), Qt::AlignLeft | Qt::AlignVCenter, title);
        y += row;
    }
    for (const TooltipLine &line : lines) {
        double x = box.left() + 10;
        if (line.mark.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(line.mark);
            painter.drawRoundedRect(QRectF(x, y + row / 2 - 4, 8, 8), 2, 2);
        }
        x += 14;
        painter.setPen(view.colorOf(ThemeColor::Text));
        painter.drawText(QRectF(x, y, labels + 2, row), Qt::AlignLeft | Qt::AlignVCenter, line.label);
        painter.drawText(
            QRectF(box.right() - 10 - values - 2, y, values + 2, row), Qt::AlignRight | Qt::AlignVCenter, line.value);
        y += row;
    }
}

} // namespace slipway::ui
