// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyledItemDelegate>

#include "ui/theme/theme_colors.h"

namespace slipway::ui {

// Draws the rows of points that do not fit in a muted color.
class PointDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!index.data(Qt::UserRole).toBool())
            option->palette.setColor(QPalette::Text, themeColor(ThemeColor::Muted, option->palette));
    }
};

} // namespace slipway::ui
