// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/action_button.h"

#include <QAction>
#include <QPushButton>
#include <QVariant>

namespace slipway::ui {

namespace {

constexpr const char *kAction = "action"; // property of a button

} // namespace

QAction *makeAction(QWidget *owner, const QString &words, const QString &tip, const QKeySequence &keys,
    const std::function<void()> &act)
{
    auto *action = new QAction(words, owner);
    action->setToolTip(tip);
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, owner, act);
    return action;
}

QPushButton *makeActionButton(QAction *action, const QString &text, const QString &accessibleName)
{
    auto *button = new QPushButton(text);
    button->setAccessibleName(accessibleName);
    button->setProperty(kAction, QVariant::fromValue(action));
    const auto follow = [button, action] {
        button->setEnabled(action->isEnabled());
        button->setToolTip(tipOf(*action));
    };
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    return button;
}

QAction *actionOf(const QWidget &button) { return button.property(kAction).value<QAction *>(); }

QString tipOf(const QAction &action)
{
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? action.toolTip() : action.toolTip() + QStringLiteral(" (") + keys + u')';
}

} // namespace slipway::ui
