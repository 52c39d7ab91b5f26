// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/plain_table.h"

#include <QHeaderView>
#include <QTableWidget>

#include "ui/widgets/text.h"

namespace slipway::ui {

QTableWidget *makePlainTable(const QStringList &columns, const QString &name)
{
    auto *table = new QTableWidget(0, static_cast<int>(columns.size()));
    table->setHorizontalHeaderLabels(columns);
    table->setAccessibleName(name);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(kPlainRow);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void fitColumns(QTableWidget &table)
{
    table.resizeColumnsToContents();
    table.horizontalHeader()->setStretchLastSection(false); // the last column is as narrow as its contents
    table.horizontalHeader()->setStretchLastSection(true);
}

// Reuses the existing item, so that a table that is refreshed four times a second keeps its selection.
QTableWidgetItem *setCell(QTableWidget &table, int row, int column, const QString &text, bool number)
{
    QTableWidgetItem *item = table.item(row, column);
    if (item == nullptr) {
        item = new QTableWidgetItem;
        table.setItem(row, column, item);
    }
    if (item->text() != text) {
        item->setText(text);
        item->setToolTip(tipText(text));
    }
    item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    return item;
}

} // namespace slipway::ui
