// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QKeySequence>
#include <QString>
#include <functional>

class QAction;
class QPushButton;
class QWidget;

namespace slipway::ui {

// An action of a page: menus, buttons and the command palette trigger it. `words` is its entry in a menu.
QAction *makeAction(QWidget *owner, const QString &words, const QString &tip, const QKeySequence &keys,
    const std::function<void()> &act);
// A button that triggers the action, and is enabled and explained as the action is.
QPushButton *makeActionButton(QAction *action, const QString &text, const QString &accessibleName);
// The tip of an action with its shortcut: "Undo: Micro-batch (Ctrl+Z)".
QString tipOf(const QAction &action);

} // namespace slipway::ui
