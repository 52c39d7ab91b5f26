// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_page.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <csignal>

#include "base/file.h"
#include "hosts/launch.h"
#include "report/csv.h"
#include "report/report.h"
#include "ui/report/report_pdf.h"
#include "ui/theme/colours.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

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

} // namespace

RunsPage::RunsPage(const Registry &registry, Host &host, QWidget *parent)
    : QWidget(parent), m_host(host), m_model(new RunsModel(this)), m_sorted(new QSortFilterProxyModel(this)), m_table(new QTableView),
      m_stack(new QStackedWidget), m_detail(new RunDetail)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(20, 14, 20, 16);
    page->setSpacing(10);
    page->addWidget(makeLabel(tr("Runs"), TextKind::Title));
    page->addWidget(makeList());
    m_stack->addWidget(emptyNote(tr("No run is chosen"), tr("Runs that were launched from here, by the command line, or added with their directory are listed above.\n"
                                                           "Launch one from the Plan page.")));
    m_stack->addWidget(m_detail);
    page->addWidget(m_stack, 1);

    connect(m_detail->stopButton(), &QPushButton::clicked, this, &RunsPage::askStop);
    connect(m_detail->resumeButton(), &QPushButton::clicked, this, &RunsPage::askResume);
    auto *menu = new QMenu(m_detail->exportButton());
    menu->addAction(tr("Report as PDF…"), this, [this] { askExport(QStringLiteral("pdf"), &RunsPage::exportPdf); });
    menu->addAction(tr("Steps as CSV…"), this, [this] { askExport(QStringLiteral("csv"), &RunsPage::exportCsv); });
    m_detail->exportButton()->setMenu(menu);
    wireWatcher(registry);
}

RunsPage::~RunsPage()
{
    m_thread.quit();
    m_thread.wait();
}

QWidget *RunsPage::makeList()
{
    auto *card = new Card;
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(RunsModel::SortRole);
    m_table->setModel(m_sorted);
    m_table->setItemDelegate(new RunsDelegate(m_table));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(31);
    m_table->setSortingEnabled(true);
    m_sorted->sort(-1);
    QHeaderView *header = m_table->horizontalHeader();
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setHighlightSections(false);
    header->setSectionResizeMode(RunsModel::Name, QHeaderView::Stretch);
    const int widths[] = {0, 116, 176, 100, 104, 124, 160};
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column)
        header->resizeSection(column, widths[column]);
    header->setStretchLastSection(false);
    card->body()->addWidget(m_table);
    card->setFixedHeight(4 * 31 + 56);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (now.isValid())
            select(std::filesystem::path(now.data(RunsModel::DirectoryRole).toString().toStdString()));
    });
    return card;
}

void RunsPage::wireWatcher(const Registry &registry)
{
    qRegisterMetaType<std::vector<RunRow>>();
    qRegisterMetaType<std::shared_ptr<const RunView>>();
    auto *watcher = new RunsWatcher(registry);
    watcher->moveToThread(&m_thread);
    connect(&m_thread, &QThread::started, watcher, &RunsWatcher::start);
    connect(&m_thread, &QThread::finished, watcher, &QObject::deleteLater);
    connect(this, &RunsPage::selectedChanged, watcher, &RunsWatcher::select);
    connect(this, &RunsPage::readAsked, watcher, &RunsWatcher::readNow);
    connect(watcher, &RunsWatcher::listChanged, this, &RunsPage::takeRows);
    connect(watcher, &RunsWatcher::runChanged, this, &RunsPage::takeRun);
    connect(watcher, &RunsWatcher::logAppended, m_detail, &RunDetail::appendLog);
    m_thread.start();
}

void RunsPage::refresh()
{
    Q_EMIT readAsked();
}

void RunsPage::select(const std::filesystem::path &directory)
{
    if (m_wanted == directory)
        return;
    m_wanted = directory;
    m_forced = 0;
    Q_EMIT selectedChanged(qs(directory.string()));
    takeRows(m_model->rows());
}

void RunsPage::takeRows(const std::vector<RunRow> &rows)
{
    m_model->setRows(rows);
    if (!rows.empty())
        Q_EMIT listShown();
    if (m_wanted.empty() && !rows.empty()) {
        select(rows.front().directory);
        return;
    }
    const int row = m_model->find(m_wanted);
    const QModelIndex at = row < 0 ? QModelIndex() : m_sorted->mapFromSource(m_model->index(row, 0));
    if (at.isValid() && m_table->currentIndex().row() != at.row())
        m_table->selectRow(at.row());
}

void RunsPage::takeRun(const std::shared_ptr<const RunView> &run)
{
    if (run->directory != m_wanted)
        return; // an answer that another choice has overtaken
    m_shown = run;
    m_detail->show(*run);
    m_stack->setCurrentWidget(m_detail);
    Q_EMIT shownChanged();
}

Result<void> RunsPage::stop(const std::filesystem::path &directory, bool force)
{
    const RunPaths paths{directory};
    if (!force)
        return m_host.requestStop(paths);
    return m_host.signalGroup(paths, m_forced++ == 0 ? SIGTERM : SIGKILL);
}

void RunsPage::askStop()
{
    if (!m_shown)
        return;
    const bool force = m_shown->state == RunState::Stopping;
    const QString question = !force ? tr("Stop %1?\n\nIt finishes its step, writes a checkpoint and ends. It can be resumed.")
        : m_forced == 0             ? tr("Force %1 to stop?\n\nIt is sent SIGTERM: it tries to write a checkpoint, then ends.")
                                    : tr("Kill %1?\n\nWhat it has done since its last checkpoint is lost.");
    const auto answer = QMessageBox::question(this, tr("Stop"), question.arg(m_shown->name), QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel);
    if (answer == QMessageBox::Yes)
        warn(stop(m_shown->directory, force));
    refresh();
}

void RunsPage::askResume()
{
    if (!m_shown)
        return;
    const Result<LaunchedRun> resumed = resumeRun(m_shown->directory, m_host);
    if (resumed)
        Q_EMIT told(tr("Resumed %1").arg(m_shown->name));
    else
        warn(resumed.error());
    refresh();
}

Result<void> RunsPage::exportPdf(const QString &path) const
{
    const Result<RunData> run = readRun(m_wanted);
    return run ? writeReportPdf(runReport(*run), path) : Result<void>(run.error());
}

Result<void> RunsPage::exportCsv(const QString &path) const
{
    const Result<RunData> run = readRun(m_wanted);
    return run ? writeFileAtomically(std::filesystem::path(path.toStdString()), runCsv(*run)) : Result<void>(run.error());
}

void RunsPage::askExport(const QString &suffix, Result<void> (RunsPage::*write)(const QString &) const)
{
    const QString name = (m_shown ? m_shown->name : QStringLiteral("run")) + u'.' + suffix;
    const QString path = QFileDialog::getSaveFileName(this, tr("Write a report"), name, QStringLiteral("*.") + suffix);
    if (path.isEmpty())
        return;
    const Result<void> written = (this->*write)(path);
    if (written)
        Q_EMIT told(tr("Wrote %1").arg(path));
    warn(written);
}

void RunsPage::warn(const Result<void> &result)
{
    if (!result)
        QMessageBox::warning(this, tr("That did not work"), qs(result.error().message()));
}

} // namespace slipway::ui
