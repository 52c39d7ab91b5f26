// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/explore_page.h"

#include <QAction>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QThread>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "config/settings.h"
#include "explore/sweep_csv.h"
#include "predict/predict.h"
#include "report/explore_report.h"
#include "ui/explore/figures_view.h"
#include "ui/explore/grid_dialog.h"
#include "ui/explore/heat_view.h"
#include "ui/explore/point_filter_bar.h"
#include "ui/explore/sequence_view.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/report/report_pdf.h"
#include "ui/theme/style.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/first_focus.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

const QString kPaper = QStringLiteral("paper"), kAround = QStringLiteral("around"), kEdit = QStringLiteral("edit"),
              kFile = QStringLiteral("file"), kUserGrid = QStringLiteral("own");

constexpr const char *kAroundPlanName = "around the plan";

QString sourceOf(const Grid &grid)
{
    return grid.name == "paper" ? kPaper : grid.name == kAroundPlanName ? kAround : kUserGrid;
}

// Varies the settings that users most often vary around a plan.
Grid gridAroundPlan()
{
    return {.name = kAroundPlanName,
        .axes = {
            {"gpus", {"1", "2", "4", "8", "16", "32", "64"}},
            {"parallel", {"ddp", "fsdp-full", "fsdp-grad-op"}},
            {"micro_batch", {"1", "2", "4", "8", "16", "32", "64"}},
            {"recompute", {"none", "selective", "full"}},
            {"attention", {"flash", "vanilla"}},
        }};
}

} // namespace

ExplorePage::ExplorePage(const Catalogue &catalogue, std::function<RunConfig()> base, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_base(std::move(base)),
      m_job(catalogue),
      m_grid(paperGrid()),
      m_model(new SweepModel(&catalogue, this)),
      m_empty(makeLabel(tr("No results yet."), TextKind::Muted)),
      m_progress(new QProgressBar),
      m_filters(new PointFilterBar(catalogue)),
      m_stack(new QStackedWidget),
      m_table(new SweepTable(*m_model)),
      m_heat(new HeatView(catalogue)),
      m_pareto(new ScatterChart),
      m_figure(new FiguresView(catalogue)),
      m_sequence(new SequenceView),
      m_export(this)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 14, 20, 16);
    page->setSpacing(10);
    page->addWidget(makeHeader());
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    QSizePolicy kept = m_progress->sizePolicy();
    kept.setRetainSizeWhenHidden(true); // keeps the page from jumping when a sweep starts or ends
    m_progress->setSizePolicy(kept);
    m_progress->hide();
    page->addWidget(m_progress);
    page->addWidget(m_filters);
    connect(m_filters, &PointFilterBar::changed, this, [this] {
        refreshHeader();
        refreshShown();
    });
    auto *paretoCard = new Card;
    paretoCard->body()->addWidget(m_pareto, 1);
    auto *legend = new Legend(Legend::Form::Flow);
    legend->set(
        {{tr("Pareto front: no other point is faster, cheaper and smaller at once"), {}, {},
             themeColor(ThemeColor::Accent, false), themeColor(ThemeColor::Accent, true), LegendMark::Dot, kFrontShape},
            {tr("Other points that fit"), {}, {}, themeColor(ThemeColor::Raw, false), themeColor(ThemeColor::Raw, true),
                LegendMark::Dot}});
    paretoCard->body()->addWidget(legend);
    for (QWidget *view : std::initializer_list<QWidget *>{m_table, m_heat, paretoCard, m_figure, m_sequence})
        m_stack->addWidget(view);
    m_empty->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(m_empty);
    page->addWidget(m_stack, 1);

    connect(m_table, &QTableView::activated, this,
        [this](const QModelIndex &index) { choosePoint(m_model->pointAt(index.row())); });
    connect(m_heat, &HeatView::chosen, this, &ExplorePage::choosePoint);
    connect(m_heat, &HeatView::edited, this, &ExplorePage::refreshShown);
    connect(m_pareto, &ScatterChart::chosen, this, &ExplorePage::choosePoint);
    connect(m_figure, &FiguresView::chosen, this, &ExplorePage::choosePoint);
    connect(m_sequence, &SequenceView::chosen, this, &ExplorePage::planRequested);
    connect(&m_job, &SweepJob::finished, this, &ExplorePage::onSweepFinished);
    connect(&m_job, &SweepJob::progressed, this, [this](qulonglong done, qulonglong all) {
        m_progress->setRange(0, 1000);
        m_progress->setValue(static_cast<int>(done * 1000 / std::max<qulonglong>(1, all)));
        m_subtitle->setText(tr("%L1 of %L2 points").arg(done).arg(all));
    });
    setFirstFocus(*this, *m_source->focusProxy());
    show(View::Table);
    refreshCommands();
}

