// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The actions on the runs that are selected in the list. The context menu, the Runs menu and shortcuts trigger them.
#pragma once

#include <QList>
#include <QObject>
#include <functional>
#include <vector>

#include "config/run_config.h"
#include "runs/run_entry.h"
#include "ui/runs/run_trash.h"

class QAction;
class QWidget;

namespace slipway::ui {

class RunActions : public QObject {
    Q_OBJECT
public:
    RunActions(const Registry &registry, QWidget *page);

    void setSelected(std::vector<RunEntry> runs);
    [[nodiscard]] QList<QAction *> all() const;
    [[nodiscard]] QAction *openPlan() const { return m_openPlan; }
    [[nodiscard]] QAction *clone() const { return m_clone; }
    [[nodiscard]] QAction *renaming() const { return m_rename; }
    [[nodiscard]] QAction *archive() const { return m_archive; }
    [[nodiscard]] QAction *removing() const { return m_remove; }
    // Returns the action in the Edit menu that restores runs from the trash.
    [[nodiscard]] QAction *restoring() const { return m_restore; }
    [[nodiscard]] QAction *showArchived() const { return m_showArchived; }

    // None of these functions asks the user a question.
    Result<void> rename(const std::string &newName);
    Result<void> setArchived(bool archived);
    // Moves the run directories to the trash. For a remote run, only the link is removed, and its directory stays.
    Result<void> moveToTrash();
    // Restores the runs that moveToTrash() moved last.
    Result<void> restore();

Q_SIGNALS:
    void planRequested(const slipway::RunConfig &config, const QString &run);
    void launchRequested(const slipway::RunConfig &config);
    void labelsRequested();
    void changed();                         // requests to read the list again
    void renamed(const QString &directory); // `directory` is the new directory of the run
    // Emitted after the selected runs were removed. `what` is a sentence that says so.
    void removed(const QString &what);
    void restored(const QString &directory); // the directory of one of the restored runs
    void statusMessage(const QString &message);

private:
    QAction *add(const QString &words, const QString &tip, const QKeySequence &keys, const std::function<void()> &act);
    void refresh();
    void withConfig(const std::function<void(const RunConfig &)> &then);
    [[nodiscard]] static QString named(const std::vector<RunEntry> &runs);
    [[nodiscard]] bool isLink(const RunEntry &run) const; // whether the entry is a link to a remote run
    void askRename();
    void askRemove();
    void showResult(const Result<void> &result, const QString &done, const QString &failed);

    Registry m_registry;
    RunTrash m_trash;
    QWidget *m_page;
    std::vector<RunEntry> m_runs;
    QAction *m_openPlan, *m_clone, *m_labels, *m_rename, *m_archive, *m_copyPath, *m_openFolder, *m_remove, *m_restore,
        *m_showArchived;
};

} // namespace slipway::ui
