// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_actions.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include <algorithm>

#include "config/config_io.h"
#include "runs/rename_run.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace fs = std::filesystem;

namespace {

// Shortens a long name, which would make a dialog wider than the window.
QString shortened(const QString &name)
{
    constexpr qsizetype kEachEnd = 30;
    return name.size() <= 2 * kEachEnd ? name : name.left(kEachEnd) + u'…' + name.right(kEachEnd);
}

} // namespace

RunActions::RunActions(const Registry &registry, QWidget *page)
    : QObject(page),
      m_registry(registry),
      m_trash(registry),
      m_page(page),
      m_openPlan(add(tr("Open its &plan"), tr("Open the configuration of this run on the Plan page"), {},
          [this] {
              withConfig([this](const RunConfig &config) { Q_EMIT planRequested(config, qs(m_runs[0].name)); });
          })),
      m_clone(add(tr("Launch a &copy…"), tr("Launch a new run with the configuration of this one"), {},
          [this] { withConfig([this](const RunConfig &config) { Q_EMIT launchRequested(config); }); })),
      m_labels(add(tr("&Tags and notes…"), tr("Edit the tags and the notes of this run"), {},
          [this] { Q_EMIT labelsRequested(); })),
      m_rename(
          add(tr("&Rename…"), tr("Rename a run that has ended"), QKeySequence(Qt::Key_F2), [this] { askRename(); })),
      m_archive(add(tr("&Archive"), tr("Hide the run from the list; its files are kept"), {},
          [this] {
              const bool archives = !isArchived(m_runs[0].labels);
              const QString what = named(m_runs); // now, because the list is read again in the meantime
              showResult(setArchived(archives),
                  archives ? tr("Archived %1").arg(what) : tr("Restored %1 to the list").arg(what),
                  archives ? tr("The run was not archived") : tr("The run was not restored to the list"));
          })),
      m_copyPath(add(tr("Copy its &directory"), tr("Copy the path of the run directory"), {},
          [this] { QApplication::clipboard()->setText(qs(m_runs[0].directory.string())); })),
      m_openFolder(add(tr("Open its f&older"), tr("Open the run directory in the file manager"), {},
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(qs(m_runs[0].directory.string()))); })),
      m_remove(add(tr("&Move to trash…"), tr("Move the directory of a run that has ended to the trash"),
          QKeySequence::Delete, [this] { askRemove(); })),
      m_restore(add(tr("Restore from t&he trash"), tr("Undo the last move to the trash"), {},
          [this] {
              showResult(restore(), tr("Restored from the trash"), tr("The run was not restored from the trash"));
          })),
      m_showArchived(new QAction(tr("Show archi&ved runs"), page))
{
    m_showArchived->setCheckable(true);
    refresh();
}

QAction *RunActions::add(
    const QString &words, const QString &tip, const QKeySequence &keys, const std::function<void()> &act)
{
    QAction *action = makeAction(m_page, words, tip, keys, act);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut); // Delete and F2 have other meanings on other pages
    m_page->addAction(action);
    return action;
}

QList<QAction *> RunActions::all() const
{
    return {m_openPlan, m_clone, m_labels, m_rename, m_archive, m_copyPath, m_openFolder, m_remove, m_showArchived};
}

void RunActions::setSelected(std::vector<RunEntry> runs)
{
    m_runs = std::move(runs);
    refresh();
}

void RunActions::refresh()
{
    const bool one = m_runs.size() == 1;
    const bool ended = !m_runs.empty() && std::all_of(m_runs.begin(), m_runs.end(),
                                              [](const RunEntry &run) { return isTerminal(run.status.state); });
    for (QAction *action : {m_openPlan, m_clone, m_labels, m_copyPath, m_openFolder})
        action->setEnabled(one);
    if (one && m_runs[0].imported) { // the configuration of an imported run is unknown
        m_openPlan->setEnabled(false);
        m_clone->setEnabled(false);
    }
    m_rename->setEnabled(one && ended);
    m_archive->setEnabled(!m_runs.empty());
    m_archive->setText(!m_runs.empty() && isArchived(m_runs[0].labels) ? tr("Un&archive") : tr("&Archive"));
    m_remove->setEnabled(ended);
    m_restore->setEnabled(m_trash.canRestore());
}

