// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The base class of charts with selectable items. The mouse or the arrow keys move to an item, and a click or Enter
// chooses it.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

namespace slipway::ui {

class SelectableChart : public QWidget {
    Q_OBJECT
public:
    explicit SelectableChart(QWidget *parent = nullptr);

Q_SIGNALS:
    void chosen(std::size_t id);

protected:
    // Sets the ids of the items, in the order of the arrow keys. Items without an id cannot be chosen. With
    // `itemsPerRow`, Up and Down move by one row.
    void setItems(std::vector<std::optional<std::size_t>> ids, std::size_t itemsPerRow = 0);
    [[nodiscard]] virtual QRectF itemRect(
        std::size_t item) const = 0; // the area that reacts to the mouse; the nearest of several wins

    [[nodiscard]] std::optional<std::size_t> picked() const
    {
        return m_picked;
    } // the current item, if it can be chosen
    void drawFocus(QPainter &painter) const;

    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool choose();
    [[nodiscard]] std::optional<std::size_t> itemAt(QPointF at) const;
    [[nodiscard]] std::optional<std::size_t> itemBeside(int key) const;
    void pick(std::optional<std::size_t> item);

    std::vector<std::optional<std::size_t>> m_ids;
    std::size_t m_itemsPerRow = 0;
    std::optional<std::size_t> m_picked;
};

} // namespace slipway::ui
