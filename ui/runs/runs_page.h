// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSortFilterProxyModel>
#include <QThread>
#include <QWidget>
#include <memory>

#include "hosts/host.h"
#include "runs/registry.h"
#include "ui/runs/run_detail.h"
#include "ui/runs/runs_model.h"
#include "ui/runs/runs_watcher.h"

class QStackedWidget;
class QTableView;

namespace slipway::ui {

// The Runs page: what runs and ran, and one of them in full. Reading happens on a thread of its own; closing the page
// touches no run.
class RunsPage : public QWidget {
    Q_OBJECT
public:
    RunsPage(const Registry &registry, Host &host, QWidget *parent = nullptr);
    ~RunsPage() override;

    void select(const std::filesystem::path &directory);
    [[nodiscard]] const RunsModel &model() const { return *m_model; }
    [[nodiscard]] RunDetail &detail() const { return *m_detail; }
    [[nodiscard]] const RunView *shown() const { return m_shown.get(); }
    void refresh();

    // The next means of stopping: a request, then SIGTERM, then SIGKILL. Asks nothing.
    Result<void> stop(const std::filesystem::path &directory, bool force);
    Result<void> exportPdf(const QString &path) const;
    Result<void> exportCsv(const QString &path) const;

Q_SIGNALS:
    void told(const QString &message);
    void selectedChanged(const QString &directory); // to the reading thread
    void readAsked();                               // to the reading thread
    void shownChanged();
    void listShown();

private:
    QWidget *makeList();
    void wireWatcher(const Registry &registry);
    void takeRows(const std::vector<RunRow> &rows);
    void takeRun(const std::shared_ptr<const RunView> &run);
    void askStop();
    void askResume();
    void askExport(const QString &suffix, Result<void> (RunsPage::*write)(const QString &) const);
    void warn(const Result<void> &result);

    Host &m_host;
    RunsModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    QStackedWidget *m_stack;
    RunDetail *m_detail;
    std::shared_ptr<const RunView> m_shown;
    std::filesystem::path m_wanted; // selected, or to be selected once it is listed
    QThread m_thread;
    int m_forced = 0; // how often force was used on the shown run
};

} // namespace slipway::ui
