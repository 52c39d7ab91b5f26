// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_table.h"

#include <QAction>
#include <QActionGroup>
#include <QDataStream>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>

#include <algorithm>
#include <array>
#include <memory>

#include "ui/language/core_texts.h"
#include "ui/runs/run_groups_model.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kRowHeight = 31, kLeastColumn = 60;
constexpr int kLeastName = 140; // where the columns are scrolled, the names of runs can still be read
constexpr std::array kWidths{0, 108, 150, 92, 96, 104, 84, 120, 132, 150, 150, 110};
static_assert(kWidths.size() == RunsModel::ColumnCount);

// Details that few lists need. The menu of the header shows them.
constexpr std::array kHiddenAtFirst{RunsModel::Model, RunsModel::Hardware, RunsModel::HostName};

} // namespace

RunsTable::RunsTable(RunsModel *model, RunsFilterModel *sorted, QWidget *parent)
    : QTableView(parent),
      m_model(model),
      m_sorted(sorted),
      m_groups(new RunGroupsModel(sorted, this)),
      m_columnsMenu(new QMenu(tr("Co&lumns"), this)),
      m_groupsMenu(new QMenu(tr("&Group by"), this))
{
    setItemDelegate(new RunsDelegate(this));
    setAccessibleName(tr("Runs"));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    useModel(m_sorted);
    setSortingEnabled(true);
    m_sorted->sort(-1);
    QHeaderView *header = horizontalHeader();
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setStretchLastSection(false);
    // A column is never narrower than its title in any language.
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column)
        header->resizeSection(
            column, std::max(kWidths[static_cast<std::size_t>(column)], header->sectionSizeHint(column)));
    header->setMinimumSectionSize(std::max(kLeastColumn, header->sectionSizeHint(RunsModel::Name)));
    for (const int column : kHiddenAtFirst)
        header->hideSection(column);
    makeMenus();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint &at) {
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addMenu(m_columnsMenu);
        menu->addMenu(m_groupsMenu);
        menu->popup(header->viewport()->mapToGlobal(at));
    });
    connectColumns();
    connect(m_groups, &QAbstractItemModel::modelReset, this, [this] {
        if (m_grouping == RunGrouping::None)
            return;
        spanTitles();
        Q_EMIT regrouped();
    });
}

void RunsTable::connectColumns()
{
    const QHeaderView *header = horizontalHeader();
    connect(header, &QHeaderView::sectionResized, this, [this](int column) {
        if (m_adjusting)
            return;
        if (column == RunsModel::Name)
            m_nameFills = false; // the user chose the width of the column
        fillWithName();
        Q_EMIT columnsChanged();
    });
    connect(header, &QHeaderView::sectionMoved, this, &RunsTable::columnsChanged);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &RunsTable::columnsChanged);
}

// QHeaderView::Stretch is not used, because the user could not resize such a section with the mouse.
void RunsTable::fillWithName()
{
    if (!m_nameFills || m_adjusting)
        return;
    const QScopedValueRollback adjusting(m_adjusting, true);
    QHeaderView *header = horizontalHeader();
    const int others = header->length() - header->sectionSize(RunsModel::Name);
    header->resizeSection(
        RunsModel::Name, std::max({header->minimumSectionSize(), kLeastName, viewport()->width() - others}));
}

void RunsTable::resizeEvent(QResizeEvent *event)
{
    fillWithName(); // called first, because the scroll bars depend on the widths
    QTableView::resizeEvent(event);
}

void RunsTable::makeMenus()
{
    for (int column = 0; column < RunsModel::ColumnCount; ++column) {
        QAction *action =
            m_columnsMenu->addAction(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setEnabled(column != RunsModel::Name); // the column of names cannot be hidden
        connect(action, &QAction::toggled, this, [this, column](bool on) { setColumnHidden(column, !on); });
        m_columnActions.push_back(action);
    }
    auto *group = new QActionGroup(this);
    for (const auto &[grouping, words] : {std::pair(RunGrouping::None, tr("&Nothing")),
             std::pair(RunGrouping::Tags, tr("&Tags")), std::pair(RunGrouping::Model, tr("&Model")),
             std::pair(RunGrouping::State, tr("&State")), std::pair(RunGrouping::Host, tr("&Host"))}) {
        QAction *action = m_groupsMenu->addAction(words);
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, wanted = grouping] { setGrouping(wanted); });
        m_groupActions.push_back(action);
    }
    refreshMenus();
}

void RunsTable::refreshMenus()
{
    for (int column = 0; column < RunsModel::ColumnCount; ++column)
        m_columnActions[static_cast<std::size_t>(column)]->setChecked(!isColumnHidden(column));
    m_groupActions[static_cast<std::size_t>(m_grouping)]->setChecked(true);
}

