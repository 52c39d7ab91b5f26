// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <vector>

#include "ui/runs/run_display.h"

namespace slipway::ui {

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Name,
        State,
        Progress,
        Speed,
        Loss,
        Left,
        Cost,
        Tags,
        Changed,
        Model,
        Hardware,
        HostName,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole, StateRole, FractionRole, DirectoryRole };

    using QAbstractTableModel::QAbstractTableModel;

    // Updates rows in place if only their values changed.
    void setRows(const std::vector<RunRow> &rows);
    [[nodiscard]] const std::vector<RunRow> &rows() const { return m_rows; }
    [[nodiscard]] const RunRow &row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int find(const std::filesystem::path &directory) const; // the row, or -1

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void setOrder(const std::vector<RunRow> &rows);
    std::vector<RunRow> m_rows;
};

// Contains the rows that pass the filter.
class RunsFilterModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunsFilterModel(RunsModel *source, QObject *parent = nullptr);
    void setFilter(const RunFilter &filter);
    void setShowArchived(bool on);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    RunsModel *m_source;
    RunFilter m_filter;
    bool m_showArchived = false;
};

// Draws a state as a pill and progress as a bar.
class RunsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace slipway::ui
