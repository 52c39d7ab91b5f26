// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/explore_page.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "explore/sweep_csv.h"
#include "report/explore_report.h"
#include "ui/explore/figures_view.h"
#include "ui/explore/point_delegate.h"
#include "ui/explore/sequence_view.h"
#include "ui/plan/display_names.h"
#include "ui/report/report_pdf.h"
#include "ui/theme/style.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kRowsMeasured = 300, kOrderArrow = 34;
constexpr int kPickerFrame = 36, kWidestPicker = 190; // of a filter

const QString kPaper = QStringLiteral("paper"), kAround = QStringLiteral("around"), kFile = QStringLiteral("file");

constexpr const char *kAroundPlanName = "around the plan";

QString sourceOf(const Grid &grid)
{
    return grid.name == "paper" ? kPaper : grid.name == kAroundPlanName ? kAround : kFile;
}

// The settings that users most often vary around a plan.
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

// Wide enough for "all", and for longer values up to a limit.
int widthOf(const std::vector<Choice> &choices, const QFontMetrics &metrics)
{
    int widest = 0;
    for (const Choice &choice : choices)
        widest = std::max(widest, metrics.horizontalAdvance(choice.shown));
    return std::max(metrics.horizontalAdvance(choices.front().shown), std::min(widest, kWidestPicker)) + kPickerFrame;
}

std::size_t axisOr(const Grid &grid, std::string_view key, std::size_t fallback)
{
    return grid.axisOf(key).value_or(std::min(fallback, grid.axes.size() - 1));
}

} // namespace

ExplorePage::ExplorePage(const Catalogue &catalogue, std::function<RunConfig()> base, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_base(std::move(base)),
      m_job(catalogue),
      m_grid(paperGrid()),
      m_model(new SweepModel(this)),
      m_empty(makeLabel(tr("No results yet."), TextKind::Muted)),
      m_progress(new QProgressBar),
      m_stack(new QStackedWidget),
      m_pareto(new ScatterChart),
      m_figure(new FiguresView),
      m_sequence(new SequenceView)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 14, 20, 16);
    page->setSpacing(10);
    page->addWidget(makeHeader());
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    QSizePolicy kept = m_progress->sizePolicy();
    kept.setRetainSizeWhenHidden(true); // so that the page does not jump when a sweep starts or ends
    m_progress->setSizePolicy(kept);
    m_progress->hide();
    page->addWidget(m_progress);
    page->addWidget(makeFilters());
    auto *paretoCard = new Card;
    paretoCard->body()->addWidget(m_pareto, 1);
    auto *legend = new Legend(Legend::Form::Flow);
    legend->set({{tr("Pareto front: no other point is faster, cheaper and smaller at once"), {}, {},
                     themeColor(ThemeColor::Accent, false), themeColor(ThemeColor::Accent, true), LegendMark::Dot},
        {tr("Other points that fit"), {}, {}, themeColor(ThemeColor::Raw, false), themeColor(ThemeColor::Raw, true),
            LegendMark::Dot}});
    paretoCard->body()->addWidget(legend);
    for (QWidget *view : std::initializer_list<QWidget *>{makeTable(), makeHeat(), paretoCard, m_figure, m_sequence})
        m_stack->addWidget(view);
    m_empty->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(m_empty);
    page->addWidget(m_stack, 1);

    connect(m_pareto, &ScatterChart::chosen, this, &ExplorePage::choosePoint);
    connect(m_figure, &FiguresView::chosen, this, &ExplorePage::choosePoint);
    connect(m_sequence, &SequenceView::chosen, this, &ExplorePage::planRequested);
    connect(&m_job, &SweepJob::finished, this, &ExplorePage::onSweepFinished);
    connect(&m_job, &SweepJob::progressed, this, [this](qulonglong done, qulonglong all) {
        m_progress->setRange(0, 1000);
        m_progress->setValue(static_cast<int>(done * 1000 / std::max<qulonglong>(1, all)));
        m_subtitle->setText(tr("%L1 of %L2 points").arg(done).arg(all));
    });
    show(View::Table);
}

