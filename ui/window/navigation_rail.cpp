// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/navigation_rail.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

void NavigationRail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    painter.setPen(themeColor(ThemeColor::Border, palette()));
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

NavigationButton::NavigationButton(Icon icon, const QString &text, QWidget *parent)
    : QAbstractButton(parent),
      m_icon(icon)
{
    setText(text);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setFont(fontOf(TextKind::Small));
}

QSize NavigationButton::sizeHint() const { return {std::max(64, fontMetrics().horizontalAdvance(text()) + 6), 58}; }

void NavigationButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (isChecked() || underMouse() || hasFocus()) {
        painter.setPen(hasFocus() ? QPen(themeColor(ThemeColor::Accent, palette()), 1.4) : QPen(Qt::NoPen));
        painter.setBrush(isChecked()    ? themeColor(ThemeColor::AccentWash, palette())
                         : underMouse() ? themeColor(ThemeColor::Raised, palette())
                                        : QColor(0, 0, 0, 0));
        painter.drawRoundedRect(box, 9, 9);
    }
    const QColor color =
        isChecked() ? themeColor(ThemeColor::Accent, palette()) : themeColor(ThemeColor::Muted, palette());
    paintIcon(painter, {width() / 2.0, 21}, color);
    painter.setPen(isChecked() ? themeColor(ThemeColor::Accent, palette()) : palette().color(QPalette::Text));
    painter.setFont(font());
    painter.drawText(QRect(0, 36, width(), height() - 40), Qt::AlignHCenter | Qt::AlignTop, text());
}

void NavigationButton::paintIcon(QPainter &painter, const QPointF &c, const QColor &color) const
{
    painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    switch (m_icon) {
    case Icon::Plan: { // bars under a limit
        painter.drawLine(c + QPointF(-10, -8), c + QPointF(10, -8));
        painter.setBrush(color);
        for (const auto &[x, height] : {std::pair{-8.0, 6.0}, std::pair{-1.5, 12.0}, std::pair{5.0, 9.0}})
            painter.drawRect(QRectF(c.x() + x, c.y() + 8 - height, 3, height));
        break;
    }
    case Icon::Explore: // a grid with one point that stands out
        for (int i = 0; i < 9; ++i) {
            painter.setBrush(i == 2 ? QBrush(color) : QBrush(Qt::NoBrush));
            const int column = i % 3, row = i / 3;
            painter.drawRect(QRectF(c.x() - 9 + column * 7, c.y() - 9 + row * 7, 4, 4));
        }
        break;
    case Icon::Runs: { // a falling curve
        QPainterPath path(c + QPointF(-10, -8));
        path.cubicTo(c + QPointF(-6, 6), c + QPointF(0, 5), c + QPointF(10, 6));
        painter.drawPath(path);
        painter.drawPolyline(QPolygonF({c + QPointF(-10, 10), c + QPointF(10, 10)}));
        break;
    }
    case Icon::Hosts: // stacked machines
        for (const double y : {-9.0, 1.0}) {
            painter.drawRoundedRect(QRectF(c.x() - 10, c.y() + y, 20, 8), 2, 2);
            painter.drawPoint(c + QPointF(-6, y + 4));
        }
        break;
    case Icon::Serve: // a question and its answer
        painter.drawRoundedRect(QRectF(c.x() - 10, c.y() - 9, 14, 8), 3, 3);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(c.x() - 4, c.y() + 2, 14, 8), 3, 3);
        break;
    case Icon::Scheme: // half light, half dark
        painter.drawEllipse(c, 8, 8);
        painter.setBrush(color);
        painter.setPen(Qt::NoPen);
        painter.drawPie(QRectF(c.x() - 8, c.y() - 8, 16, 16), 90 * 16, 180 * 16);
        break;
    }
}

} // namespace slipway::ui
