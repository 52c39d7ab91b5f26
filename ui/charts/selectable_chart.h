// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What charts of things that can be picked share: the item under the mouse, arrows that walk, Enter and click that
// choose.
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
    // What can be picked, in the order in which arrow keys walk, with the id that is told of each (empty: cannot be
    // chosen). Up and down lead a row on where items stand in rows of so many.
    void setItems(std::vector<std::optional<std::size_t>> ids, std::size_t itemsPerRow = 0);
    [[nodiscard]] virtual QRectF itemRect(
        std::size_t item) const = 0; // where it is under the mouse; of several the nearest

    [[nodiscard]] std::optional<std::size_t> picked() const { return m_picked; } // one that can be chosen
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
