// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>

namespace slipway::ui {

// The bar on the left with the buttons of the pages.
class NavigationRail : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent *event) override;
};

// A button with a drawn icon above its text.
class NavigationButton : public QAbstractButton {
    Q_OBJECT
public:
    enum class Icon { Plan, Explore, Runs, Hosts, Serve, Scheme };
    NavigationButton(Icon icon, const QString &text, QWidget *parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintIcon(QPainter &painter, const QPointF &center, const QColor &color) const;

    Icon m_icon;
};

} // namespace slipway::ui
