// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/compare_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "report/compare_report.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/runs/run_legend.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLeastBaseline = 140, kLeastTabHeight = 340; // in pixels

std::vector<QString> distinct(const std::vector<std::string> &names)
{
    std::vector<QString> shown;
    for (const std::string &name : distinctNames(names))
        shown.push_back(qs(name));
    return shown;
}

QString signedPercent(double share)
{
    if (std::abs(share) < 0.0005)
        return QStringLiteral("=");
    return (share >= 0 ? QStringLiteral("+") : QStringLiteral("−")) + localNumber(std::abs(share) * 100, 1) +
           QStringLiteral(" %");
}

QTableWidgetItem *cell(const QString &text, bool number, bool strong = false)
{
    auto *item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    item->setToolTip(tipText(text));
    if (strong)
        item->setFont(fontOf(TextKind::Strong));
    return item;
}

struct Row {
    QString name;
    std::vector<QString> cells; // empty for a heading
};

QString measuredCell(const ComparedFigure &figure, std::size_t run, std::size_t baseline)
{
    const QString value = figureText(figure.runs[run].measured, figure.unit);
    return run != baseline && figure.toBaseline[run]
               ? value + QStringLiteral("   ") + signedPercent(*figure.toBaseline[run])
               : value;
}

QString predictedCell(const Comparison &run, const std::string &unit)
{
    const QString value = figureText(run.predicted, unit);
    return run.ratio() ? value + QStringLiteral("   × ") + localNumber(*run.ratio(), 2) : value;
}

// Whether the runs have the same settings, and whose settings are not known.
QString settingsTitle(const RunComparison &comparison)
{
    const std::vector<QString> names = distinct(comparison.names);
    QStringList unknown;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!comparison.settingsKnown[i])
            unknown << names[i];
    }
    QStringList parts;
    if (!comparison.settings.empty())
        parts << tr("Different settings");
    else if (unknown.isEmpty())
        parts << tr("These runs have the same settings");
    else if (static_cast<qsizetype>(names.size()) - unknown.size() > 1)
        parts << tr("The other runs have the same settings");
    if (!unknown.isEmpty())
        parts << tr("Settings not known: %1").arg(unknown.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral(" · "));
}

std::vector<Row> rowsOf(const RunComparison &comparison)
{
    std::vector<Row> rows{{settingsTitle(comparison), {}}};
    for (const DifferingSetting &setting : comparison.settings) {
        rows.push_back({settingName(setting.key), {}});
        for (const std::string &value : setting.values)
            rows.back().cells.push_back(value.empty() ? QStringLiteral("–") : namedValue(setting.key, value, nullptr));
    }
    rows.push_back({tr("Measured (difference from the baseline)"), {}});
    for (const ComparedFigure &figure : comparison.figures) {
        rows.push_back({capitalized(coreText(figure.name)), {}});
        for (std::size_t i = 0; i < figure.runs.size(); ++i)
            rows.back().cells.push_back(measuredCell(figure, i, comparison.baseline));
    }
    const auto isPredicted = [](const Comparison &run) { return run.predicted.has_value(); };
    rows.push_back({tr("Predicted (measured ÷ predicted)"), {}});
    for (const ComparedFigure &figure : comparison.figures) {
        if (std::none_of(figure.runs.begin(), figure.runs.end(), isPredicted))
            continue;
        rows.push_back({capitalized(coreText(figure.name)), {}});
        for (const Comparison &run : figure.runs)
            rows.back().cells.push_back(predictedCell(run, figure.unit));
    }
    if (rows.back().cells.empty())
        rows.pop_back(); // removes the heading, because none of the runs has a prediction
    return rows;
}

} // namespace

CompareView::CompareView(QWidget *parent)
    : QWidget(parent),
      m_title(makeElidedLabel({}, TextKind::Title)),
      m_baselineBox(new QWidget),
      m_export(new QPushButton(tr("Export"))),
      m_tabs(new QTabWidget),
      m_monitor(new Monitor),
      m_table(new QTableWidget)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    auto *head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(makeLabel(tr("Baseline"), TextKind::Muted));
    m_baselineBox->setLayout(new QVBoxLayout);
    m_baselineBox->layout()->setContentsMargins(0, 0, 0, 0);
    m_baselineBox->setMinimumWidth(kLeastBaseline);
    head->addWidget(m_baselineBox);
    m_export->setToolTip(tr("Export this comparison"));
    m_export->setAccessibleName(m_export->toolTip());
    head->addWidget(m_export);
    column->addLayout(head);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->setDefaultSectionSize(26); // keeps the row names visible while the runs scroll
    m_table->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->verticalHeader()->setHighlightSections(false);
    m_table->setIconSize(runMark(0, *this).deviceIndependentSize().toSize());
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Run comparison"));
    auto *card = new Card;
    card->body()->addWidget(m_table);
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumHeight(kLeastTabHeight); // in a low window, the page scrolls to a whole chart
    m_tabs->addTab(m_monitor, tr("Charts"));
    m_tabs->addTab(card, tr("Differences"));
    column->addWidget(m_tabs, 1);
}

void CompareView::showTable() { m_tabs->setCurrentIndex(1); }

void CompareView::show(const std::shared_ptr<const CompareData> &compared)
{
    const RunComparison &comparison = compared->comparison;
    const std::vector<QString> names = distinct(comparison.names);
    m_title->setText(tr("Comparison of %1 runs").arg(names.size()));
    if (m_names != comparison.names || m_baseline == nullptr) {
        m_names = comparison.names;
        delete m_baseline;
        std::vector<Choice> choices;
        for (std::size_t i = 0; i < names.size(); ++i)
            choices.push_back({QString::number(i), names[i], {}});
        m_baseline = new ComboInput(choices);
        m_baseline->setAccessibleName(tr("Baseline"));
        m_baselineBox->layout()->addWidget(m_baseline);
        connect(
            m_baseline, &Input::edited, this, [this](const QString &value) { Q_EMIT baselineChosen(value.toInt()); });
    }
    m_baseline->setValue(QString::number(comparison.baseline));
    std::vector<Monitor::Overlay> overlays;
    for (std::size_t i = 0; i < compared->runs.size(); ++i)
        overlays.push_back({names[i], compared->runs[i]});
    m_monitor->compare(std::move(overlays));
    fillTable(comparison);
}

void CompareView::fillTable(const RunComparison &comparison)
{
    const std::vector<QString> names = distinct(comparison.names);
    const std::vector<Row> rows = rowsOf(comparison);
    m_table->clear();
    m_table->setColumnCount(static_cast<int>(names.size()) + 1); // an empty last column fills the width
    m_table->setHorizontalHeaderItem(m_table->columnCount() - 1, cell({}, false));
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto *head = cell(i == comparison.baseline ? names[i] + tr(" (baseline)") : names[i], true);
        head->setIcon(runMark(i, *this));
        m_table->setHorizontalHeaderItem(static_cast<int>(i), head);
    }
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const Row &one = rows[static_cast<std::size_t>(row)];
        m_table->setVerticalHeaderItem(row, cell(one.name, false, one.cells.empty()));
        for (int column = 0; column < static_cast<int>(one.cells.size()); ++column)
            m_table->setItem(row, column, cell(one.cells[static_cast<std::size_t>(column)], true));
    }
    m_table->resizeColumnsToContents();
}

} // namespace slipway::ui
