// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_detail.h"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "base/text.h"
#include "ui/charts/ticks.h"
#include "ui/theme/colours.h"
#include "ui/theme/style.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLogLines = 5000;

QTableWidget *plainTable(const QStringList &columns)
{
    auto *table = new QTableWidget(0, static_cast<int>(columns.size()));
    table->setHorizontalHeaderLabels(columns);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(26);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

QPlainTextEdit *plainText(const QString &name)
{
    auto *edit = new QPlainTextEdit;
    edit->setReadOnly(true);
    edit->setFrameShape(QFrame::NoFrame);
    edit->setFont(fontOf(TextKind::Mono));
    edit->setAccessibleName(name);
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    return edit;
}

void setCell(QTableWidget &table, int row, int column, const QString &text, bool number = false)
{
    QTableWidgetItem *item = table.item(row, column);
    if (item == nullptr) {
        item = new QTableWidgetItem;
        table.setItem(row, column, item);
    }
    item->setText(text);
    item->setToolTip(text);
    item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
}

LegendEntry entry(const QString &name, Ink id, LegendMark mark)
{
    return {name, {}, {}, ink(id, false), ink(id, true), mark};
}

QString pointsText(const LineChart &chart)
{
    return chart.allPoints() > chart.drawnPoints()
        ? QObject::tr("%1 of %2 points drawn").arg(chart.drawnPoints()).arg(chart.allPoints())
        : QObject::tr("%1 points").arg(chart.allPoints());
}

} // namespace

RunDetail::RunDetail(QWidget *parent)
    : QWidget(parent), m_name(makeLabel({}, TextKind::Title)), m_subtitle(makeLabel({}, TextKind::Muted)),
      m_speedPoints(makeLabel({}, TextKind::Muted)), m_lossPoints(makeLabel({}, TextKind::Muted)), m_state(new Pill),
      m_alerts(new Banner(Pill::Tone::Warn)), m_stop(new QPushButton(tr("Stop…"))), m_resume(new QPushButton(tr("Resume"))),
      m_export(new QPushButton(tr("Report"))), m_speed(new LineChart), m_loss(new LineChart), m_speedLegend(new Legend(Legend::Form::Flow)),
      m_lossLegend(new Legend(Legend::Form::Flow)), m_log(plainText(tr("Log"))), m_config(plainText(tr("Configuration")))
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(10);
    page->addWidget(makeHead());
    page->addWidget(m_alerts);
    auto *tiles = new QHBoxLayout;
    tiles->setSpacing(10);
    for (int i = 0; i < 6; ++i) {
        m_tiles.push_back(new FigureTile);
        tiles->addWidget(m_tiles.back(), 1);
    }
    page->addLayout(tiles);
    page->addWidget(makeCharts(), 3);
    page->addWidget(makeTabs(), 2);
}

QWidget *RunDetail::makeHead()
{
    auto *head = new QWidget;
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(2, 0, 0, 0);
    row->setSpacing(10);
    auto *words = new QVBoxLayout;
    words->setSpacing(1);
    auto *title = new QHBoxLayout;
    title->setSpacing(10);
    title->addWidget(m_name);
    title->addWidget(m_state);
    title->addStretch(1);
    words->addLayout(title);
    m_subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    words->addWidget(m_subtitle);
    row->addLayout(words, 1);
    m_stop->setProperty(kDanger, true);
    m_stop->setToolTip(tr("Ask for a checkpoint and a clean end"));
    m_resume->setToolTip(tr("Go on from the last checkpoint"));
    for (QPushButton *button : {m_stop, m_resume, m_export})
        row->addWidget(button);
    return head;
}

QWidget *RunDetail::chartCard(const QString &title, LineChart *chart, Legend *legend, QLabel *points)
{
    auto *card = new Card(title);
    card->addToTitle(points);
    chart->setXTitle(tr("step"));
    connect(chart, &LineChart::redrawn, points, [chart, points] { points->setText(pointsText(*chart)); });
    card->body()->addWidget(chart, 1);
    card->body()->addWidget(legend);
    return card;
}

QWidget *RunDetail::makeCharts()
{
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    m_speed->setQuantity(tr("Throughput, tokens/s"), [](double value) -> QString { return qs(formatCount(value)) + QObject::tr(" tokens/s"); }, true);
    m_loss->setQuantity(tr("Loss, nats per token"), [](double value) -> QString { return readingNumber(value) + QObject::tr(" nats"); }, false);
    m_loss->setSmoothing(true);
    row->addWidget(chartCard(tr("Throughput, tokens/s"), m_speed, m_speedLegend, m_speedPoints), 1);
    row->addWidget(chartCard(tr("Loss, nats per token"), m_loss, m_lossLegend, m_lossPoints), 1);
    return box;
}

