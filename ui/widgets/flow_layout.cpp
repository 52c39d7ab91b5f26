// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/flow_layout.h"

#include <algorithm>

namespace slipway::ui {

FlowLayout::FlowLayout(int gap, QWidget *parent) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(gap);
}

void FlowLayout::addItem(QLayoutItem *item) { m_items.emplace_back(item); }

QLayoutItem *FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    if (index < 0 || index >= count())
        return nullptr;
    const auto taken = m_items.begin() + index;
    QLayoutItem *item = taken->release();
    m_items.erase(taken);
    return item;
}

QSize FlowLayout::minimumSize() const
{
    QSize widest;
    for (const auto &item : m_items)
        widest = widest.expandedTo(item->minimumSize());
    return widest;
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect &rect, bool move) const
{
    int x = rect.left(), y = rect.top(), line = 0;
    for (const auto &item : m_items) {
        const QSize size = item->sizeHint().expandedTo(item->minimumSize());
        if (x > rect.left() && x + size.width() > rect.left() + rect.width()) {
            x = rect.left();
            y += line + spacing();
            line = 0;
        }
        if (move)
            item->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    return y + line - rect.top();
}

} // namespace slipway::ui
