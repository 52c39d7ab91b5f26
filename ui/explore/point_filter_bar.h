// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <vector>

#include "ui/explore/sweep_model.h"

class QPushButton;

namespace slipway::ui {

class FlowLayout;
class SegmentedInput;
class ValueFilter;

// The filters for the points of a grid: by the values of each varied setting, by whether a point fits, and by whether
// it is on the Pareto front.
class PointFilterBar : public QWidget {
    Q_OBJECT
public:
    // The catalogue provides the names of the GPUs.
    explicit PointFilterBar(const Catalogue &catalogue, QWidget *parent = nullptr);

    void setGrid(const Grid &grid); // also resets the filters
    [[nodiscard]] const PointFilter &filter() const { return m_filter; }
    [[nodiscard]] ValueFilter *valuesOf(std::size_t axis) const; // nullptr if the grid does not vary the axis
    void clear();

Q_SIGNALS:
    void changed();

private:
    void setFilter(const PointFilter &filter);

    const Catalogue &m_catalogue;
    PointFilter m_filter;
    FlowLayout *m_row;
    std::vector<std::pair<std::size_t, ValueFilter *>> m_values; // by axis
    SegmentedInput *m_shown = nullptr;
    QPushButton *m_clear = nullptr;
};

} // namespace slipway::ui
