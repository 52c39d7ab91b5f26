// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/segment_button.h"

#include <QPainter>

#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

SegmentButton::SegmentButton(const QString &text, QWidget *parent) : QAbstractButton(parent)
{
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setFont(fontOf(TextKind::Small));
    setAttribute(Qt::WA_Hover);
}

QFont SegmentButton::chosenFont() const
{
    QFont words = font();
    words.setWeight(QFont::DemiBold);
    return words;
}

QSize SegmentButton::sizeHint() const { return {QFontMetrics(chosenFont()).horizontalAdvance(text()) + 10, 26}; }

void SegmentButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (isChecked() || hasFocus()) {
        painter.setPen(
            QPen(hasFocus() ? themeColor(ThemeColor::Accent, palette()) : themeColor(ThemeColor::Border, palette()),
                hasFocus() ? 1.6 : 1));
        painter.setBrush(isChecked() ? QBrush(palette().color(QPalette::Base)) : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(box, 4.5, 4.5);
    }
    painter.setPen(
        isChecked() || underMouse() ? palette().color(QPalette::Text) : themeColor(ThemeColor::Muted, palette()));
    painter.setFont(isChecked() ? chosenFont() : font());
    painter.drawText(rect(), Qt::AlignCenter, text());
}

} // namespace slipway::ui
