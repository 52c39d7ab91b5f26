// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/serve/serve_figure_card.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTableWidget>
#include <algorithm>

#include "report/serve_report.h"
#include "ui/language/core_texts.h"
#include "ui/plan/display_names.h"
#include "ui/serve/serve_display.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kChartHeight = 320;

const QString kDrawn = QStringLiteral("chart"), kTabled = QStringLiteral("table");

QString chartKey(ServeChart chart) { return qs(enumName(chart)); }

} // namespace

ServeFigureCard::ServeFigureCard(QWidget *parent)
    : Card(tr("Comparisons"), parent),
      m_charts(new SegmentedInput(
          {{chartKey(ServeChart::Models), tr("Models"), tr("Throughput against memory")},
              {chartKey(ServeChart::Heads), tr("Heads"), tr("Grouped-query and multi-head attention")},
              {chartKey(ServeChart::Experts), tr("Experts"), tr("Mixture of experts against dense MLPs")},
              {chartKey(ServeChart::Attention), tr("Attention"), tr("Fused and paged attention, on and off")},
              {chartKey(ServeChart::Cache), tr("Cache"), tr("Memory of the KV cache over length and batch")},
              {chartKey(ServeChart::Load), tr("Load"), tr("Latency against requests per second")}},
          SegmentedInput::Lines::Several)),
      m_forms(new SegmentedInput(
          {{kDrawn, tr("Chart"), {}}, {kTabled, tr("Table"), tr("The numbers of the chart as a table")}})),
      m_question(makeLabel({}, TextKind::Muted)),
      m_state(makeLabel({}, TextKind::Muted)),
      m_stack(new QStackedWidget),
      m_drawn(new QWidget),
      m_grid(new QGridLayout),
      m_legend(new Legend(Legend::Form::Flow)),
      m_table(makePlainTable({}, tr("Numbers of the chart")))
{
    m_charts->setAccessibleName(tr("Comparison"));
    m_charts->setValue(chartKey(m_chart));
    m_forms->setAccessibleName(tr("Chart or table"));
    m_forms->setValue(kDrawn);
    addToTitle(m_forms);
    body()->addWidget(m_charts, 0, Qt::AlignLeft);
    m_question->setWordWrap(true);
    body()->addWidget(m_question);
    auto *column = new QVBoxLayout(m_drawn);
    column->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(8);
    column->addLayout(m_grid, 1);
    column->addWidget(m_legend);
    m_state->setAlignment(Qt::AlignCenter);
    m_state->setWordWrap(true);
    passWheel(*m_table);
    for (QWidget *form : std::initializer_list<QWidget *>{m_drawn, m_table, m_state})
        m_stack->addWidget(form);
    m_stack->setMinimumHeight(kChartHeight);
    body()->addWidget(m_stack, 1);
    connect(m_charts, &SegmentedInput::edited, this, [this](const QString &value) {
        m_chart = enumFromName<ServeChart>(value.toStdString()).value_or(ServeChart::Models);
        Q_EMIT chartChosen(m_chart);
    });
    connect(m_forms, &SegmentedInput::edited, this, [this](const QString &form) {
        if (m_stack->currentWidget() != m_state)
            m_stack->setCurrentWidget(form == kTabled ? static_cast<QWidget *>(m_table) : m_drawn);
    });
}

void ServeFigureCard::setChart(ServeChart chart)
{
    m_chart = chart;
    m_charts->setValue(chartKey(chart));
}

void ServeFigureCard::setComputing()
{
    m_state->setText(tr("Computing…"));
    m_stack->setCurrentWidget(m_state);
}

void ServeFigureCard::setFigure(const Result<ServeFigure> &figure)
{
    if (!figure) {
        m_state->setText(fieldMessage(figure.error()));
        m_stack->setCurrentWidget(m_state);
        return;
    }
    m_figure = *figure;
    m_question->setText(coreText(m_figure.question) +
                        (m_chart == ServeChart::Cache ? QString() : u' ' + tr("Click a point to plan it.")));
    m_legend->set(serveLegend(m_figure));
    const std::vector<ScatterData> charts = serveCharts(m_figure);
    while (m_panels.size() < charts.size()) {
        auto *chart = new ScatterChart;
        chart->setParent(m_drawn);
        const std::size_t n = m_panels.size();
        connect(chart, &ScatterChart::chosen, this, [this, n](std::size_t dot) {
            if (const auto settings = settingsOf(m_figure, n, dot); !settings.empty())
                Q_EMIT chosen(settings);
        });
        m_panels.push_back(chart);
    }
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        m_panels[i]->setVisible(i < charts.size());
        if (i < charts.size())
            m_panels[i]->setData(charts[i]);
    }
    arrange();
    fillTable();
    m_stack->setCurrentWidget(m_forms->value() == kTabled ? static_cast<QWidget *>(m_table) : m_drawn);
}

void ServeFigureCard::setAvailableWidth(int width)
{
    const QMargins margins = layout()->contentsMargins();
    m_available = std::max(0, width - margins.left() - margins.right());
    arrange();
}

void ServeFigureCard::arrange()
{
    const std::vector<ScatterChart *> shown = panels();
    if (shown.empty())
        return;
    const int count = static_cast<int>(shown.size()), gap = m_grid->spacing(),
              each = shown.front()->minimumSizeHint().width() + gap,
              most = m_available > 0 ? std::max(1, (m_available + gap) / each) : count,
              lines = (count + most - 1) / most, columns = (count + lines - 1) / lines;
    for (ScatterChart *panel : m_panels)
        m_grid->removeWidget(panel);
    for (int i = 0; i < count; ++i)
        m_grid->addWidget(shown[static_cast<std::size_t>(i)], i / columns, i % columns);
    m_stack->setMinimumHeight(lines == 1 ? kChartHeight : lines * kChartHeight * 2 / 3);
}

std::vector<ScatterChart *> ServeFigureCard::panels() const
{
    return {m_panels.begin(), m_panels.begin() + static_cast<std::ptrdiff_t>(m_figure.panels.size())};
}

void ServeFigureCard::fillTable()
{
    const ReportTable table = serveTable(m_figure);
    QStringList columns;
    for (const std::string &column : table.columns)
        columns << coreText(column);
    m_table->clear();
    m_table->setColumnCount(static_cast<int>(columns.size()));
    m_table->setHorizontalHeaderLabels(columns);
    m_table->setRowCount(static_cast<int>(table.rows.size()));
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            setCell(*m_table, static_cast<int>(row), static_cast<int>(column), qs(table.rows[row][column]),
                table.numeric[column]);
    }
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        m_table->horizontalHeaderItem(static_cast<int>(column))
            ->setTextAlignment(Qt::AlignVCenter | (table.numeric[column] ? Qt::AlignRight : Qt::AlignLeft));
    fitColumns(*m_table);
}

} // namespace slipway::ui
