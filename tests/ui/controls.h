// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What of a page a person can use, for tests that walk through all of it.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QLineEdit>

#include "ui/charts/chart_table.h"

namespace slipway::ui {

inline bool isControl(const QWidget &widget)
{
    return qobject_cast<const QAbstractButton *>(&widget) != nullptr ||
           qobject_cast<const QComboBox *>(&widget) != nullptr || qobject_cast<const QLineEdit *>(&widget) != nullptr ||
           qobject_cast<const QAbstractItemView *>(&widget) != nullptr || isChart(widget);
}

// Inside a list or a combo box Qt makes widgets of its own, which the outer one speaks for.
inline bool isPartOfAnother(const QWidget &widget)
{
    if (widget.objectName().startsWith(QStringLiteral("qt_")))
        return true;
    for (const QWidget *outer = widget.parentWidget(); outer != nullptr; outer = outer->parentWidget()) {
        if (qobject_cast<const QComboBox *>(outer) != nullptr ||
            qobject_cast<const QAbstractItemView *>(outer) != nullptr || isChart(*outer))
            return true;
    }
    return false;
}

} // namespace slipway::ui
