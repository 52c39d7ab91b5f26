// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "hardware/user_prices.h"

namespace slipway::ui {

// Presents the rows of one price book as texts. The rows of a shipped book are read-only.
class PriceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { GpuName, Usd, Gpus, Instance, Region, Source, AsOf, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void set(const PriceBook &book, bool editable);
    [[nodiscard]] const std::vector<PriceEdit> &edits() const { return m_edits; }
    [[nodiscard]] bool changed() const { return m_changed; }
    void addRow(const QString &gpu);
    void removeRow(int row);
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_edits.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

private:
    std::vector<PriceEdit> m_edits;
    std::vector<QString> m_dates; // by row; empty if the row was edited today
    bool m_editable = false, m_changed = false;
};

} // namespace slipway::ui
