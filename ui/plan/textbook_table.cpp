// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/textbook_table.h"

#include <QFont>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/plan_display.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

void TextbookModel::set(std::vector<TextbookRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_lines.clear();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_lines.push_back({i, false});
        if (!m_rows[i].why.empty())
            m_lines.push_back({i, true});
    }
    endResetModel();
}

QVariant TextbookModel::data(const QModelIndex &index, int role) const
{
    const Line line = m_lines[static_cast<std::size_t>(index.row())];
    const TextbookRow &row = m_rows[line.row];
    if (line.reason) {
        if (role == Qt::FontRole)
            return fontOf(TextKind::Small);
        if (role == Qt::TextAlignmentRole)
            return QVariant::fromValue(Qt::AlignLeft | Qt::AlignTop);
        return role == Qt::DisplayRole && index.column() == Category ? QVariant(coreText(row.why)) : QVariant();
    }
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() == Category ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::FontRole)
        return fontOf(line.row + 1 == m_rows.size() ? TextKind::Strong : TextKind::Body);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Category:
        return coreText(row.part);
    case Formula:
        return row.formula > 0 ? bytesText(static_cast<double>(row.formula)) : QStringLiteral("–");
    case Simulated:
        return bytesText(static_cast<double>(row.simulated));
    case Difference:
        return QString((row.difference() < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                       bytesText(static_cast<double>(std::abs(row.difference()))));
    default:
        return {};
    }
}

QVariant TextbookModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Category ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QStringList names{tr("Category"), tr("Formula"), tr("Simulated"), tr("Difference")};
    return role == Qt::DisplayRole ? QVariant(names.value(section)) : QVariant();
}

TextbookTable::TextbookTable(QWidget *parent)
    : QWidget(parent),
      m_model(new TextbookModel(this)),
      m_formulas(makeLabel({}, TextKind::Muted)),
      m_table(new QTableView)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_formulas->setWordWrap(true);
    layout->addWidget(m_formulas);
    layout->addWidget(m_table, 1);
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::TabFocus);
    m_table->setTabKeyNavigation(false); // so that Tab leaves the table
    m_table->setWordWrap(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(TextbookModel::Category, QHeaderView::Fixed);
    m_table->setAccessibleName(tr("Textbook formulas and simulated peak memory"));
}

void TextbookTable::set(const Prediction &prediction)
{
    const TextbookMemory &textbook = prediction.memory.textbook;
    const QString parameters =
        prediction.config.trainsAdapters()
            ? tr("Frozen parameters: N = hV + L(12h² + 13h) + 2h = %1, as they are stored. Adapters: 16 bytes per "
                 "parameter. Activations: L(34sbh + 5as²b), reduced by recomputation.")
            : tr("Parameters: N = hV + L(12h² + 13h) + 2h = %1, at 16 bytes each. Activations: L(34sbh + 5as²b), "
                 "reduced by recomputation.");
    m_formulas->setText(parameters.arg(localText(formatCount(textbook.parameters))));
    std::vector<TextbookRow> rows = textbookRows(prediction);
    TextbookRow sum{.part = tr("Total").toStdString(), .why = {}};
    for (const TextbookRow &row : rows) {
        sum.formula += row.formula;
        sum.simulated += row.simulated;
    }
    rows.push_back(std::move(sum));
    m_model->set(std::move(rows));
    m_table->clearSpans();
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->isReason(row))
            m_table->setSpan(row, 0, 1, TextbookModel::ColumnCount);
    }
    fit();
}

// Makes the first column as wide as the others, or as its longest word, so that lines break only between words.
void TextbookTable::fit()
{
    const QFontMetrics metrics(fontOf(TextKind::Strong));
    int widest = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->isReason(row))
            continue;
        for (const QString &word : m_model->index(row, TextbookModel::Category).data().toString().split(u' '))
            widest = std::max(widest, metrics.horizontalAdvance(word));
    }
    constexpr int kMargins = 20; // left and right margins of a cell
    m_table->setColumnWidth(TextbookModel::Category,
        std::max(m_table->viewport()->width() / TextbookModel::ColumnCount, widest + kMargins));
    m_table->resizeRowsToContents();
}

void TextbookTable::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace slipway::ui