QWidget *RunDetail::makeTabs()
{
    auto *card = new Card;
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_log->setMaximumBlockCount(kLogLines);
    m_comparisons = plainTable({tr("Figure"), tr("Predicted"), tr("P10 – P90"), tr("Measured"), tr("Measured ÷ predicted")});
    m_comparisons->setAccessibleName(tr("Predicted against measured"));
    m_events = plainTable({tr("Time"), tr("Kind"), tr("What happened")});
    m_events->setAccessibleName(tr("Events"));
    m_tabs->addTab(m_comparisons, tr("Predicted against measured"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_events, tr("Events"));
    m_tabs->addTab(m_config, tr("Configuration"));
    card->body()->addWidget(m_tabs);
    card->setMinimumHeight(128);
    return card;
}

void RunDetail::show(const RunView &run)
{
    m_name->setText(run.name);
    m_subtitle->setText(run.stateDetail.isEmpty() ? run.subtitle : run.stateDetail + QStringLiteral(" · ") + run.subtitle);
    m_subtitle->setToolTip(m_subtitle->text());
    m_state->set(stateName(run.state), stateTone(run.state));
    QStringList alerts;
    for (const QString &alert : run.alerts)
        alerts << alert;
    if (!run.problems.isEmpty())
        alerts << run.problems;
    m_alerts->setText(alerts.join(u'\n'));
    for (std::size_t i = 0; i < m_tiles.size() && i < run.figures.size(); ++i)
        m_tiles[i]->set(run.figures[i]);
    showCharts(run);
    showTables(run);
    showActions(run);
}

void RunDetail::showCharts(const RunView &run)
{
    m_speed->setPredicted(run.speedBand);
    m_speed->setMarkers(run.markers);
    m_speed->setPoints(run.steps, run.tokensPerSecond);
    m_loss->setPredicted(run.lossBand);
    m_loss->setMarkers(run.markers);
    m_loss->setDots(run.evalSteps, run.evalLoss, tr("evaluation"));
    m_loss->setPoints(run.steps, run.loss);
    std::vector<LegendEntry> speed{entry(tr("measured"), Ink::Measured, LegendMark::Line)};
    if (run.speedBand) {
        speed.push_back(entry(tr("predicted"), Ink::Predicted, LegendMark::Dashes));
        speed.push_back(entry(tr("P10 to P90"), Ink::PredictedWash, LegendMark::Band));
    }
    m_speedLegend->set(std::move(speed));
    std::vector<LegendEntry> loss{entry(tr("measured"), Ink::Raw, LegendMark::Line), entry(tr("smoothed, EMA"), Ink::Measured, LegendMark::Line)};
    if (!run.evalSteps.empty())
        loss.push_back(entry(tr("evaluation"), Ink::Warn, LegendMark::Dot));
    if (run.lossBand)
        loss.push_back(entry(tr("expected at the end"), Ink::Predicted, LegendMark::Dashes));
    m_lossLegend->set(std::move(loss));
}

void RunDetail::showTables(const RunView &run)
{
    m_comparisons->setRowCount(static_cast<int>(run.comparisons.size()));
    for (int row = 0; row < m_comparisons->rowCount(); ++row) {
        const ComparisonView &comparison = run.comparisons[static_cast<std::size_t>(row)];
        setCell(*m_comparisons, row, 0, comparison.name);
        setCell(*m_comparisons, row, 1, comparison.predicted);
        setCell(*m_comparisons, row, 2, comparison.range);
        setCell(*m_comparisons, row, 3, comparison.measured);
        setCell(*m_comparisons, row, 4, comparison.outside ? comparison.ratio + tr("  outside the range") : comparison.ratio);
    }
    m_comparisons->resizeColumnsToContents();
    m_events->setRowCount(static_cast<int>(run.events.size()));
    for (int row = 0; row < m_events->rowCount(); ++row) {
        const EventView &event = run.events[static_cast<std::size_t>(row)];
        setCell(*m_events, row, 0, event.time);
        setCell(*m_events, row, 1, event.kind);
        setCell(*m_events, row, 2, event.message);
    }
    m_events->resizeColumnsToContents();
    if (m_config->toPlainText() != run.configText)
        m_config->setPlainText(run.configText);
}

void RunDetail::showActions(const RunView &run)
{
    const bool going = run.state == RunState::Running || run.state == RunState::Queued || run.state == RunState::Stopping;
    m_stop->setVisible(going);
    m_stop->setText(run.state == RunState::Stopping ? tr("Force to stop…") : tr("Stop…"));
    m_resume->setVisible(isTerminal(run.state) && run.state != RunState::Succeeded);
}

void RunDetail::appendLog(const QString &text, bool restarted)
{
    if (restarted)
        m_log->clear();
    if (text.isEmpty())
        return;
    QScrollBar *bar = m_log->verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 2; // who reads further up is left there
    QTextCursor end(m_log->document());
    end.movePosition(QTextCursor::End);
    end.insertText(text);
    if (atEnd)
        bar->setValue(bar->maximum());
}

} // namespace slipway::ui
