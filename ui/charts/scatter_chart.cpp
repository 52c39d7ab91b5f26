// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/scatter_chart.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_tooltip.h"
#include "ui/charts/ticks.h"
#include "ui/language/local_text.h"
#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

constexpr double kCrossWidth = 8;
constexpr double kReach = 14; // radius in pixels in which the cursor hits a dot

double along(bool logarithmic, double value) { return logarithmic ? std::log2(std::max(value, 1e-12)) : value; }

void drawCross(QPainter &painter, QPointF at, double reach)
{
    painter.drawLine(at + QPointF(-reach, -reach), at + QPointF(reach, reach));
    painter.drawLine(at + QPointF(-reach, reach), at + QPointF(reach, -reach));
}

} // namespace

ScatterChart::ScatterChart(QWidget *parent) : SelectableChart(parent)
{
    offerTable(*this, [this] { return table(); });
}

ChartTable ScatterChart::table() const
{
    ChartTable table{.columns = {tr("Series"), m_data.xTitle, m_data.yTitle}};
    for (const ScatterSeries &series : m_data.series) {
        for (const ScatterPoint &dot : series.dots)
            table.rows.push_back(
                {series.name, localNumber(dot.x, 4), dot.missing ? tr("out of memory") : localNumber(dot.y, 4)});
    }
    return table;
}

void ScatterChart::setData(ScatterData data)
{
    m_data = std::move(data);
    m_dots.clear();
    for (std::size_t s = 0; s < m_data.series.size(); ++s) {
        for (ScatterPoint &dot : m_data.series[s].dots)
            dot.aside = dot.missing
                            ? (static_cast<double>(s) - static_cast<double>(m_data.series.size() - 1) / 2) * kCrossWidth
                            : 0;
    }
    for (const ScatterSeries &series : m_data.series)
        m_dots.insert(m_dots.end(), series.dots.begin(), series.dots.end());
    std::vector<std::optional<std::size_t>> ids;
    for (const ScatterPoint &dot : m_dots)
        ids.emplace_back(dot.id);
    setItems(std::move(ids));
    findRanges();
    setAccessibleName(m_data.title);
    update();
}

void ScatterChart::findRanges()
{
    double low = 1e300, high = -1e300;
    m_yHigh = 0;
    for (const ScatterSeries &series : m_data.series) {
        for (const ScatterPoint &dot : series.dots) {
            low = std::min(low, along(m_data.logX, dot.x));
            high = std::max(high, along(m_data.logX, dot.x));
            if (!dot.missing)
                m_yHigh = std::max(m_yHigh, dot.y);
        }
    }
    if (high < low)
        low = 0, high = 1;
    if (!m_data.logX)
        low = std::min(low, 0.0);
    const double air = std::max((high - low) * 0.04, m_data.logX ? 0.3 : 1e-9);
    m_xLow = m_data.logX ? low - air : low;
    m_xHigh = high + air;
    m_yHigh = m_data.yHigh.value_or(m_yHigh);
    m_yHigh = m_yHigh > 0 ? m_yHigh * 1.08 : 1;
}

QRectF ScatterChart::plot() const
{
    const QFontMetricsF metrics(font());
    const double top =
        (m_data.title.isEmpty() ? 6 : metrics.height() + 8) + (m_data.yTitle.isEmpty() ? 0 : metrics.height() + 2);
    return QRectF(rect()).adjusted(
        46, top, -10, -(metrics.height() + (m_data.xTitle.isEmpty() ? 8 : metrics.height() + 10)));
}

QPointF ScatterChart::placeOf(const ScatterPoint &dot) const
{
    const QRectF area = plot();
    return {area.left() + (along(m_data.logX, dot.x) - m_xLow) / (m_xHigh - m_xLow) * area.width() + dot.aside,
        dot.missing ? area.bottom() - 5 : area.bottom() - dot.y / m_yHigh * area.height()};
}

