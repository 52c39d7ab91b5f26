// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QThread>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>

#include "hosts/host.h"
#include "runs/registry.h"
#include "ui/runs/compare_view.h"
#include "ui/runs/notifier.h"
#include "ui/runs/run_detail.h"
#include "ui/runs/runs_model.h"
#include "ui/runs/runs_table.h"
#include "ui/runs/runs_watcher.h"
#include "ui/widgets/background_tasks.h"

class QHBoxLayout;
class QAction;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;

namespace slipway::ui {

class Banner;
class RunActions;
class RunControl;
class RunExports;

// The Runs page shows the list of runs, and the selected run or a comparison of several runs. Worker threads read the
// runs. Closing the page does not affect any run.
class RunsPage : public QWidget {
    Q_OBJECT
public:
    // Fits calibration constants to a run and returns a message that names them. Empty if calibration is not available.
    using Calibrate = std::function<Result<std::string>(const std::filesystem::path &run)>;

    RunsPage(const Registry &registry, Host &host, QWidget *parent = nullptr);
    ~RunsPage() override;

    void setCalibrate(Calibrate calibrate);
    void setNotifier(std::unique_ptr<Notifier> notifier) { m_notifier = std::move(notifier); }

    void select(const std::filesystem::path &directory);
    void compare(const std::vector<std::filesystem::path> &directories, int baseline = 0);
    void filter(const QString &words);
    [[nodiscard]] const RunsModel &model() const { return *m_model; }
    [[nodiscard]] int shownRows() const { return m_sorted->rowCount(); }
    [[nodiscard]] RunsTable *table() const { return m_table; }
    [[nodiscard]] RunDetail &detail() const { return *m_detail; }
    [[nodiscard]] CompareView &comparison() const { return *m_compare; }
    [[nodiscard]] const RunDisplay *shown() const { return m_shown.get(); }
    [[nodiscard]] RunActions &actionsOfRun() const { return *m_actions; }
    [[nodiscard]] RunControl &control() const { return *m_control; }
    [[nodiscard]] RunExports &exports() const { return *m_exports; }
    [[nodiscard]] Banner &trashBar() const { return *m_trashBar; }
    [[nodiscard]] QAction *importCommand() const { return m_import; }
    void focusFilter();
    void refresh();
    // The splitter state, to be saved between sessions.
    [[nodiscard]] QByteArray layoutState() const;
    bool restoreLayout(const QByteArray &state);
    // The widths and the order of the columns, to be saved between sessions.
    [[nodiscard]] QByteArray columnState() const;
    bool restoreColumns(const QByteArray &state);

    // Adds a run directory to the list and selects it.
    Result<void> addRun(const std::filesystem::path &directory);
    // Imports metrics exported from W&B or TensorBoard as one run, in the background.
    void importMetrics(const std::vector<std::filesystem::path> &files);

Q_SIGNALS:
    void planRequested(const slipway::RunConfig &config, const QString &run);
    void launchRequested(const slipway::RunConfig &config);
    void statusMessage(const QString &message);
    // The worker threads receive this signal and the next three.
    void selectedChanged(const QString &directory);
    void compareRequested(const QStringList &directories, int baseline);
    void rulesChanged(const slipway::AlertRules &rules);
    void readRequested();
    void shownChanged();
    void compareShown();
    void listShown();
    // Emitted when layoutState() or columnState() has changed, soon after the last of several changes.
    void layoutChanged();

private:
    QHBoxLayout *makeHead();
    QWidget *makeList();
    void connectDetail();
    void connectActions();
    void connectTrash();
    void connectLayout();
    [[nodiscard]] bool isSelectionTooLarge() const;
    void refreshActions();
    void connectWatchers(const Registry &registry);
    void updateRows(const std::vector<RunRow> &rows);
    void updateRun(const std::shared_ptr<const RunDisplay> &run);
    void updateComparison(const std::shared_ptr<const CompareData> &data);
    void onSelectionChanged();
    void showSelection();
    void selectCompared();
    void showCount();
    void showContent(QWidget *content);
    [[nodiscard]] bool isFilterWithoutMatch() const;
    void reveal(const std::filesystem::path &directory);
    void calibrate();
    void askLabels();
    void askRules();
    void askImport();
    void warn(const Result<void> &result, const QString &failed);

    Registry m_registry;
    AlertRules m_rules;
    Calibrate m_calibrate;
    std::unique_ptr<Notifier> m_notifier;
    RunsModel *m_model;
    RunsFilterModel *m_sorted;
    RunsTable *m_table;
    QLineEdit *m_filter;
    QLabel *m_count = nullptr;
    QSplitter *m_parts;
    QStackedWidget *m_stack;
    QWidget *m_noRun, *m_noMatch; // shown instead of a run
    QWidget *m_content;           // what is shown below the list if a run passes the filter
    RunDetail *m_detail;
    CompareView *m_compare;
    RunActions *m_actions;
    RunExports *m_exports;
    RunControl *m_control;
    Banner *m_trashBar; // shown after runs were moved to the trash
    QAction *m_import = nullptr;
    std::shared_ptr<const RunDisplay> m_shown;
    std::filesystem::path m_wanted;                // the selected run, or the run to select as soon as it is listed
    std::vector<std::filesystem::path> m_compared; // the compared runs, instead of m_wanted
    QThread m_thread, m_listThread, m_copyThread;
    bool m_selecting = false;
    QTimer m_layoutSettled;       // runs while the user drags a column or the splitter
    BackgroundTasks m_background; // the last member, because its destructor waits for tasks
};

} // namespace slipway::ui