QWidget *ExplorePage::makeHeader()
{
    auto *header = new QWidget;
    auto *rows = new QVBoxLayout(header);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(10);
    m_source = new ComboInput({{kPaper, tr("Paper grid"),
                                   tr("4 models, 3 GPU types, 1 to 64 GPUs, 3 parallelism strategies, 5 micro-batch "
                                      "sizes, 2 attention kernels")},
        {kAround, tr("Around the plan"),
            tr("Varies GPUs, parallelism, micro-batch, recomputation and attention of the current plan")},
        {kFile, tr("Grid from file…"), tr("A YAML file that lists the values of each setting")}});
    m_source->setMinimumWidth(170);
    m_source->setAccessibleName(tr("Grid"));
    connect(m_source, &ComboInput::edited, this, [this](const QString &value) {
        if (value == kFile)
            askOpen();
        else
            explore(value == kPaper ? paperGrid() : gridAroundPlan());
    });
    m_run = new QPushButton(tr("Run again"));
    m_run->setShortcut(QKeySequence(QStringLiteral("Ctrl+R")));
    connect(m_run, &QPushButton::clicked, this, [this] { m_job.running() ? m_job.cancel() : explore(m_grid); });
    m_export = new QPushButton(tr("Export"));
    auto *menu = new QMenu(m_export);
    menu->addAction(tr("Points as CSV…"), this, [this] { askExport(QStringLiteral("csv"), &ExplorePage::exportCsv); });
    menu->addAction(tr("Charts as PDF…"), this, [this] { askExport(QStringLiteral("pdf"), &ExplorePage::exportPdf); });
    m_export->setMenu(menu);
    auto *prices = new QPushButton(tr("Prices…"));
    prices->setToolTip(tr("View the shipped price books and edit your own"));
    connect(prices, &QPushButton::clicked, this, &ExplorePage::pricesRequested);
    const PageHeader top = makePageHeader(tr("Explore"), {m_source, m_run, prices, m_export});
    m_subtitle = top.subtitle;
    rows->addLayout(top.row);
    const std::vector<Choice> views{{QStringLiteral("0"), tr("Table"), {}}, {QStringLiteral("1"), tr("Heat map"), {}},
        {QStringLiteral("2"), tr("Pareto"), tr("Throughput, cost and memory")},
        {QStringLiteral("3"), tr("Attention"), tr("Flash and vanilla attention over global batch size")},
        {QStringLiteral("4"), tr("GPU type"), tr("GPU types over number of GPUs")},
        {QStringLiteral("5"), tr("Parallelism"), tr("Parallelism over number of GPUs")},
        {QStringLiteral("6"), tr("Batch size"), tr("Parallelism over global batch size")},
        {QStringLiteral("7"), tr("Sequence length"), tr("Peak memory by category over sequence length")}};
    m_views = new SegmentedInput(views);
    connect(m_views, &SegmentedInput::edited, this,
        [this](const QString &value) { show(static_cast<View>(value.toInt())); });
    m_views->setMinimumWidth(m_views->sizeHint().width() * 13 / 10);
    rows->addWidget(m_views, 0, Qt::AlignLeft);
    return header;
}

QWidget *ExplorePage::makeFilters()
{
    m_filters = new QWidget;
    m_filterRow = new FlowLayout(8, m_filters);
    return m_filters;
}

QTableView *ExplorePage::makeTable()
{
    m_table = new QTableView;
    m_table->setTabKeyNavigation(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new PointDelegate(m_table));
    m_table->setSortingEnabled(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Grid points"));
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this] {
        if (m_sweep)
            fitColumns();
    });
    connect(m_table, &QTableView::activated, this,
        [this](const QModelIndex &index) { choosePoint(m_model->pointAt(index.row())); });
    return m_table;
}

QWidget *ExplorePage::makeHeat()
{
    auto *card = new Card;
    m_heat = new HeatMap;
    m_heatChoices = new QHBoxLayout;
    m_heatChoices->setSpacing(8);
    card->body()->addLayout(m_heatChoices);
    card->body()->addWidget(m_heat, 1);
    connect(m_heat, &HeatMap::chosen, this, &ExplorePage::choosePoint);
    return card;
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
    m_source->setValue(sourceOf(grid));
    RunConfig base = m_base();
    if (grid.name == "paper") {
        RunConfig plain; // defaults where the paper says nothing, with the plan's prices
        plain.prices = base.prices;
        base = plain;
    }
    m_job.start(base, grid);
    m_progress->setRange(0, 0);
    m_progress->show();
    m_run->setText(tr("Cancel"));
    m_subtitle->setText(tr("%L1 points").arg(grid.size()));
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
    m_filter = {};
    m_progress->hide();
    m_run->setText(tr("Run again"));
    m_model->setSweep(m_sweep);
    m_table->sortByColumn(m_model->columnOf(SweepModel::TokensPerUsd), Qt::DescendingOrder);
    rebuildFilters();
    refreshHeader();
    show(m_view);
    QTimer::singleShot(0, this, &ExplorePage::fitColumns); // once the table has its size
    Q_EMIT sweepEnded(!m_sweep->end.cancelled());
}