void ExplorePage::makeCommands()
{
    const auto exporting = [this](const QString &suffix, Result<FileExport::Write> (ExplorePage::*prepare)() const) {
        return [this, suffix, prepare] {
            m_export.ask(
                tr("Export"), QStringLiteral("grid.") + suffix, suffix, [this, prepare] { return (this->*prepare)(); });
        };
    };
    connect(&m_export, &FileExport::statusMessage, this, &ExplorePage::statusMessage);
    ExploreCommands &c = m_commands;
    c.run = makeAction(this, tr("&Run grid again or cancel it"), tr("Predict every point of the grid again"),
        QKeySequence(QStringLiteral("Ctrl+R")), [this] { m_job.running() ? m_job.cancel() : explore(m_grid); });
    c.openGrid = makeAction(this, tr("&Open grid…"), tr("Open a YAML file that lists the values of each setting"), {},
        [this] { askOpen(); });
    c.prices = makeAction(this, tr("Edit &prices…"), tr("View the shipped price books and edit your own"), {},
        [this] { Q_EMIT pricesRequested(); });
    c.editGrid = makeAction(this, tr("&Edit the grid…"), tr("Choose the settings of the grid and their values"), {},
        [this] { editGrid(); });
    c.csv = makeAction(this, tr("Points as &CSV…"), tr("Export the points that the filters let through"), {},
        exporting(QStringLiteral("csv"), &ExplorePage::csv));
    c.pdf = makeAction(this, tr("C&harts as PDF…"), tr("Export the report of the grid"), {},
        exporting(QStringLiteral("pdf"), &ExplorePage::pdf));
}

QWidget *ExplorePage::makeHeader()
{
    auto *header = new QWidget;
    auto *rows = new QVBoxLayout(header);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(10);
    m_source = new ComboInput({});
    nameSource();
    m_source->setMinimumWidth(170);
    m_source->setAccessibleName(tr("Grid"));
    connect(m_source, &ComboInput::edited, this, [this](const QString &value) {
        if (value == kFile)
            askOpen();
        else if (value == kEdit)
            editGrid();
        else
            explore(value == kPaper ? paperGrid() : value == kUserGrid ? *m_own : gridAroundPlan());
    });
    makeCommands();
    m_run = makeActionButton(m_commands.run, tr("Run again"), tr("Run again"));
    auto *exported = new QPushButton(tr("Export"));
    auto *menu = new QMenu(exported);
    menu->addAction(m_commands.csv);
    menu->addAction(m_commands.pdf);
    exported->setMenu(menu);
    QPushButton *prices = makeActionButton(m_commands.prices, tr("Prices…"), tr("Edit prices"));
    const PageHeader top = makePageHeader(tr("Explore"), {m_source, m_run, prices, exported});
    m_subtitle = top.subtitle;
    rows->addLayout(top.row);
    const std::vector<Choice> views{{QStringLiteral("0"), tr("Table"), {}}, {QStringLiteral("1"), tr("Heat map"), {}},
        {QStringLiteral("2"), tr("Pareto"), tr("Throughput, cost and memory")},
        {QStringLiteral("3"), tr("Attention"), tr("Flash and vanilla attention over global batch size")},
        {QStringLiteral("4"), tr("GPU type"), tr("GPU types over number of GPUs")},
        {QStringLiteral("5"), tr("Parallelism"), tr("Parallelism over number of GPUs")},
        {QStringLiteral("6"), tr("Batch size"), tr("Parallelism over global batch size")},
        {QStringLiteral("7"), tr("Sequence length"), tr("Peak memory by category over sequence length")}};
    m_views = new SegmentedInput(views, SegmentedInput::Lines::Several);
    connect(m_views, &SegmentedInput::edited, this,
        [this](const QString &value) { show(static_cast<View>(value.toInt())); });
    rows->addWidget(m_views, 0, Qt::AlignLeft);
    return header;
}

// Shows which grid the page is about. A grid that was edited or opened is a choice of its own.
void ExplorePage::nameSource()
{
    std::vector<Choice> choices{{kPaper, tr("Paper grid"),
                                    tr("4 models, 3 GPU types, 1 to 64 GPUs, 3 parallelism strategies, 5 micro-batch "
                                       "sizes, 2 attention kernels")},
        {kAround, tr("Around the plan"),
            tr("Varies GPUs, parallelism, micro-batch, recomputation and attention of the current plan")}};
    if (sourceOf(m_grid) == kUserGrid)
        m_own = m_grid;
    if (m_own)
        choices.push_back(
            {kUserGrid, m_own->name == kEditedGridName ? tr("Edited grid") : QFileInfo(qs(m_own->name)).fileName(),
                tr("The grid that was edited or opened last")});
    choices.push_back(
        {kEdit, tr("Edit the grid…"), tr("Choose the settings and their values, and see how many points that makes")});
    choices.push_back({kFile, tr("Grid from file…"), tr("A YAML file that lists the values of each setting")});
    m_source->setChoices(choices);
    m_source->setValue(sourceOf(m_grid));
}

