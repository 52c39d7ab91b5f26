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

// A small card of words beside `anchor`, kept inside `bounds`: what the cursor is on. A line may be "name\tvalue"; the
// first is its title. Where they are more than `bounds` has room for beneath each other, they stand in columns.
void drawTooltip(
    QPainter &painter, const QRectF &bounds, QPointF anchor, const QStringList &lines, const QPalette &palette);

// Of a chart's labels, and of its title, from the window's own.
QFont chartFont(QFont window);
QFont chartTitleFont(QFont labels);

} // namespace slipway::ui
