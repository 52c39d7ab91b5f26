// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "explore/sweep.h"
#include "ui/widgets/card.h"

class QHBoxLayout;

namespace slipway {
struct Catalogue;
}

namespace slipway::ui {

class ComboInput;
class HeatMap;

// A heat map of the best points of a grid over two of its settings. The user chooses the settings and the figure that
// defines "best".
class HeatView : public Card {
    Q_OBJECT
public:
    // The catalogue provides the titles of the GPUs.
    explicit HeatView(const Catalogue &catalogue, QWidget *parent = nullptr);

    // Offers the settings that the grid varies, and figures in dollars or, with relative prices, in units.
    void setGrid(const Grid &grid, bool relativePrices);
    // Draws `points`, which are indices into the points of the sweep. Call setGrid() first.
    void show(const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points);
    using QWidget::show;

Q_SIGNALS:
    void chosen(std::size_t point);
    void edited(); // emitted after a choice has changed, so that the map is drawn again

private:
    const Catalogue &m_catalogue;
    HeatMap *m_map;
    QHBoxLayout *m_choices;
    ComboInput *m_rows = nullptr, *m_columns = nullptr, *m_figure = nullptr;
};

} // namespace slipway::ui
