// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_tooltip.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <vector>

#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

constexpr double kMargin = 10, kBetween = 18; // margins; the gap between name and value and between columns

// A column of the lines below the title, with one line per row.
struct Column {
    qsizetype first = 0, end = 0;
    double width = 0;
};

double widthOf(const QStringList &lines, qsizetype first, qsizetype end, const QFontMetricsF &metrics)
{
    double names = 0, values = 0, whole = 0;
    for (qsizetype i = first; i < end; ++i) {
        if (!lines[i].contains(u'\t')) {
            whole = std::max(whole, metrics.horizontalAdvance(lines[i]));
            continue;
        }
        names = std::max(names, metrics.horizontalAdvance(lines[i].section(u'\t', 0, 0)));
        values = std::max(values, metrics.horizontalAdvance(lines[i].section(u'\t', 1)));
    }
    return std::max(whole, values > 0 || names > 0 ? names + values + kBetween : 0.0);
}

// Uses one column if title and lines fit into `rows`, and otherwise as many columns as needed.
std::vector<Column> columnsOf(const QStringList &lines, qsizetype rows, const QFontMetricsF &metrics)
{
    const qsizetype each = std::max<qsizetype>(1, lines.size() <= rows ? lines.size() : rows - 1);
    std::vector<Column> columns;
    for (qsizetype first = 1; first < lines.size(); first += each) {
        const qsizetype end = std::min(lines.size(), first + each);
        columns.push_back({first, end, widthOf(lines, first, end, metrics)});
    }
    return columns;
}

void drawLine(
    QPainter &painter, const QRectF &place, const QString &line, const QColor &nameColor, const QColor &valueColor)
{
    painter.setPen(nameColor);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, line.section(u'\t', 0, 0));
    painter.setPen(valueColor);
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, line.section(u'\t', 1));
}

} // namespace

void drawTooltip(
    QPainter &painter, const QRectF &bounds, QPointF anchor, const QStringList &lines, const QPalette &palette)
{
    if (lines.isEmpty())
        return;
    const QFontMetricsF metrics(painter.font());
    const double row = metrics.height() + 2;
    const std::vector<Column> columns = columnsOf(lines, static_cast<qsizetype>((bounds.height() - 14) / row), metrics);
    double words = -kBetween;
    for (const Column &column : columns)
        words += column.width + kBetween;
    const double inner = std::max(words, widthOf(lines, 0, 1, metrics)), width = inner + 2 * kMargin;
    const auto deep = columns.empty() ? 0 : columns.front().end - columns.front().first;
    const double height = row * static_cast<double>(1 + deep) + 14;
    QRectF box(anchor.x() + 12, anchor.y() - height / 2, width, height);
    if (box.right() > bounds.right())
        box.moveRight(anchor.x() - 12);
    box.moveLeft(std::max(std::min(box.left(), bounds.right() - width), bounds.left()));
    box.moveTop(std::clamp(box.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - height)));
    painter.setPen(QPen(themeColor(ThemeColor::Border, palette), 1));
    painter.setBrush(themeColor(ThemeColor::Surface, palette));
    painter.drawRoundedRect(box, 5, 5);
    const QColor text = themeColor(ThemeColor::Text, palette), muted = themeColor(ThemeColor::Muted, palette);
    drawLine(painter, {box.left() + kMargin, box.top() + 7, inner, row}, lines.front(), text, text);
    double left = box.left() + kMargin;
    for (const Column &column : columns) {
        const double across = columns.size() == 1 ? inner : column.width;
        for (qsizetype i = column.first; i < column.end; ++i)
            drawLine(painter, {left, box.top() + 7 + row * static_cast<double>(1 + i - column.first), across, row},
                lines[i], muted, text);
        left += across + kBetween;
    }
}

QFont chartFont(QFont window)
{
    window.setPointSizeF(std::max(7.5, window.pointSizeF() * 0.86));
    return window;
}

QFont chartTitleFont(QFont labels)
{
    labels.setPointSizeF(labels.pointSizeF() / 0.86);
    labels.setWeight(QFont::DemiBold);
    return labels;
}

} // namespace slipway::ui
