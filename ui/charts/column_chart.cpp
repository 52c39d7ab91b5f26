// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/column_chart.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <ranges>

#include "ui/charts/chart_tooltip.h"
#include "ui/charts/ticks.h"
#include "ui/language/local_text.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

ColumnChart::ColumnChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    offerTable(*this, [this] { return table(); });
    setFont(chartFont(font()));
}

void ColumnChart::setData(ColumnData data)
{
    m_data = std::move(data);
    m_hovered.reset();
    m_high = m_data.limit.value_or(0);
    for (std::size_t c = 0; c < m_data.columns.size(); ++c)
        m_high = std::max(m_high, sum(c));
    m_high = m_data.high.value_or(m_high) * 1.1;
    if (m_high <= 0)
        m_high = 1;
    setAccessibleName(m_data.title);
    update();
}

ChartTable ColumnChart::table() const
{
    ChartTable table{.columns = {m_data.xTitle}};
    for (const ColumnLayer &layer : m_data.layers)
        table.columns << layer.name;
    table.columns << tr("Total") << tr("Note");
    const auto text = [this](double value) { return m_data.text ? m_data.text(value) : QString::number(value); };
    for (std::size_t column = 0; column < m_data.columns.size(); ++column) {
        QStringList row{m_data.columns[column]};
        for (const ColumnLayer &layer : m_data.layers)
            row << text(layer.values[column]);
        row << text(sum(column)) << (column < m_data.notes.size() ? m_data.notes[column] : QString());
        table.rows.push_back(std::move(row));
    }
    return table;
}

double ColumnChart::sum(std::size_t column) const
{
    double all = 0;
    for (const ColumnLayer &layer : m_data.layers)
        all += layer.values[column];
    return all;
}

QRectF ColumnChart::plot() const
{
    const QFontMetricsF metrics(font());
    return QRectF(rect()).adjusted(
        58, metrics.height() + 10, -6, -(metrics.height() * (m_data.xTitle.isEmpty() ? 1 : 2) + 8));
}

QRectF ColumnChart::columnRect(std::size_t column) const
{
    const QRectF area = plot();
    const double width = area.width() / static_cast<double>(std::max<std::size_t>(1, m_data.columns.size()));
    return QRectF(area.left() + width * static_cast<double>(column), area.top(), width, area.height())
        .adjusted(width * 0.16, 0, -width * 0.16, 0);
}

void ColumnChart::drawAxis(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    const std::vector<double> ticks = niceTicks(0, m_high, static_cast<int>(std::clamp(area.height() / 34, 2.0, 6.0)));
    for (const double tick : ticks) {
        const double y = area.bottom() - tick / m_high * area.height();
        painter.setPen(QPen(themeColor(ThemeColor::Grid, palette()), 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(themeColor(ThemeColor::Muted, palette()));
        painter.drawText(QRectF(0, y - metrics.height(), area.left() - 6, 2 * metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter,
            localText(compactNumber(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : tick)) + m_data.unit);
    }
    painter.drawText(QRectF(area.left(), area.bottom() + 3 + metrics.height(), area.width(), metrics.height() + 2),
        Qt::AlignHCenter, m_data.xTitle);
    painter.setFont(chartTitleFont(font()));
    painter.setPen(themeColor(ThemeColor::Text, palette()));
    painter.drawText(QRectF(8, 2, width() - 12.0, metrics.height() + 4), Qt::AlignLeft | Qt::AlignTop, m_data.title);
    painter.setFont(font());
}

void ColumnChart::drawColumn(QPainter &painter, std::size_t column) const
{
    const QRectF box = columnRect(column);
    const QFontMetricsF metrics(font());
    const double top = box.bottom() - sum(column) / m_high * box.height();
    double layerTop = top;
    // Each layer reaches down to zero and is covered by those below it, so that no background shines through between.
    for (const ColumnLayer &layer : std::views::reverse(m_data.layers)) {
        const double height = layer.values[column] / m_high * box.height();
        if (height <= 0)
            continue;
        const double from = std::max(box.top(), layerTop);
        painter.fillRect(QRectF(box.left(), from, box.width(), std::max(0.0, box.bottom() - from)),
            isDark(palette()) ? layer.dark : layer.light);
        layerTop += height;
    }
    painter.setPen(themeColor(ThemeColor::Muted, palette()));
    painter.drawText(QRectF(box.left() - 20, box.bottom() + 3, box.width() + 40, metrics.height()),
        Qt::AlignHCenter | Qt::AlignTop, m_data.columns[column]);
    if (column < m_data.notes.size() && !m_data.notes[column].isEmpty()) {
        painter.setPen(themeColor(ThemeColor::Bad, palette()));
        painter.drawText(QRectF(box.left() - 20, std::max(box.top() - metrics.height() - 1, top - metrics.height() - 1),
                             box.width() + 40, metrics.height()),
            Qt::AlignCenter, m_data.notes[column]);
    }
}

void ColumnChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    drawAxis(painter);
    for (std::size_t c = 0; c < m_data.columns.size(); ++c)
        drawColumn(painter, c);
    const QRectF area = plot();
    if (m_data.limit && *m_data.limit <= m_high) {
        const double y = area.bottom() - *m_data.limit / m_high * area.height();
        painter.setPen(QPen(themeColor(ThemeColor::Text, palette()), 1.3, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    painter.setPen(QPen(themeColor(ThemeColor::Border, palette()), 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (!m_hovered)
        return;
    QStringList lines{m_data.title + QStringLiteral(" · ") + m_data.columns[*m_hovered]};
    const auto text = [this](double v) { return m_data.text ? m_data.text(v) : QString::number(v); };
    for (const auto &layer : std::views::reverse(m_data.layers)) {
        if (layer.values[*m_hovered] > 0)
            lines << layer.name + u'\t' + text(layer.values[*m_hovered]);
    }
    lines << tr("Total") + u'\t' + text(sum(*m_hovered));
    drawTooltip(painter, QRectF(rect()).adjusted(1, 1, -1, -1), {columnRect(*m_hovered).right(), area.center().y()},
        lines, palette());
}

void ColumnChart::mouseMoveEvent(QMouseEvent *event)
{
    std::optional<std::size_t> under;
    for (std::size_t c = 0; c < m_data.columns.size(); ++c) {
        if (columnRect(c).contains(event->position()))
            under = c;
    }
    if (under == m_hovered)
        return;
    m_hovered = under;
    setCursor(under ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void ColumnChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_hovered && event->button() == Qt::LeftButton)
        Q_EMIT chosen(*m_hovered);
}

void ColumnChart::leaveEvent(QEvent *)
{
    m_hovered.reset();
    update();
}

} // namespace slipway::ui
