// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_page.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "runs/rename_run.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/runs/remote_run_sync.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_control.h"
#include "ui/runs/run_exports.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/first_focus.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLeastRows = 4, kListFrame = 66;        // least number of rows; height around the rows
constexpr int kLeastFilter = 150, kUsualFilter = 300; // in pixels
constexpr int kSettledMs = 300;                       // pause after the last movement of a drag

QWidget *emptyNote(const QString &title, const QString &text)
{
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->addStretch(1);
    QLabel *head = makeLabel(title, TextKind::Title);
    head->setAlignment(Qt::AlignCenter);
    QLabel *words = makeLabel(text, TextKind::Muted);
    words->setAlignment(Qt::AlignCenter);
    words->setWordWrap(true);
    column->addWidget(head);
    column->addWidget(words);
    column->addStretch(2);
    return box;
}

QWidget *noMatchNote(QLineEdit &filter)
{
    QWidget *box = emptyNote(tr("No run matches the filter"), tr("Change or clear the filter to see runs again."));
    auto *clear = new QPushButton(tr("Clear filter"));
    QObject::connect(clear, &QPushButton::clicked, &filter, &QLineEdit::clear);
    auto *column = qobject_cast<QVBoxLayout *>(box->layout());
    column->insertWidget(column->count() - 1, clear, 0, Qt::AlignHCenter);
    return box;
}

} // namespace

RunsPage::RunsPage(const Registry &registry, Host &host, QWidget *parent)
    : QWidget(parent),
      m_registry(registry),
      m_model(new RunsModel(this)),
      m_sorted(new RunsFilterModel(m_model, this)),
      m_table(new RunsTable(m_model, m_sorted)),
      m_filter(new QLineEdit),
      m_parts(new QSplitter(Qt::Vertical)),
      m_stack(new QStackedWidget),
      m_noRun(emptyNote(tr("No run selected"),
          tr("The list above shows the runs that were launched here or from the command line, or added by their "
             "directory.\nLaunch a run from the Plan page. Select several runs to compare them."))),
      m_noMatch(noMatchNote(*m_filter)),
      m_content(m_noRun),
      m_detail(new RunDetail),
      m_compare(new CompareView),
      m_actions(new RunActions(registry, this)),
      m_exports(new RunExports(registry, this)),
      m_control(new RunControl(host, this)),
      m_trashBar(new Banner(Pill::Tone::Accent))
{
    if (const Result<AlertRules> rules = readAlertRules())
        m_rules = *rules;
    else
        QMetaObject::invokeMethod(
            this,
            [this, why = problemText(rules.error())] {
                Q_EMIT statusMessage(tr("Alerts use the default thresholds: %1").arg(why));
            },
            Qt::QueuedConnection);
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 14, 20, 16);
    page->setSpacing(10);
    page->addLayout(makeHead());
    for (QWidget *content : std::initializer_list<QWidget *>{m_noRun, m_noMatch, m_detail, m_compare})
        m_stack->addWidget(content);
    m_parts->setChildrenCollapsible(false);
    m_parts->setHandleWidth(10);
    m_parts->addWidget(makeList());
    m_parts->addWidget(m_stack);
    m_parts->setStretchFactor(0, 1);
    m_parts->setStretchFactor(1, 3);
    m_parts->setSizes({250, 750});
    page->addWidget(m_parts, 1);
    page->addWidget(m_trashBar);
    setFirstFocus(*this, *m_table);
    connectDetail();
    connectActions();
    connectTrash();
    connectLayout();
    connectWatchers(registry);
}

RunsPage::~RunsPage()
{
    for (QThread *thread : {&m_thread, &m_listThread, &m_copyThread})
        thread->quit();
    for (QThread *thread : {&m_thread, &m_listThread, &m_copyThread})
        thread->wait();
}