// Distributes the spare width over all columns.
void ExplorePage::fitColumns()
{
    const int columns = m_model->columnCount();
    const QFontMetrics metrics(m_table->horizontalHeader()->font());
    std::vector<int> widths;
    for (int c = 0; c < columns; ++c) {
        const int arrow = m_table->horizontalHeader()->sortIndicatorSection() == c ? kOrderArrow : 0;
        int width =
            metrics.horizontalAdvance(m_model->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()) + arrow;
        for (int row = 0; row < std::min(kRowsMeasured, m_model->rowCount()); ++row)
            width = std::max(
                width, metrics.horizontalAdvance(m_model->data(m_model->index(row, c), Qt::DisplayRole).toString()));
        widths.push_back(width + 18);
    }
    const int spare = std::max(0, m_table->viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0)) /
                      std::max(1, columns);
    for (int c = 0; c < columns; ++c)
        m_table->setColumnWidth(c, widths[static_cast<std::size_t>(c)] + spare);
}

void ExplorePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_sweep)
        QTimer::singleShot(0, this, &ExplorePage::fitColumns);
}

void ExplorePage::refreshHeader()
{
    const auto count = [this](
                           auto what) { return std::count_if(m_sweep->points.begin(), m_sweep->points.end(), what); };
    QString text = m_sweep->end.cancelled()
                       ? tr("Stopped: %L1 of %L2 points").arg(m_sweep->points.size()).arg(m_sweep->end.all)
                       : tr("%L1 points").arg(m_sweep->points.size());
    text += tr(", %L1 fit, %L2 out of memory")
                .arg(count([](const SweepPoint &p) { return p.runs(); }))
                .arg(count([](const SweepPoint &p) { return p.skipped.empty() && p.verdict == Verdict::Oom; }));
    if (const auto skipped = count([](const SweepPoint &p) { return !p.skipped.empty(); }); skipped > 0)
        text += tr(", %L1 cannot be planned").arg(skipped);
    if (!m_sweep->end.cancelled())
        text += tr(" · in %1").arg(qs(formatSeconds(m_sweep->end.seconds)));
    m_subtitle->setText(text);
}

void ExplorePage::rebuildFilters()
{
    while (QLayoutItem *item = m_filterRow->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    const Grid &grid = m_sweep->grid;
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        if (grid.axes[axis].values.size() < 2)
            continue;
        const QString name = settingName(grid.axes[axis].key);
        std::vector<Choice> choices{{QStringLiteral("-1"), name + tr(": all"), {}}};
        for (std::size_t i = 0; i < grid.axes[axis].values.size() && i < 1000; ++i)
            choices.push_back(
                {QString::number(i), valueName(grid.axes[axis].key, qs(grid.axes[axis].values[i])), name});
        auto *picker = new ComboInput(choices);
        picker->setValue(QStringLiteral("-1"));
        picker->setAccessibleName(name);
        picker->setMinimumWidth(widthOf(choices, fontMetrics()));
        connect(picker, &ComboInput::edited, this, [this, axis](const QString &value) {
            if (value.toInt() < 0)
                m_filter.values.erase(axis);
            else
                m_filter.values[axis] = value.toULong();
            refreshShown();
        });
        m_filterRow->addWidget(picker);
    }
    auto *shown = new SegmentedInput(
        {{QStringLiteral("0"), tr("All"), {}}, {QStringLiteral("1"), tr("Fits"), tr("Points that fit into memory")},
            {QStringLiteral("2"), tr("Pareto front"), tr("Points that no other point beats")}});
    shown->setValue(QStringLiteral("0"));
    connect(shown, &SegmentedInput::edited, this, [this](const QString &value) {
        m_filter.shown = static_cast<ShownPoints>(value.toInt());
        refreshShown();
    });
    shown->setMinimumWidth(shown->sizeHint().width() * 14 / 10);
    m_filterRow->addWidget(shown);
    rebuildHeatChoices();
}