QString RunsTable::groupOf(const QModelIndex &row) const
{
    const RunRow &run = m_model->row(m_sorted->mapToSource(row).row());
    switch (m_grouping) {
    case RunGrouping::Tags:
        return run.tags.isEmpty() ? tr("No tags") : run.tags;
    case RunGrouping::Model:
        return run.entry.model.empty() ? tr("Unknown model") : coreText(run.entry.model);
    case RunGrouping::State:
        return stateName(run.state);
    case RunGrouping::Host:
        return qs(run.entry.host);
    case RunGrouping::None:
        break;
    }
    return {};
}

void RunsTable::setGrouping(RunGrouping grouping)
{
    m_grouping = grouping;
    clearSpans();
    {
        const QScopedValueRollback adjusting(m_adjusting, true);
        const QByteArray columns = horizontalHeader()->saveState(); // changing the model would reset the columns
        if (grouping == RunGrouping::None) {
            m_groups->setGrouping({});
            useModel(m_sorted);
        } else {
            m_groups->setGrouping([this](const QModelIndex &row) { return groupOf(row); });
            useModel(m_groups);
        }
        horizontalHeader()->restoreState(columns);
    }
    fillWithName();
    spanTitles();
    refreshMenus();
    Q_EMIT regrouped();
    Q_EMIT columnsChanged();
}

void RunsTable::useModel(QAbstractItemModel *model)
{
    if (model == this->model())
        return;
    const std::unique_ptr<QItemSelectionModel> before(selectionModel());
    setModel(model);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsTable::selectedRunsChanged);
}

void RunsTable::spanTitles()
{
    clearSpans();
    for (int row = 0; m_grouping != RunGrouping::None && row < m_groups->rowCount(); ++row) {
        if (m_groups->isTitle(row))
            setSpan(row, 0, 1, RunsModel::ColumnCount);
    }
}

QModelIndex RunsTable::indexOf(int modelRow) const
{
    const QModelIndex at = modelRow < 0 ? QModelIndex() : m_sorted->mapFromSource(m_model->index(modelRow, 0));
    if (m_grouping == RunGrouping::None || !at.isValid())
        return at;
    const int row = m_groups->rowOf(at.row());
    return row < 0 ? QModelIndex() : m_groups->index(row, 0);
}

std::vector<std::filesystem::path> RunsTable::selectedRuns() const
{
    std::vector<std::filesystem::path> chosen;
    for (const QModelIndex &index : selectionModel()->selectedRows())
        chosen.emplace_back(index.data(RunsModel::DirectoryRole).toString().toStdString());
    return chosen;
}

std::vector<RunEntry> RunsTable::shownRuns() const
{
    std::vector<RunEntry> runs;
    for (int row = 0; row < model()->rowCount(); ++row) {
        const QString directory = model()->index(row, 0).data(RunsModel::DirectoryRole).toString();
        if (const int at = directory.isEmpty() ? -1 : m_model->find(directory.toStdString()); at >= 0)
            runs.push_back(m_model->row(at).entry);
    }
    return runs;
}

std::vector<RunColumn> RunsTable::shownColumns() const
{
    static_assert(kRunColumns.size() == RunsModel::ColumnCount); // both list the columns in the same order
    std::vector<RunColumn> columns;
    for (int place = 0; place < horizontalHeader()->count(); ++place) {
        const int column = horizontalHeader()->logicalIndex(place);
        if (!isColumnHidden(column))
            columns.push_back(kRunColumns[static_cast<std::size_t>(column)]);
    }
    return columns;
}

QByteArray RunsTable::saveColumns() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << static_cast<int>(RunsModel::ColumnCount) << static_cast<int>(m_grouping)
           << horizontalHeader()->saveState() << m_nameFills;
    return state;
}

bool RunsTable::restoreColumns(const QByteArray &state)
{
    QDataStream stream(state);
    int columns = 0, grouping = 0;
    QByteArray header;
    bool fills = true;
    stream >> columns >> grouping >> header;
    const bool read = stream.status() == QDataStream::Ok;
    if (!stream.atEnd()) // earlier versions did not save this value
        stream >> fills;
    // A state that a version with other columns saved is ignored.
    if (!read || columns != RunsModel::ColumnCount || grouping < 0 || grouping > static_cast<int>(RunGrouping::Host) ||
        !horizontalHeader()->restoreState(header))
        return false;
    horizontalHeader()->setSectionResizeMode(RunsModel::Name, QHeaderView::Interactive); // formerly Stretch
    m_nameFills = fills;
    setGrouping(static_cast<RunGrouping>(grouping));
    refreshMenus();
    return true;
}

} // namespace slipway::ui
