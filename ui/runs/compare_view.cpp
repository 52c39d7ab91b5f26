// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/compare_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

#include "ui/theme/colours.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// Several runs often share a name: the second is "name (2)".
std::vector<QString> distinct(const std::vector<std::string> &names)
{
    std::vector<QString> shown;
    std::map<std::string, int> seen;
    for (const std::string &name : names) {
        const int count = ++seen[name];
        shown.push_back(count == 1 ? qs(name) : QStringLiteral("%1 (%2)").arg(qs(name)).arg(count));
    }
    return shown;
}

QString signedPercent(double share)
{
    if (std::abs(share) < 0.0005)
        return QStringLiteral("=");
    return (share >= 0 ? QStringLiteral("+") : QStringLiteral("−")) + QString::number(std::abs(share) * 100, 'f', 1) + QStringLiteral(" %");
}

QPixmap colourMark(std::size_t run, const QPalette &palette)
{
    QPixmap mark(12, 12);
    mark.fill(Qt::transparent);
    QPainter painter(&mark);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(seriesInk(run, isDark(palette)));
    painter.drawRoundedRect(1, 1, 10, 10, 2, 2);
    return mark;
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

} // namespace

CompareView::CompareView(QWidget *parent)
    : QWidget(parent), m_title(makeLabel({}, TextKind::Title)), m_baselineBox(new QWidget), m_tabs(new QTabWidget), m_monitor(new Monitor), m_table(new QTableWidget)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    auto *head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(makeLabel(tr("Baseline"), TextKind::Muted));
    m_baselineBox->setLayout(new QVBoxLayout);
    m_baselineBox->layout()->setContentsMargins(0, 0, 0, 0);
    m_baselineBox->setMinimumWidth(220);
    head->addWidget(m_baselineBox);
    column->addLayout(head);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Runs compared"));
    auto *card = new Card;
    card->body()->addWidget(m_table);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_monitor, tr("Curves"));
    m_tabs->addTab(card, tr("Differences"));
    column->addWidget(m_tabs, 1);
}

void CompareView::showTable()
{
    m_tabs->setCurrentIndex(1);
}

void CompareView::show(const std::shared_ptr<const CompareData> &compared)
{
    const RunComparison &comparison = compared->comparison;
    const std::vector<QString> names = distinct(comparison.names);
    m_title->setText(tr("%1 runs compared").arg(names.size()));
    if (m_names != comparison.names || m_baseline == nullptr) {
        m_names = comparison.names;
        delete m_baseline;
        std::vector<Choice> choices;
        for (std::size_t i = 0; i < names.size(); ++i)
            choices.push_back({QString::number(i), names[i], {}});
        m_baseline = new Picker(choices);
        m_baseline->setAccessibleName(tr("Baseline"));
        m_baselineBox->layout()->addWidget(m_baseline);
        connect(m_baseline, &Input::edited, this, [this](const QString &value) { Q_EMIT baselineChosen(value.toInt()); });
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
    m_table->clear();
    m_table->setColumnCount(static_cast<int>(names.size()) + 2); // the last one fills the width
    m_table->setHorizontalHeaderItem(m_table->columnCount() - 1, cell({}, false));
    m_table->setHorizontalHeaderItem(0, cell({}, false));
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto *head = cell(i == comparison.baseline ? names[i] + tr(" (baseline)") : names[i], true);
        head->setIcon(colourMark(i, palette()));
        m_table->setHorizontalHeaderItem(static_cast<int>(i) + 1, head);
    }
    std::vector<std::vector<QString>> rows; // an empty first cell's neighbours: a heading
    rows.push_back({tr("Settings that differ")});
    for (const DifferingSetting &setting : comparison.settings) {
        std::vector<QString> row{qs(setting.key)};
        for (const std::string &value : setting.values)
            row.push_back(value.empty() ? QStringLiteral("–") : qs(value));
        rows.push_back(std::move(row));
    }
    if (comparison.settings.empty())
        rows.back() = {tr("The settings of these runs are equal")};
    rows.push_back({tr("Measured, and the difference to the baseline")});
    for (const ComparedFigure &figure : comparison.figures) {
        std::vector<QString> row{qs(figure.name)};
        for (std::size_t i = 0; i < figure.runs.size(); ++i) {
            const QString value = figureText(figure.runs[i].measured, figure.unit);
            row.push_back(i != comparison.baseline && figure.toBaseline[i] ? value + QStringLiteral("   ") + signedPercent(*figure.toBaseline[i]) : value);
        }
        rows.push_back(std::move(row));
    }
    rows.push_back({tr("Measured ÷ predicted")});
    for (const ComparedFigure &figure : comparison.figures) {
        if (std::none_of(figure.runs.begin(), figure.runs.end(), [](const Comparison &run) { return run.ratio().has_value(); }))
            continue;
        std::vector<QString> row{qs(figure.name)};
        for (const Comparison &run : figure.runs)
            row.push_back(run.ratio() ? QStringLiteral("× ") + QString::number(*run.ratio(), 'f', 2) : QStringLiteral("–"));
        rows.push_back(std::move(row));
    }
    m_table->setRowCount(static_cast<int>(rows.size()));
    m_table->clearSpans();
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const std::vector<QString> &cells = rows[static_cast<std::size_t>(row)];
        const bool heading = cells.size() == 1;
        for (int column = 0; column < static_cast<int>(cells.size()); ++column)
            m_table->setItem(row, column, cell(cells[static_cast<std::size_t>(column)], column > 0, heading));
        if (heading)
            m_table->setSpan(row, 0, 1, m_table->columnCount());
    }
    m_table->resizeColumnsToContents();
}

} // namespace slipway::ui