void ExplorePage::rebuildHeatChoices()
{
    while (QLayoutItem *item = m_heatChoices->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    const Grid &grid = m_sweep->grid;
    std::vector<Choice> axes;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        if (grid.axes[i].values.size() > 1 && grid.axes[i].values.size() <= 64)
            axes.push_back({QString::number(i), settingName(grid.axes[i].key), {}});
    }
    m_heatFigure = new ComboInput(
        {{QStringLiteral("0"), tr("Tokens per $"), {}}, {QStringLiteral("1"), tr("Tokens/s per GPU"), {}},
            {QStringLiteral("2"), tr("MFU"), {}}, {QStringLiteral("3"), tr("Peak memory"), {}}});
    m_heatRows = new ComboInput(axes);
    m_heatColumns = new ComboInput(axes);
    m_heatFigure->setValue(QStringLiteral("0"));
    if (!axes.empty()) {
        m_heatRows->setValue(QString::number(axisOr(grid, "micro_batch", axes.front().value.toULong())));
        m_heatColumns->setValue(QString::number(axisOr(grid, "gpus", axes.back().value.toULong())));
    }
    for (const auto &[name, picker] : std::initializer_list<std::pair<QString, ComboInput *>>{
             {tr("Best"), m_heatFigure}, {tr("Rows"), m_heatRows}, {tr("Columns"), m_heatColumns}}) {
        m_heatChoices->addWidget(makeLabel(name, TextKind::Muted));
        picker->setMinimumWidth(150);
        m_heatChoices->addWidget(picker);
        m_heatChoices->addSpacing(10);
        connect(picker, &ComboInput::edited, this, &ExplorePage::refreshHeat);
    }
    auto *hint = makeLabel(tr("over all other settings within the filters"), TextKind::Muted);
    m_heatChoices->addWidget(hint);
    m_heatChoices->addStretch(1);
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
                .arg(qs(base.gpu),
                    base.parallel.kind == ParallelKind::None
                        ? QString()
                        : QStringLiteral(", ") + valueName("parallel", qs(enumName(base.parallel.kind))),
                    valueName("attention", qs(enumName(base.attention))).toLower(),
                    valueName("framework", qs(enumName(base.framework)))));
        m_stack->setCurrentWidget(m_sequence);
        return;
    }
    m_stack->setCurrentIndex(static_cast<int>(view));
    refreshShown();
}

void ExplorePage::refreshShown()
{
    if (m_view == View::Table)
        m_model->setFilter(m_filter);
    else if (m_view == View::Heat)
        refreshHeat();
    else if (m_view == View::Pareto)
        m_pareto->setData(paretoData(m_sweep, filteredPoints(*m_sweep, m_filter)));
}

void ExplorePage::refreshHeat()
{
    if (!m_sweep || m_heatRows->value().isEmpty() || m_heatColumns->value().isEmpty())
        return;
    m_heat->setData(heatData(m_sweep, filteredPoints(*m_sweep, m_filter),
        {.rows = m_heatRows->value().toULong(),
            .columns = m_heatColumns->value().toULong(),
            .figure = static_cast<HeatFigure>(m_heatFigure->value().toInt())}));
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
    m_source->setValue(sourceOf(m_grid)); // the current grid, if none was opened
    if (!opened)
        showProblem(this, tr("Open grid"), qs(opened.error().message()));
}

void ExplorePage::askExport(const QString &suffix, Result<void> (ExplorePage::*write)(const QString &) const)
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Export"), QStringLiteral("grid.") + suffix);
    if (file.isEmpty())
        return;
    if (const Result<void> written = (this->*write)(file); !written)
        showProblem(this, tr("Export"), qs(written.error().message()));
    else
        Q_EMIT statusMessage(tr("Exported to %1").arg(file));
}

Result<void> ExplorePage::exportCsv(const QString &path) const
{
    if (!m_sweep)
        return Error{.what = "there are no results to export yet"};
    const Grid choices = withAllChoices(m_sweep->grid, m_sweep->base);
    SweepCsv csv(path.toStdString(), choices);
    ParetoFront front;
    for (const SweepPoint &point : m_sweep->points)
        front.add(point, csv.add(point));
    return csv.finish(front);
}

Result<void> ExplorePage::exportPdf(const QString &path) const
{
    if (!m_sweep)
        return Error{.what = "there are no results to export yet"};
    return writeReportPdf(exploreReport(*m_sweep), path);
}

} // namespace slipway::ui
