// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/reading_box.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

#include "ui/theme/colours.h"

namespace slipway::ui {

void drawReadingBox(QPainter &painter, const QRectF &bounds, QPointF anchor, const QStringList &lines, const QPalette &palette)
{
    const QFontMetricsF metrics(painter.font());
    double names = 0, values = 0, whole = 0;
    for (const QString &line : lines) {
        const bool paired = line.contains(u'\t');
        if (!paired)
            whole = std::max(whole, metrics.horizontalAdvance(line));
        names = std::max(names, paired ? metrics.horizontalAdvance(line.section(u'\t', 0, 0)) : 0.0);
        values = std::max(values, paired ? metrics.horizontalAdvance(line.section(u'\t', 1)) : 0.0);
    }
    const double row = metrics.height() + 2, width = std::max(whole, names + values + 18) + 20, height = row * static_cast<double>(lines.size()) + 14;
    QRectF box(anchor.x() + 12, anchor.y() - height / 2, width, height);
    if (box.right() > bounds.right())
        box.moveRight(anchor.x() - 12);
    box.moveLeft(std::max(box.left(), bounds.left()));
    box.moveTop(std::clamp(box.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - height)));
    painter.setPen(QPen(ink(Ink::Border, palette), 1));
    painter.setBrush(ink(Ink::Surface, palette));
    painter.drawRoundedRect(box, 5, 5);
    double y = box.top() + 7;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QRectF place(box.left() + 10, y, width - 20, row);
        painter.setPen(i == 0 ? ink(Ink::Text, palette) : ink(Ink::Muted, palette));
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, lines[i].section(u'\t', 0, 0));
        painter.setPen(ink(Ink::Text, palette));
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, lines[i].section(u'\t', 1));
        y += row;
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
