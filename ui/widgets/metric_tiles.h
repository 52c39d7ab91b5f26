// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <vector>

#include "ui/widgets/metric_tile.h"

class QGridLayout;

namespace slipway::ui {

// Arranges tiles of equal width in rows.
class MetricTiles : public QWidget {
    Q_OBJECT
public:
    static constexpr int kGap = 10;

    explicit MetricTiles(int count, QWidget *parent = nullptr);

    [[nodiscard]] const std::vector<MetricTile *> &tiles() const { return m_tiles; }
    void set(const std::vector<MetricDisplay> &figures);
    void setColumns(int columns);
    // Arranges the tiles within the width that the layout gives, which may be less than that of one row.
    void followWidth();
    // Returns the width of this number of columns at which no tile is cut.
    [[nodiscard]] int widthOf(int columns) const;
    // Returns as many columns as fit, but never a number that leaves a gap in the last row.
    [[nodiscard]] int columnsWithin(int width) const;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QGridLayout *m_grid;
    std::vector<MetricTile *> m_tiles;
    int m_columns = 0;
    bool m_followsWidth = false;
};

} // namespace slipway::ui
