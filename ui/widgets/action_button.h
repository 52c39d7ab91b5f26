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

// Creates an action of a page, which menus, buttons and the command palette trigger. `words` is its entry in a menu.
QAction *makeAction(QWidget *owner, const QString &words, const QString &tip, const QKeySequence &keys,
    const std::function<void()> &act);
// Creates a button that triggers the action. Its enabled state and its tooltip follow the action.
QPushButton *makeActionButton(QAction *action, const QString &text, const QString &accessibleName);
// Returns the action of such a button, or nullptr.
QAction *actionOf(const QWidget &button);
// Returns the tooltip of an action with its shortcut, such as "Undo: Micro-batch (Ctrl+Z)".
QString tipOf(const QAction &action);

} // namespace slipway::ui