void RunActions::withConfig(const std::function<void(const RunConfig &)> &then)
{
    const Result<RunConfig> config = readRunConfig(RunPaths{m_runs[0].directory}.config());
    if (config)
        then(*config);
    else
        showProblem(m_page, tr("The configuration of the run cannot be read"), problemText(config.error()));
}

Result<void> RunActions::rename(const std::string &newName)
{
    const Result<fs::path> now = renameRun(m_registry, m_runs[0].name, newName);
    if (!now)
        return now.error();
    Q_EMIT renamed(qs(now->string()));
    return {};
}

Result<void> RunActions::setArchived(bool archived)
{
    for (const RunEntry &run : m_runs) {
        if (const Result<void> written = writeLabels({run.directory}, withArchived(run.labels, archived)); !written)
            return written;
    }
    Q_EMIT changed();
    return {};
}

QString RunActions::named(const std::vector<RunEntry> &runs)
{
    return runs.size() == 1 ? qs(runs[0].name) : tr("%1 runs").arg(runs.size());
}

bool RunActions::isLink(const RunEntry &run) const
{
    std::error_code ignored;
    return fs::is_symlink(m_registry.folder() / run.name, ignored);
}

Result<void> RunActions::moveToTrash()
{
    const std::vector<RunEntry> runs = m_runs; // a copy, because the list is read again in the meantime
    const QString what = named(runs);
    const QString said = std::all_of(runs.begin(), runs.end(), [this](const RunEntry &run) { return isLink(run); })
                             ? tr("%1: removed from the list").arg(what)
                             : tr("%1: moved to the trash").arg(what);
    const Result<void> moved = m_trash.put(runs);
    refresh();
    if (moved)
        Q_EMIT removed(said);
    else
        Q_EMIT changed(); // some runs may have been moved before another run failed
    return moved;
}

Result<void> RunActions::restore()
{
    const Result<fs::path> back = m_trash.restore();
    refresh();
    if (!back) {
        Q_EMIT changed();
        return back.error();
    }
    if (!back->empty())
        Q_EMIT restored(qs(back->string()));
    return {};
}

void RunActions::askRename()
{
    auto *dialog = new QInputDialog(m_page);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename"));
    dialog->setLabelText(tr("New name of %1").arg(shortened(qs(m_runs[0].name))));
    dialog->setTextValue(qs(m_runs[0].name));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString &name) {
        showResult(rename(name.trimmed().toStdString()), tr("Renamed to %1").arg(name.trimmed()),
            tr("The run was not renamed"));
    });
    dialog->open();
}

void RunActions::askRemove()
{
    const bool many = m_runs.size() > 1;
    const auto links = std::count_if(m_runs.begin(), m_runs.end(), [this](const RunEntry &run) { return isLink(run); });
    QString question = many ? tr("Move %1 runs to the trash?").arg(m_runs.size())
                            : tr("Move %1 to the trash?").arg(shortened(qs(m_runs[0].name)));
    question += QStringLiteral("\n\n") + tr("This includes checkpoints, metrics and logs.");
    if (links > 0)
        question += u' ' + tr("Runs outside the runs folder are only removed from the list.");
    auto *box = new QMessageBox(QMessageBox::Question, tr("Move to trash"), question, QMessageBox::Cancel, m_page);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton *yes = box->addButton(tr("Move to trash"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this,
        [this] { showResult(moveToTrash(), {}, tr("The run was not moved to the trash")); });
    box->open();
}

void RunActions::showResult(const Result<void> &result, const QString &done, const QString &failed)
{
    if (result && !done.isEmpty())
        Q_EMIT statusMessage(done);
    else if (!result)
        showProblem(m_page, failed, problemText(result.error()));
}

} // namespace slipway::ui