void ExplorePage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_started)
        explore(m_grid);
}

void ExplorePage::explore(const Grid &grid)
{
    m_started = true;
    m_grid = grid;
    nameSource();
    RunConfig base = m_base();
    if (sourceOf(grid) == kPaper) {
        RunConfig plain; // the defaults where the paper does not name a setting, with the plan's prices
        plain.prices = base.prices;
        base = std::move(plain);
    }
    m_asked = base;
    m_job.start(base, grid);
    m_progress->setRange(0, 0);
    m_progress->show();
    m_run->setText(tr("Cancel"));
    m_subtitle->setText(tr("%L1 points").arg(grid.size()));
    if (!m_sweep)
        show(m_view); // shows that the sweep is being computed
    refreshCommands();
}

// The points of another grid or plan stay in sight until the new ones are there, but cannot be taken for them.
void ExplorePage::refreshCommands()
{
    const bool same = m_sweep && m_sweep->grid == m_grid && m_sweep->base == m_asked;
    const bool current = m_sweep && (same || !m_job.running());
    for (QAction *action : {m_commands.csv, m_commands.pdf})
        action->setEnabled(current);
    m_filters->setEnabled(current);
    m_stack->setEnabled(current || !m_sweep);
}

GridDialog *ExplorePage::editGrid()
{
    RunConfig base = m_base();
    // The time per point comes from the last sweep. Without one, a single prediction is timed.
    double seconds = 0;
    if (m_sweep && !m_sweep->points.empty()) {
        seconds = m_sweep->end.seconds / static_cast<double>(m_sweep->points.size());
    } else {
        QElapsedTimer timer;
        timer.start();
        static_cast<void>(predict(base, m_catalogue));
        seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9 / std::max(1, QThread::idealThreadCount());
    }
    m_source->setValue(sourceOf(m_grid));
    auto *dialog = new GridDialog(m_grid, std::move(base), seconds, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GridDialog::chosen, this, &ExplorePage::explore);
    dialog->open();
    return dialog;
}

Result<void> ExplorePage::openGrid(const QString &file)
{
    const Result<Grid> grid = readGrid(file.toStdString());
    if (!grid)
        return grid.error();
    explore(*grid);
    return {};
}

void ExplorePage::onSweepFinished(const std::shared_ptr<const ExploreResult> &explored)
{
    m_explored = explored;
    m_sweep = std::shared_ptr<const Sweep>(explored, &explored->sweep);
    m_figures = paperFigures(*m_sweep);
    m_progress->hide();
    m_run->setText(tr("Run again"));
    m_model->setSweep(m_sweep);
    m_table->sortByColumn(m_model->columnOf(SweepModel::TokensPerUsd), Qt::DescendingOrder);
    m_filters->setGrid(m_sweep->grid);
    m_heat->setGrid(m_sweep->grid, hasRelativePrices(*m_sweep, m_catalogue));
    refreshHeader();
    refreshCommands();
    show(m_view);
    QTimer::singleShot(0, m_table, &SweepTable::fitColumns); // called later, when the table has its size
    Q_EMIT sweepEnded(!m_sweep->end.cancelled());
}

QString ExplorePage::summary() const { return m_subtitle->text(); }

// Shows how many points pass the filters.
void ExplorePage::refreshHeader()
{
    const std::vector<std::size_t> shown = filteredPoints(*m_sweep, m_filters->filter());
    const auto count = [&](auto what) {
        return std::count_if(shown.begin(), shown.end(), [&](std::size_t i) { return what(m_sweep->points[i]); });
    };
    const std::size_t points = m_sweep->points.size();
    QString text = m_sweep->end.cancelled() ? tr("Stopped: %L1 of %L2 points").arg(points).arg(m_sweep->end.all)
                                            : tr("%L1 points").arg(points);
    if (shown.size() != points)
        text += tr(", %L1 shown").arg(shown.size());
    text += tr(", %L1 fit, %L2 out of memory")
                .arg(count([](const SweepPoint &p) { return p.runs(); }))
                .arg(count([](const SweepPoint &p) { return p.skipped.empty() && p.verdict == Verdict::Oom; }));
    if (const auto skipped = count([](const SweepPoint &p) { return !p.skipped.empty(); }); skipped > 0)
        text += tr(", %L1 cannot be planned").arg(skipped);
    if (!m_sweep->end.cancelled())
        text += tr(" · in %1").arg(localText(formatSeconds(m_sweep->end.seconds)));
    if (sourceOf(m_sweep->grid) != kPaper)
        text += tr(" · other settings as in the plan");
    m_subtitle->setText(text);
}

