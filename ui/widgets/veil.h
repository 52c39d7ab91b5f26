// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPainter>
#include <QWidget>

namespace slipway::ui {

// Greys out the widgets below it, for results that do not belong to the current settings.
class Veil : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QColor color = palette().color(QPalette::Window);
        color.setAlphaF(0.65F);
        QPainter(this).fillRect(rect(), color);
    }
};

} // namespace slipway::ui
