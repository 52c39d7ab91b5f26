// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <set>
#include <vector>

class QPushButton;

namespace slipway::ui {

// The buttons and fields at the right of a header. In a narrow window, a menu takes the place of the buttons that do
// not fit, from right to left. Fields and primary buttons always stay.
class ActionRow : public QWidget {
    Q_OBJECT
public:
    explicit ActionRow(const std::vector<QWidget *> &items, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    // Whether the row has the item, in the row itself or in the menu.
    [[nodiscard]] bool has(const QWidget &item) const;
    [[nodiscard]] int widthWithout(const std::set<QWidget *> &inMenu, bool least) const;
    void arrange();
    void fillMenu();

    std::vector<QWidget *> m_items;
    std::set<QWidget *> m_inMenu;
    QPushButton *m_more;
};

} // namespace slipway::ui