void ExplorePage::show(View view)
{
    m_view = view;
    m_views->setValue(QString::number(static_cast<int>(view)));
    m_filters->setVisible(m_sweep && view <= View::Pareto);
    if (!m_sweep || m_sweep->points.empty()) {
        m_empty->setText(m_job.running() ? tr("Computing…") : tr("No results yet."));
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    if (view >= View::Attention && view <= View::Batch) {
        const std::string id = kViewNames[static_cast<std::size_t>(view)];
        const auto figure =
            std::find_if(m_figures.begin(), m_figures.end(), [&](const SweepFigure &f) { return f.id == id; });
        if (figure == m_figures.end()) {
            m_empty->setText(tr("This grid does not vary the settings that this chart compares."));
            m_stack->setCurrentWidget(m_empty);
            return;
        }
        m_figure->show(m_sweep, *figure);
        m_stack->setCurrentWidget(m_figure);
        return;
    }
    if (view == View::Sequence) {
        const RunConfig &base = m_sweep->base;
        m_sequence->show(m_explored->sequence,
            tr("Peak memory by category: micro-batch %1, %2 × %3%4, %5 attention, %6. The dashed line is the memory of "
               "the GPU. Click a bar to open it in Plan.")
                .arg(base.microBatch)
                .arg(base.parallel.gpus)
                .arg(namedValue("gpu", base.gpu, &m_catalogue),
                    base.parallel.kind == ParallelKind::None
                        ? QString()
                        : QStringLiteral(", ") + valueName("parallel", qs(enumName(base.parallel.kind))),
                    inSentence(valueName("attention", qs(enumName(base.attentionOrFlash())))),
                    valueName("framework", qs(settingText(*findSetting("framework"), base)))));
        m_stack->setCurrentWidget(m_sequence);
        return;
    }
    m_stack->setCurrentIndex(static_cast<int>(view));
    refreshShown();
}

void ExplorePage::refreshShown()
{
    if (m_view == View::Table)
        m_model->setFilter(m_filters->filter());
    else if (m_view == View::Heat && m_sweep)
        m_heat->show(m_sweep, filteredPoints(*m_sweep, m_filters->filter()));
    else if (m_view == View::Pareto)
        m_pareto->setData(paretoData(m_sweep, filteredPoints(*m_sweep, m_filters->filter()), m_catalogue));
}

void ExplorePage::choosePoint(std::size_t point)
{
    const Result<RunConfig> config = configAt(m_sweep->base, m_sweep->grid, m_sweep->points[point].index);
    if (config)
        Q_EMIT planRequested(*config);
}

void ExplorePage::askOpen()
{
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Open grid"), {}, tr("Grids (*.yaml *.yml);;All files (*)"));
    const Result<void> opened = file.isEmpty() ? Result<void>() : openGrid(file);
    m_source->setValue(sourceOf(m_grid)); // names the current grid again if none was opened
    if (!opened)
        showProblem(this, tr("Open grid"), problemText(opened.error()));
}

Result<FileExport::Write> ExplorePage::csv() const
{
    if (!m_sweep)
        return Error{.what = "there are no results to export yet"};
    // A table is exported in the order that it shows.
    return FileExport::Write(
        [sweep = m_sweep,
            points = m_view == View::Table ? m_model->rows() : filteredPoints(*m_sweep, m_filters->filter())](
            const QString &path, const FileExport::Progress &progress) -> Result<void> {
            const Grid choices = withAllChoices(sweep->grid, sweep->base);
            SweepCsv csv(path.toStdString(), choices);
            ParetoFront front;
            for (std::size_t i = 0; i < points.size(); ++i) {
                if (!progress(i, points.size()))
                    return FileExport::cancelled();
                const SweepPoint &point = sweep->points[points[i]];
                front.add(point, csv.add(point));
            }
            return csv.finish(front);
        });
}

Result<FileExport::Write> ExplorePage::pdf() const
{
    if (!m_sweep)
        return Error{.what = "there are no results to export yet"};
    return FileExport::Write([sweep = m_sweep, catalogue = m_catalogue, options = windowPdfOptions()](
                                 const QString &path, const FileExport::Progress &progress) mutable {
        options.cancelled = [progress] { return !progress(0, 0); };
        return writeReportPdf(exploreReport(*sweep, catalogue), path, options);
    });
}

} // namespace slipway::ui