QHBoxLayout *RunsPage::makeHead()
{
    m_filter->setPlaceholderText(tr("Filter by name, tag, state, model…"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(kLeastFilter);
    m_filter->setMaximumWidth(kUsualFilter);
    m_filter->setTextMargins(8, 0, 4, 0);
    m_filter->setToolTip(
        tr("Show only matching runs (%1)").arg(QKeySequence(QKeySequence::Find).toString(QKeySequence::NativeText)));
    connect(m_filter, &QLineEdit::textChanged, this, &RunsPage::filter);
    m_import = makeAction(this, tr("&Import metrics…"),
        tr("Import metrics exported from W&B or TensorBoard (CSV, JSON)"), {}, [this] { askImport(); });
    m_exports->setList([this]() -> Result<FileExport::Write> {
        return FileExport::ofText(
            [runs = m_table->shownRuns(), columns = m_table->shownColumns()] { return runsCsv(runs, columns); });
    });
    const PageHeader header = makePageHeader(tr("Runs"),
        {m_filter, makeActionButton(m_import, tr("Import…"), tr("Import metrics")),
            makeActionButton(m_exports->listCommand(), tr("Export as CSV…"), tr("Export the list of runs as CSV"))});
    m_count = header.subtitle;
    return header.row;
}

QWidget *RunsPage::makeList()
{
    auto *card = new Card;
    card->body()->addWidget(m_table);
    card->setMinimumHeight(kLeastRows * m_table->verticalHeader()->defaultSectionSize() + kListFrame);
    connect(m_table, &RunsTable::selectedRunsChanged, this, &RunsPage::onSelectionChanged);
    connect(m_table, &RunsTable::regrouped, this, &RunsPage::showSelection);
    return card;
}

void RunsPage::connectActions()
{
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint &at) {
        if (m_table->indexAt(at).data(RunsModel::DirectoryRole).toString().isEmpty())
            return; // the position is below the last run or on the title of a group
        auto *menu = new QMenu(m_table);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addActions(m_actions->all());
        menu->popup(m_table->viewport()->mapToGlobal(at));
    });
    connect(m_actions, &RunActions::planRequested, this, &RunsPage::planRequested);
    connect(m_actions, &RunActions::launchRequested, this, &RunsPage::launchRequested);
    connect(m_actions, &RunActions::labelsRequested, this, &RunsPage::askLabels);
    connect(m_actions, &RunActions::statusMessage, this, &RunsPage::statusMessage);
    connect(m_actions, &RunActions::changed, this, &RunsPage::refresh);
    connect(m_actions, &RunActions::renamed, this, [this](const QString &directory) {
        select(std::filesystem::path(directory.toStdString()));
        refresh();
    });
    connect(m_actions->showArchived(), &QAction::toggled, this, [this](bool on) {
        m_sorted->setShowArchived(on);
        showCount();
    });
}

void RunsPage::connectLayout()
{
    m_layoutSettled.setSingleShot(true);
    m_layoutSettled.setInterval(kSettledMs);
    const auto restart = [this] { m_layoutSettled.start(); };
    connect(m_parts, &QSplitter::splitterMoved, this, restart);
    connect(m_table, &RunsTable::columnsChanged, this, restart);
    connect(&m_layoutSettled, &QTimer::timeout, this, &RunsPage::layoutChanged);
}

void RunsPage::connectTrash()
{
    QPushButton *undo = m_trashBar->addButton(tr("Undo"));
    undo->setToolTip(tr("Restore from the trash"));
    connect(undo, &QPushButton::clicked, m_actions->restoring(), &QAction::trigger);
    QPushButton *close = m_trashBar->addButton(QStringLiteral("✕"));
    close->setAccessibleName(tr("Close"));
    close->setToolTip(tr("Close"));
    connect(close, &QPushButton::clicked, this, [this] { m_trashBar->setText({}); });
    connect(m_actions, &RunActions::removed, this, [this](const QString &what) {
        m_wanted.clear();
        m_compared.clear();
        m_shown.reset();
        showContent(m_noRun);
        Q_EMIT selectedChanged({});
        refresh();
        m_trashBar->setText(what);
    });
    connect(m_actions, &RunActions::restored, this, [this](const QString &directory) {
        m_trashBar->setText({});
        select(std::filesystem::path(directory.toStdString()));
        refresh();
    });
}

// Whether the user has selected more runs than can be compared. The page then still shows what it showed before.
bool RunsPage::isSelectionTooLarge() const { return m_table->selectedRuns().size() > kMostCompared; }

void RunsPage::refreshActions()
{
    const bool tooMany = isSelectionTooLarge();
    const std::vector<std::filesystem::path> directories = isFilterWithoutMatch() ? std::vector<std::filesystem::path>()
                                                           : tooMany              ? m_table->selectedRuns()
                                                           : m_compared.empty()   ? std::vector{m_wanted}
                                                                                  : m_compared;
    std::vector<RunEntry> runs;
    for (const std::filesystem::path &directory : directories) {
        if (const int row = m_model->find(directory); row >= 0)
            runs.push_back(m_model->row(row).entry);
    }
    m_exports->setAvailable(!runs.empty() && !tooMany); // what is shown is not what is selected
    m_actions->setSelected(std::move(runs));
}

void RunsPage::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    // In a low window, the page may be scrolled down.
    for (QWidget *around = parentWidget(); around != nullptr; around = around->parentWidget()) {
        if (auto *area = qobject_cast<QScrollArea *>(around))
            area->ensureWidgetVisible(m_filter);
    }
}

