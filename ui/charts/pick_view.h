// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What charts of things that can be picked share: the item under the mouse, arrows that walk, Enter and click that choose.
#pragma once

#include <QWidget>
#include <optional>

namespace slipway::ui {

class PickView : public QWidget {
    Q_OBJECT
public:
    explicit PickView(QWidget *parent = nullptr);

Q_SIGNALS:
    void chosen(std::size_t id);

protected:
    // Items count from 0; a chart numbers them as it likes.
    [[nodiscard]] virtual std::optional<std::size_t> itemAt(QPointF at) const = 0;
    // Where an arrow key leads from an item, or from none; empty where there is nothing.
    [[nodiscard]] virtual std::optional<std::size_t> itemBeside(std::optional<std::size_t> item, int key) const = 0;
    [[nodiscard]] virtual std::optional<std::size_t> idOf(std::size_t item) const = 0; // empty: cannot be chosen

    [[nodiscard]] std::optional<std::size_t> picked() const { return m_picked; }
    void pick(std::optional<std::size_t> item);

    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool choose();

    std::optional<std::size_t> m_picked;
};

} // namespace slipway::ui
