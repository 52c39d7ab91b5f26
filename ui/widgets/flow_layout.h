// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace slipway::ui {

// Places items side by side and wraps them into as many lines as needed.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(int gap, QWidget *parent = nullptr);

    // Widens the items of each line so that they fill it.
    void setFillsLines(bool on);

    void addItem(QLayoutItem *item) override;
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override; // the size of one line, if lines are filled
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    int place(const QRect &rect, bool move) const; // returns the required height
    void placeLine(const QRect &line, std::size_t first, std::size_t last, int spare) const;

    bool m_fillsLines = false;
    std::vector<std::unique_ptr<QLayoutItem>> m_items;
};

} // namespace slipway::ui