void ScatterChart::drawAxes(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    const std::vector<double> rows = niceTicks(0, m_yHigh, static_cast<int>(std::clamp(area.height() / 34, 2.0, 6.0)));
    for (const double tick : rows) {
        const double y = area.bottom() - tick / m_yHigh * area.height();
        painter.setPen(QPen(themeColor(ThemeColor::Grid, palette()), 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(themeColor(ThemeColor::Muted, palette()));
        painter.drawText(QRectF(0, y - metrics.height(), area.left() - 6, 2 * metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter,
            localText(compactNumber(tick, rows.size() > 1 ? rows[1] - rows[0] : tick)));
    }
    std::vector<double> columns;
    if (m_data.logX) {
        const double widest = metrics.horizontalAdvance(QStringLiteral("4.1K")) + 6;
        const double step = std::max(1.0, std::ceil(widest / (area.width() / (m_xHigh - m_xLow))));
        const double first = std::ceil(m_xLow);
        for (int i = 0; first + i * step <= m_xHigh; ++i)
            columns.push_back(first + i * step);
    } else {
        columns = niceTicks(m_xLow, m_xHigh, static_cast<int>(std::clamp(area.width() / 70, 3.0, 9.0)));
    }
    for (const double tick : columns) {
        const double x = area.left() + (tick - m_xLow) / (m_xHigh - m_xLow) * area.width();
        const QString text = m_data.logX
                                 ? localText(doublingLabel(tick))
                                 : localText(compactNumber(tick, columns.size() > 1 ? columns[1] - columns[0] : tick));
        painter.drawText(
            QRectF(x - 40, area.bottom() + 4, 80, metrics.height()), Qt::AlignHCenter | Qt::AlignTop, text);
    }
    painter.drawText(QRectF(area.left(), area.bottom() + 4 + metrics.height(), area.width(), metrics.height() + 2),
        Qt::AlignHCenter | Qt::AlignTop, m_data.xTitle);
    painter.drawText(QRectF(8, area.top() - metrics.height() - 4, area.width() + 40, metrics.height()),
        Qt::AlignLeft | Qt::AlignVCenter, m_data.yTitle);
    painter.setPen(QPen(themeColor(ThemeColor::Border, palette()), 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(themeColor(ThemeColor::Text, palette()));
    painter.setFont(chartTitleFont(font()));
    painter.drawText(QRectF(8, 2, width() - 16.0, QFontMetricsF(painter.font()).height()), Qt::AlignLeft | Qt::AlignTop,
        m_data.title);
    painter.setFont(font());
}

void ScatterChart::drawSeries(QPainter &painter, const ScatterSeries &series) const
{
    const QColor color = isDark(palette()) ? series.dark : series.light;
    if (series.joined) {
        QPolygonF line;
        for (const ScatterPoint &dot : series.dots) {
            if (!dot.missing)
                line << placeOf(dot);
        }
        painter.setPen(QPen(color, series.radius / 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(line);
    }
    for (const ScatterPoint &dot : series.dots) {
        if (dot.missing) {
            painter.setPen(QPen(color, 1.6));
            drawCross(painter, placeOf(dot), 3.2);
            continue;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        drawSeriesMark(painter, series.shape, placeOf(dot), series.radius);
        painter.setBrush(Qt::NoBrush);
    }
}

void ScatterChart::drawHovered(QPainter &painter) const
{
    if (!picked() || !m_data.describe)
        return;
    const ScatterPoint &dot = m_dots[*picked()];
    const QPointF at = placeOf(dot);
    painter.setPen(QPen(themeColor(ThemeColor::Text, palette()), 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, 6, 6);
    drawTooltip(painter, QRectF(rect()).adjusted(2, 2, -2, -2), at, m_data.describe(dot.id), palette());
}

void ScatterChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    drawAxes(painter);
    for (const ScatterSeries &series : m_data.series)
        drawSeries(painter, series);
    drawFocus(painter);
    drawHovered(painter);
}

QRectF ScatterChart::itemRect(std::size_t item) const
{
    return QRectF(placeOf(m_dots[item]), QSizeF()).adjusted(-kReach, -kReach, kReach, kReach);
}

} // namespace slipway::ui