void RunsPage::connectDetail()
{
    connect(&m_detail->monitor(), &Monitor::statusMessage, this, &RunsPage::statusMessage);
    connect(m_detail->stopButton(), &QPushButton::clicked, this, [this] {
        if (m_shown)
            m_control->askStop(*m_shown);
    });
    connect(m_detail->resumeButton(), &QPushButton::clicked, this, [this] {
        if (m_shown)
            m_control->resume(*m_shown);
    });
    connect(m_control, &RunControl::statusMessage, this, &RunsPage::statusMessage);
    connect(m_control, &RunControl::changed, this, &RunsPage::refresh);
    connect(m_control, &RunControl::working, this, [this](bool on) {
        m_detail->stopButton()->setEnabled(!on);
        m_detail->resumeButton()->setEnabled(!on);
    });
    connect(m_detail->labelsAction(), &QAction::triggered, this, &RunsPage::askLabels);
    connect(m_detail->rulesButton(), &QPushButton::clicked, this, &RunsPage::askRules);
    connect(m_detail->calibrateButton(), &QPushButton::clicked, this, &RunsPage::calibrate);
    setCalibrate({});
    m_detail->exportButton()->setMenu(m_exports->makeMenu());
    m_compare->exportButton()->setMenu(m_exports->makeComparisonMenu());
    connect(m_exports, &RunExports::statusMessage, this, &RunsPage::statusMessage);
    connect(m_compare, &CompareView::baselineChosen, this, [this](int baseline) { compare(m_compared, baseline); });
}

void RunsPage::connectWatchers(const Registry &registry)
{
    qRegisterMetaType<std::vector<RunRow>>();
    qRegisterMetaType<std::shared_ptr<const RunDisplay>>();
    qRegisterMetaType<std::shared_ptr<const CompareData>>();
    qRegisterMetaType<AlertRules>();
    for (const auto &[part, thread] :
        {std::pair{RunsWatcher::Part::List, &m_listThread}, std::pair{RunsWatcher::Part::Chosen, &m_thread}}) {
        auto *watcher = new RunsWatcher(part, registry, m_rules);
        watcher->moveToThread(thread);
        connect(thread, &QThread::started, watcher, &RunsWatcher::start);
        connect(thread, &QThread::finished, watcher, &QObject::deleteLater);
        connect(this, &RunsPage::selectedChanged, watcher, &RunsWatcher::select);
        connect(this, &RunsPage::rulesChanged, watcher, &RunsWatcher::setRules);
        connect(this, &RunsPage::readRequested, watcher, &RunsWatcher::readNow);
        if (part == RunsWatcher::Part::Chosen)
            connect(this, &RunsPage::compareRequested, watcher, &RunsWatcher::compare);
        connect(watcher, &RunsWatcher::listChanged, this, &RunsPage::updateRows);
        connect(watcher, &RunsWatcher::runChanged, this, &RunsPage::updateRun);
        connect(watcher, &RunsWatcher::compareRead, this, &RunsPage::updateComparison);
        connect(watcher, &RunsWatcher::failed, this, &RunsPage::statusMessage);
        connect(watcher, &RunsWatcher::logAppended, m_detail, &RunDetail::appendLog);
        connect(watcher, &RunsWatcher::alertRaised, this,
            [this](const QString &run, const QString &kind, const QString &message) {
                if (m_notifier)
                    m_notifier->notify(tr("%1: %2").arg(run, kind), message);
            });
        thread->start();
    }

    auto *copies = new RemoteRunSync(registry);
    copies->moveToThread(&m_copyThread);
    connect(&m_copyThread, &QThread::started, copies, &RemoteRunSync::start);
    connect(&m_copyThread, &QThread::finished, copies, &QObject::deleteLater);
    connect(copies, &RemoteRunSync::failed, this, &RunsPage::statusMessage);
    m_copyThread.start();
}

void RunsPage::setCalibrate(Calibrate calibrate)
{
    m_calibrate = std::move(calibrate);
    m_detail->calibrateButton()->setVisible(static_cast<bool>(m_calibrate));
}

QByteArray RunsPage::layoutState() const { return m_parts->saveState(); }
bool RunsPage::restoreLayout(const QByteArray &state) { return m_parts->restoreState(state); }

QByteArray RunsPage::columnState() const { return m_table->saveColumns(); }
bool RunsPage::restoreColumns(const QByteArray &state) { return m_table->restoreColumns(state); }

void RunsPage::refresh() { Q_EMIT readRequested(); }

void RunsPage::filter(const QString &words)
{
    if (m_filter->text() != words)
        m_filter->setText(words);
    m_sorted->setFilter({.text = words.toStdString()});
    showCount();
}

