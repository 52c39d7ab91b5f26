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

// The filters of a grid's points: the values of each varied setting, and whether points fit or are on the front.
class PointFilterBar : public QWidget {
    Q_OBJECT
public:
    explicit PointFilterBar(const Catalogue &catalogue, QWidget *parent = nullptr); // it names the GPUs

    void setGrid(const Grid &grid); // and shows all points again
    [[nodiscard]] const PointFilter &filter() const { return m_filter; }
    [[nodiscard]] ValueFilter *valuesOf(std::size_t axis) const; // nullptr: the grid does not vary it
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
