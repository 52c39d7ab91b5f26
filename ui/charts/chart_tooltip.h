// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QFont>
#include <QPalette>
#include <QPointF>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace slipway::ui {

// Draws a tooltip beside `anchor`, kept inside `bounds`. The first line is its title. The other lines can have the form
// "name\tvalue". Lines that do not fit below each other are arranged in columns.
void drawTooltip(
    QPainter &painter, const QRectF &bounds, QPointF anchor, const QStringList &lines, const QPalette &palette);

// Return the fonts of chart labels and titles, derived from the window's font.
QFont chartFont(QFont window);
QFont chartTitleFont(QFont labels);

} // namespace slipway::ui
