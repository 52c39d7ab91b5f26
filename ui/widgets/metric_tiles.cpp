// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/metric_tiles.h"

#include <QGridLayout>
#include <QResizeEvent>

#include <algorithm>

namespace slipway::ui {

MetricTiles::MetricTiles(int count, QWidget *parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(kGap);
    for (int i = 0; i < count; ++i)
        m_tiles.push_back(new MetricTile);
    setColumns(count);
}

void MetricTiles::set(const std::vector<MetricDisplay> &figures)
{
    for (std::size_t i = 0; i < std::min(m_tiles.size(), figures.size()); ++i)
        m_tiles[i]->set(figures[i]);
    // Figures that grow and shrink again must not move the tiles back and forth, so only a resize gives more columns.
    if (m_followsWidth)
        setColumns(std::min(m_columns, columnsWithin(width())));
}

void MetricTiles::followWidth()
{
    m_followsWidth = true;
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void MetricTiles::resizeEvent(QResizeEvent *event)
{
    if (m_followsWidth && event->size().width() != event->oldSize().width())
        setColumns(columnsWithin(event->size().width()));
    QWidget::resizeEvent(event);
}

void MetricTiles::setColumns(int columns)
{
    if (m_columns == columns)
        return;
    m_columns = columns;
    for (int i = 0; i < static_cast<int>(m_tiles.size()); ++i) {
        m_grid->addWidget(m_tiles[static_cast<std::size_t>(i)], i / columns, i % columns);
        m_grid->setColumnStretch(i, i < columns ? 1 : 0);
    }
}

int MetricTiles::widthOf(int columns) const
{
    int widest = 0;
    for (const MetricTile *tile : m_tiles)
        widest = std::max(widest, tile->minimumSizeHint().width());
    return columns * (widest + kGap) - kGap;
}

int MetricTiles::columnsWithin(int width) const
{
    const int count = static_cast<int>(m_tiles.size());
    int row = -kGap;
    for (const MetricTile *tile : m_tiles)
        row += tile->minimumSizeHint().width() + kGap;
    if (row <= width)
        return count;
    for (const int columns : {count / 2, count / 3}) {
        if (columns > 0 && widthOf(columns) <= width)
            return columns;
    }
    return 1;
}

} // namespace slipway::ui
