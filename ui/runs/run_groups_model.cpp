// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_groups_model.h"

#include <algorithm>
#include <map>

#include "ui/widgets/text.h"

namespace slipway::ui {

RunGroupsModel::RunGroupsModel(QAbstractItemModel *source, QObject *parent)
    : QAbstractTableModel(parent),
      m_source(source)
{
    connect(source, &QAbstractItemModel::rowsInserted, this, &RunGroupsModel::rebuild);
    connect(source, &QAbstractItemModel::rowsRemoved, this, &RunGroupsModel::rebuild);
    connect(source, &QAbstractItemModel::rowsMoved, this, &RunGroupsModel::rebuild);
    connect(source, &QAbstractItemModel::layoutChanged, this, &RunGroupsModel::rebuild);
    connect(source, &QAbstractItemModel::modelReset, this, &RunGroupsModel::rebuild);
    connect(source, &QAbstractItemModel::dataChanged, this, &RunGroupsModel::forward);
}

void RunGroupsModel::setGrouping(GroupOf groupOf)
{
    m_groupOf = std::move(groupOf);
    rebuild();
}

void RunGroupsModel::rebuild()
{
    if (!m_groupOf)
        return;
    std::map<QString, std::vector<int>> groups;
    for (int row = 0; row < m_source->rowCount(); ++row)
        groups[m_groupOf(m_source->index(row, 0))].push_back(row);
    beginResetModel();
    m_rows.clear();
    for (const auto &[title, members] : groups) {
        m_rows.push_back({.group = title, .members = static_cast<int>(members.size())});
        for (const int row : members)
            m_rows.push_back({.group = title, .source = row});
    }
    endResetModel();
}

// Forwards changed values. The rows keep their positions unless a changed run now belongs to another group.
void RunGroupsModel::forward(const QModelIndex &first, const QModelIndex &last)
{
    if (!m_groupOf)
        return;
    for (int row = first.row(); row <= last.row(); ++row) {
        const int here = rowOf(row);
        if (here < 0 || m_rows[static_cast<std::size_t>(here)].group != m_groupOf(m_source->index(row, 0)))
            return rebuild();
    }
    for (int row = first.row(); row <= last.row(); ++row) {
        const int here = rowOf(row);
        Q_EMIT dataChanged(index(here, first.column()), index(here, last.column()));
    }
}

int RunGroupsModel::rowOf(int sourceRow) const
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [sourceRow](const Row &row) { return row.source == sourceRow; });
    return found == m_rows.end() || sourceRow < 0 ? -1 : static_cast<int>(found - m_rows.begin());
}

int RunGroupsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunGroupsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_source->columnCount();
}

QVariant RunGroupsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    if (row.source >= 0)
        return m_source->index(row.source, index.column()).data(role);
    const bool shows = role == Qt::DisplayRole || role == Qt::AccessibleTextRole;
    if (shows && index.column() == 0)
        return tr("%1 (%2)").arg(row.group).arg(row.members);
    if (role == Qt::FontRole)
        return fontOf(TextKind::Strong);
    return {};
}

QVariant RunGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal ? m_source->headerData(section, orientation, role) : QVariant();
}

Qt::ItemFlags RunGroupsModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    return isTitle(index.row()) ? Qt::ItemIsEnabled : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

void RunGroupsModel::sort(int column, Qt::SortOrder order) { m_source->sort(column, order); }

} // namespace slipway::ui
