// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/path_edit.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStyleOptionFrame>
#include <QToolTip>

#include "ui/widgets/text.h"

namespace slipway::ui {

QRect PathEdit::textArea() const
{
    constexpr int kSides = 2; // the margin that QLineEdit has beside its text
    QStyleOptionFrame option;
    initStyleOption(&option);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &option, this)
        .marginsRemoved(textMargins())
        .adjusted(kSides, 0, -kSides, 0);
}

QString PathEdit::shownText() const
{
    return hasFocus() || !text().contains(u'/') ? text()
                                                : fontMetrics().elidedText(text(), Qt::ElideMiddle, textArea().width());
}

bool PathEdit::event(QEvent *event)
{
    // If the field has no changes to undo, the shortcut is left to the window.
    if (event->type() == QEvent::ShortcutOverride && !isUndoAvailable() &&
        static_cast<QKeyEvent *>(event)->matches(QKeySequence::Undo)) {
        event->ignore();
        return false;
    }
    if (event->type() != QEvent::ToolTip || shownText() == text())
        return QLineEdit::event(event);
    QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), tipText(text()), this);
    return true;
}

void PathEdit::paintEvent(QPaintEvent *event)
{
    const QString shown = shownText();
    if (shown == text())
        return QLineEdit::paintEvent(event);
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(textArea(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
}

} // namespace slipway::ui
