// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/plain_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableWidget>

#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// Adjusts the height when a horizontal scroll bar appears or goes, because only then is its height known.
class WholeRows : public QObject {
public:
    explicit WholeRows(QTableView &table) : QObject(&table), m_table(table)
    {
        table.viewport()->installEventFilter(this);
    }

    void show(int rows)
    {
        m_rows = rows;
        m_table.setFixedHeight(m_table.horizontalHeader()->sizeHint().height() + needed() + 2 * m_table.frameWidth());
        adjust();
    }
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Resize)
            adjust();
        return false;
    }

private:
    [[nodiscard]] int needed() const // some styles make rows higher than the default
    {
        const int count = m_table.model()->rowCount();
        int height = 0;
        for (int row = 0; row < m_rows; ++row)
            height += row < count ? m_table.rowHeight(row) : m_table.verticalHeader()->defaultSectionSize();
        return height;
    }
    void adjust()
    {
        if (m_table.isVisible())
            m_table.setFixedHeight(m_table.height() - m_table.viewport()->height() + needed());
    }

    QTableView &m_table;
    int m_rows = 0;
};

} // namespace

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

void showRows(QTableView &table, int rows)
{
    const QString name = QStringLiteral("whole rows");
    auto *whole = static_cast<WholeRows *>(table.findChild<QObject *>(name, Qt::FindDirectChildrenOnly));
    if (whole == nullptr) {
        whole = new WholeRows(table);
        whole->setObjectName(name);
    }
    whole->show(rows);
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
