// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "explore/figures.h"
#include "ui/explore/explore_charts.h"
#include "ui/explore/sweep_job.h"
#include "ui/explore/sweep_model.h"
#include "ui/explore/sweep_table.h"
#include "ui/widgets/file_export.h"

class QAction;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace slipway::ui {

class FiguresView;
class ComboInput;
class PointFilterBar;
class SegmentedInput;
class GridDialog;
class HeatView;
class SequenceView;

// The actions that menus, shortcuts and the buttons of the page trigger.
struct ExploreCommands {
    QAction *run, *openGrid, *editGrid, *prices, *csv, *pdf;
};

// The Explore page shows a grid as a table, a heat map and a Pareto chart, the paper's figures, and memory over
// sequence length.
class ExplorePage : public QWidget {
    Q_OBJECT
public:
    enum class View { Table, Heat, Pareto, Attention, Gpu, Scheme, Batch, Sequence };
    static constexpr std::array<const char *, 8> kViewNames{
        "table", "heat", "pareto", "attention", "gpu", "scheme", "batch", "sequence"};

    // `base` returns the current plan, which gives the settings that the grid does not vary.
    ExplorePage(const Catalogue &catalogue, std::function<RunConfig()> base, QWidget *parent = nullptr);

    void show(View view);
    using QWidget::show;
    void explore(const Grid &grid);
    Result<void> openGrid(const QString &file);
    GridDialog *editGrid(); // shows the editor of the grid
    [[nodiscard]] const std::shared_ptr<const ExploreResult> &explored() const { return m_explored; }
    [[nodiscard]] const SweepModel &model() const { return *m_model; }
    [[nodiscard]] PointFilterBar &filters() const { return *m_filters; }
    [[nodiscard]] SweepTable *table() const { return m_table; }
    [[nodiscard]] QString summary() const; // the counts shown above the views
    [[nodiscard]] const ExploreCommands &commands() const { return m_commands; }
    [[nodiscard]] bool running() const { return m_job.running(); }
    void cancel() { m_job.cancel(); }
    // Exports of the sweep as it is shown now. The returned functions can write on any thread.
    [[nodiscard]] Result<FileExport::Write> csv() const; // the points that pass the filters
    [[nodiscard]] Result<FileExport::Write> pdf() const;

Q_SIGNALS:
    void planRequested(const slipway::RunConfig &config);
    void statusMessage(const QString &message);
    void pricesRequested(); // requests the editor of the price books
    void sweepEnded(bool whole);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void makeCommands();
    QWidget *makeHeader();
    void nameSource();
    void refreshCommands();
    void onSweepFinished(const std::shared_ptr<const ExploreResult> &explored);
    void refreshShown();
    void refreshHeader();
    void choosePoint(std::size_t point);
    void askOpen();

    const Catalogue &m_catalogue;
    std::function<RunConfig()> m_base;
    SweepJob m_job;
    Grid m_grid;
    RunConfig m_asked;         // the base of the sweep that was started last
    std::optional<Grid> m_own; // the grid that was edited or opened last
    std::shared_ptr<const ExploreResult> m_explored;
    std::shared_ptr<const Sweep> m_sweep; // the sweep of m_explored
    std::vector<SweepFigure> m_figures;
    View m_view = View::Table;

    SweepModel *m_model;
    QLabel *m_subtitle, *m_empty;
    QProgressBar *m_progress;
    ExploreCommands m_commands{};
    QPushButton *m_run;
    ComboInput *m_source;
    SegmentedInput *m_views;
    PointFilterBar *m_filters;
    QStackedWidget *m_stack;
    SweepTable *m_table;
    HeatView *m_heat;
    ScatterChart *m_pareto;
    FiguresView *m_figure;
    SequenceView *m_sequence;
    bool m_started = false;
    FileExport m_export;
};

} // namespace slipway::ui
