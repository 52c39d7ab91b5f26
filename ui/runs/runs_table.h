// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The list of runs: its columns, its sort order, and the grouping of its rows.
#pragma once

#include <QTableView>
#include <filesystem>
#include <vector>

#include "report/runs_csv.h"
#include "ui/runs/runs_model.h"

class QAction;
class QMenu;

namespace slipway::ui {

class RunGroupsModel;

enum class RunGrouping { None, Tags, Model, State, Host };

class RunsTable : public QTableView {
    Q_OBJECT
public:
    RunsTable(RunsModel *model, RunsFilterModel *sorted, QWidget *parent = nullptr);

    void setGrouping(RunGrouping grouping);
    [[nodiscard]] RunGrouping grouping() const { return m_grouping; }
    // Returns the index at which the table shows a row of the model. It is invalid if a filter hides the row.
    [[nodiscard]] QModelIndex indexOf(int modelRow) const;
    [[nodiscard]] std::vector<std::filesystem::path> selectedRuns() const;
    // Return the runs and the columns that the table shows, in the shown order.
    [[nodiscard]] std::vector<RunEntry> shownRuns() const;
    [[nodiscard]] std::vector<RunColumn> shownColumns() const;

    // The menus "Columns" and "Group by", for the menu bar and for a right click on the header.
    [[nodiscard]] QMenu *columnsMenu() const { return m_columnsMenu; }
    [[nodiscard]] QMenu *groupsMenu() const { return m_groupsMenu; }

    // Save and restore the widths, order and choice of the columns, and the grouping, between sessions.
    [[nodiscard]] QByteArray saveColumns() const;
    bool restoreColumns(const QByteArray &state);

Q_SIGNALS:
    void selectedRunsChanged();
    void regrouped();      // the rows have moved, and none is selected
    void columnsChanged(); // emitted when the result of saveColumns() has changed

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void useModel(QAbstractItemModel *model);
    void spanTitles();
    void connectColumns();
    void fillWithName();
    void makeMenus();
    void refreshMenus();
    [[nodiscard]] QString groupOf(const QModelIndex &row) const;

    RunsModel *m_model;
    RunsFilterModel *m_sorted;
    RunGroupsModel *m_groups;
    RunGrouping m_grouping = RunGrouping::None;
    bool m_nameFills = true;  // the column of names fills the width that the other columns leave
    bool m_adjusting = false; // whether the table itself is resizing columns
    QMenu *m_columnsMenu, *m_groupsMenu;
    std::vector<QAction *> m_columnActions, m_groupActions;
};

} // namespace slipway::ui
