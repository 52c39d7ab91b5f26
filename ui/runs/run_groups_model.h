// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows the rows of another table in groups, each below a row with the title of the group.
#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <vector>

namespace slipway::ui {

class RunGroupsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    // Returns the title of the group to which a row of `source` belongs.
    using GroupOf = std::function<QString(const QModelIndex &sourceRow)>;

    explicit RunGroupsModel(QAbstractItemModel *source, QObject *parent = nullptr);
    void setGrouping(GroupOf groupOf);

    [[nodiscard]] bool isTitle(int row) const { return m_rows[static_cast<std::size_t>(row)].source < 0; }
    // Returns the row that shows a row of the source, or -1 if none does.
    [[nodiscard]] int rowOf(int sourceRow) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Row {
        QString group;
        int source = -1; // row of the source, or -1 for the title of a group
        int members = 0; // number of members, for a title
    };
    void rebuild();
    void forward(const QModelIndex &first, const QModelIndex &last);

    QAbstractItemModel *m_source;
    GroupOf m_groupOf;
    std::vector<Row> m_rows;
};

} // namespace slipway::ui