void RunsPage::showCount()
{
    const int all = m_model->rowCount(), shown = m_sorted->rowCount();
    m_count->setText(all == 0       ? tr("No runs yet")
                     : shown == all ? counted(all, tr("%1 run"), tr("%1 runs"))
                                    : tr("%1 of %2 runs").arg(shown).arg(all));
    m_exports->listCommand()->setEnabled(shown > 0);
    showContent(m_content);
    refreshActions(); // a run that is not shown cannot be acted on
}

bool RunsPage::isFilterWithoutMatch() const
{
    return m_sorted->rowCount() == 0 && m_model->rowCount() > 0 && !m_filter->text().isEmpty();
}

// Shows what belongs below the list, unless the filter leaves nothing in it.
void RunsPage::showContent(QWidget *content)
{
    m_content = content;
    QWidget *shown = isFilterWithoutMatch() ? m_noMatch : content;
    // Hidden content is ignored, so that a low window need not scroll to a note.
    for (int i = 0; i < m_stack->count(); ++i) {
        const auto policy = m_stack->widget(i) == shown ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_stack->widget(i)->setSizePolicy(policy, policy);
    }
    m_stack->setCurrentWidget(shown);
}

// Selects a run that was just added, which a filter might hide.
void RunsPage::reveal(const std::filesystem::path &directory)
{
    m_filter->clear();
    refresh();
    select(directory);
}

void RunsPage::select(const std::filesystem::path &directory)
{
    if (m_wanted == directory && m_compared.empty() && !isSelectionTooLarge())
        return;
    m_wanted = directory;
    m_compared.clear();
    if (isSelectionTooLarge()) {
        m_selecting = true;
        m_table->clearSelection();
        m_selecting = false;
    }
    m_exports->setRun(directory);
    m_control->startOver();
    Q_EMIT selectedChanged(qs(directory.string()));
    updateRows(m_model->rows());
}

void RunsPage::compare(const std::vector<std::filesystem::path> &directories, int baseline)
{
    if (directories.size() < 2 || directories.size() > kMostCompared) {
        Q_EMIT statusMessage(tr("Select 2 to %1 runs to compare them").arg(kMostCompared));
        return;
    }
    m_compared = directories;
    m_wanted.clear();
    m_exports->setCompared(directories, static_cast<std::size_t>(baseline));
    QStringList names;
    for (const std::filesystem::path &directory : directories)
        names << qs(directory.string());
    Q_EMIT compareRequested(names, baseline);
    refreshActions();
}

void RunsPage::onSelectionChanged()
{
    if (m_selecting)
        return;
    const std::vector<std::filesystem::path> chosen = m_table->selectedRuns();
    if (chosen.size() == 1)
        select(chosen.front());
    else if (chosen.size() > 1 && chosen != m_compared)
        compare(chosen);
    refreshActions();
}

void RunsPage::updateRows(const std::vector<RunRow> &rows)
{
    m_selecting = true; // moving rows does not count as a selection by the user
    m_model->setRows(rows);
    m_selecting = false;
    showCount();
    if (!rows.empty())
        Q_EMIT listShown();
    if (m_compared.empty() && m_wanted.empty()) {
        const auto first =
            std::find_if(rows.begin(), rows.end(), [](const RunRow &row) { return !isArchived(row.entry.labels); });
        return first == rows.end() ? void() : select(first->directory);
    }
    showSelection();
}

// Selects the rows of the runs that are shown, wherever the rows are now.
void RunsPage::showSelection()
{
    if (isSelectionTooLarge())
        return; // the runs stay selected, for example to be moved to the trash
    if (!m_compared.empty())
        return selectCompared();
    const QModelIndex at = m_table->indexOf(m_model->find(m_wanted));
    if (at.isValid() &&
        (m_table->currentIndex().row() != at.row() || m_table->selectionModel()->selectedRows().size() != 1)) {
        m_selecting = true;
        m_table->selectRow(at.row());
        m_selecting = false;
    }
}

void RunsPage::selectCompared()
{
    QItemSelection rows;
    for (const std::filesystem::path &directory : m_compared) {
        const QModelIndex at = m_table->indexOf(m_model->find(directory));
        if (at.isValid())
            rows.select(at, at);
    }
    m_selecting = true;
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_selecting = false;
}

void RunsPage::updateRun(const std::shared_ptr<const RunDisplay> &run)
{
    if (run->directory != m_wanted)
        return; // another run was selected in the meantime
    m_shown = run;
    m_detail->show(run);
    showContent(m_detail);
    Q_EMIT shownChanged();
}

void RunsPage::updateComparison(const std::shared_ptr<const CompareData> &compared)
{
    if (m_compared.empty() || compared->runs.size() != m_compared.size() ||
        compared->runs.front()->directory != m_compared.front())
        return;
    m_compare->show(compared);
    showContent(m_compare);
    Q_EMIT compareShown();
}

} // namespace slipway::ui
