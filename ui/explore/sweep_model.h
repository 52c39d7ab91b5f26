// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Presents the points of a sweep as a table, with one column per varied setting, followed by the results. The model
// sorts and filters numbers itself, so that 100,000 rows take a few milliseconds.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "explore/sweep.h"

namespace slipway::ui {

enum class ShownPoints { All, Fitting, Front };

struct PointFilter {
    // The indices of the accepted values by axis. An axis without an entry accepts all values.
    std::map<std::size_t, std::set<std::size_t>> values;
    ShownPoints shown = ShownPoints::All;
    bool operator==(const PointFilter &) const = default;
};

// Returns those of the given points that no other given point beats in throughput, cost efficiency and memory at once,
// in ascending order.
std::vector<std::size_t> frontOf(const Sweep &sweep, const std::vector<std::size_t> &points);

// Returns the indices into sweep.points that pass the filter. The Pareto front is computed from the points with the
// accepted values.
std::vector<std::size_t> filteredPoints(const Sweep &sweep, const PointFilter &filter);

// Whether all prices of the grid are ratios, which are no amounts of money.
bool hasRelativePrices(const Sweep &sweep, const Catalogue &catalogue);
// "Tokens per $", or "Tokens per unit" with relative prices.
QString tokensPerPriceName(bool relative);

class SweepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Figure { VerdictColumn, Peak, TokensPerUsd, Speed, Mfu, SpeedPerGpu, UsdPerBillion, FigureCount };
    // The result columns follow those of the varied settings.
    [[nodiscard]] int columnOf(Figure figure) const { return static_cast<int>(m_axes.size()) + figure; }
    // The catalogue provides the names of the GPUs. Without it, their ids are shown.
    explicit SweepModel(const Catalogue *catalogue = nullptr, QObject *parent = nullptr)
        : QAbstractTableModel(parent),
          m_catalogue(catalogue)
    {
    }

    void setSweep(std::shared_ptr<const Sweep> sweep);
    void setFilter(const PointFilter &filter);
    // Returns an index into sweep.points.
    [[nodiscard]] std::size_t pointAt(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const std::vector<std::size_t> &rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    [[nodiscard]] QString text(const SweepPoint &point, int column) const;
    [[nodiscard]] double key(const SweepPoint &point, int column) const;
    void arrange();

    const Catalogue *m_catalogue;
    std::shared_ptr<const Sweep> m_sweep;
    std::vector<std::size_t> m_axes; // the varied axes
    std::vector<std::size_t> m_rows;
    PointFilter m_filter;
    bool m_relative = false; // prices are ratios
    int m_sortColumn = -1;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

} // namespace slipway::ui
