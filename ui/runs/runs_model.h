// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <vector>

#include "ui/runs/run_view.h"

namespace slipway::ui {

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, State, Progress, Speed, Loss, Left, Changed, ColumnCount };
    enum Role { SortRole = Qt::UserRole, StateRole, FractionRole, DirectoryRole };

    using QAbstractTableModel::QAbstractTableModel;

    // Keeps rows in place where only their figures changed.
    void setRows(const std::vector<RunRow> &rows);
    [[nodiscard]] const std::vector<RunRow> &rows() const { return m_rows; }
    [[nodiscard]] int find(const std::filesystem::path &directory) const; // row, -1: not there

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<RunRow> m_rows;
};

// Draws a state as a pill and progress as a bar.
class RunsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace slipway::ui
