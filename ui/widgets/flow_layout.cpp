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
    return widest.grownBy(contentsMargins());
}

QSize FlowLayout::sizeHint() const
{
    if (!m_fillsLines)
        return minimumSize();
    QSize line(-spacing(), 0);
    for (const auto &item : m_items) {
        const QSize size = item->sizeHint().expandedTo(item->minimumSize());
        line = QSize(line.width() + spacing() + size.width(), std::max(line.height(), size.height()));
    }
    return line.grownBy(contentsMargins());
}

int FlowLayout::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    return place(QRect(0, 0, width - margins.left() - margins.right(), 0), false) + margins.top() + margins.bottom();
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    place(rect.marginsRemoved(contentsMargins()), true);
}

void FlowLayout::setFillsLines(bool on)
{
    m_fillsLines = on;
    invalidate();
}

int FlowLayout::place(const QRect &rect, bool move) const
{
    const auto sizeOf = [](const QLayoutItem &item) { return item.sizeHint().expandedTo(item.minimumSize()); };
    int y = rect.top();
    for (std::size_t first = 0; first < m_items.size();) {
        std::size_t last = first;
        int width = 0, height = 0;
        for (; last < m_items.size(); ++last) {
            const QSize size = sizeOf(*m_items[last]);
            if (last > first && width + spacing() + size.width() > rect.width())
                break;
            width += size.width() + (last > first ? spacing() : 0);
            height = std::max(height, size.height());
        }
        if (move)
            placeLine(QRect(rect.left(), y, rect.width(), height), first, last, rect.width() - width);
        y += height + (last < m_items.size() ? spacing() : 0);
        first = last;
    }
    return y - rect.top();
}

void FlowLayout::placeLine(const QRect &line, std::size_t first, std::size_t last, int spare) const
{
    int x = line.left(), left = m_fillsLines ? std::max(0, spare) : 0;
    for (std::size_t i = first; i < last; ++i) {
        QSize size = m_items[i]->sizeHint().expandedTo(m_items[i]->minimumSize());
        const int share = left / static_cast<int>(last - i);
        left -= share;
        size.rwidth() += share;
        m_items[i]->setGeometry(QRect(QPoint(x, line.top()), size));
        x += size.width() + spacing();
    }
}

} // namespace slipway::ui
