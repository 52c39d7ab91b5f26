// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/plain_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableWidget>

#include <algorithm>

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

// Shows as many columns as the table has room for. Longer texts have an ellipsis and a tooltip.
class FittingColumns : public QObject {
public:
    explicit FittingColumns(QTableView &table) : QObject(&table), m_table(table)
    {
        table.viewport()->installEventFilter(this);
    }

    void fit(const std::vector<int> &order)
    {
        QHeaderView &header = *m_table.horizontalHeader();
        for (int column = 0; column < header.count(); ++column)
            m_table.setColumnHidden(column, std::find(order.begin(), order.end(), column) == order.end());
        header.setStretchLastSection(false); // so that the last column is as narrow as its contents
        m_table.resizeColumnsToContents();
        m_widths.clear();
        for (const int column : order)
            m_widths.push_back({column, header.sectionSize(column), header.sectionSizeHint(column)});
        header.setStretchLastSection(true);
        adjust();
    }
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Resize)
            adjust();
        return false;
    }

private:
    void adjust()
    {
        int left = m_table.viewport()->width();
        const int third = left / 3; // a column with a few long texts must not hide all others
        bool fits = true;
        for (std::size_t i = 0; i < m_widths.size(); ++i) {
            const auto [column, width, title] = m_widths[i];
            const int given = i == 0 ? std::min(width, left) : std::min(width, std::max(title, third));
            fits = fits && given <= left;
            left -= given;
            if (m_table.isColumnHidden(column) == fits)
                m_table.setColumnHidden(column, !fits);
            if (fits && m_table.columnWidth(column) != given)
                m_table.setColumnWidth(column, given);
        }
    }

    struct Width {
        int column = 0, contents = 0, title = 0;
    };

    QTableView &m_table;
    std::vector<Width> m_widths; // in order of importance
};

// Returns the helper of the table with this name, which is created if the table has none.
template<typename Helper>
Helper &helperOf(QTableView &table, const QString &name)
{
    auto *helper = static_cast<Helper *>(table.findChild<QObject *>(name, Qt::FindDirectChildrenOnly));
    if (helper == nullptr) {
        helper = new Helper(table);
        helper->setObjectName(name);
    }
    return *helper;
}

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

void fitColumns(QTableView &table, const std::vector<int> &order)
{
    helperOf<FittingColumns>(table, QStringLiteral("fitting columns")).fit(order);
}

void fitColumns(QTableWidget &table, const std::vector<int> &order)
{
    fitColumns(static_cast<QTableView &>(table), order);
    for (int row = 0; row < table.rowCount(); ++row) {
        QStringList lines;
        for (const int column : order) {
            if (const QString text = table.item(row, column)->text(); !text.isEmpty())
                lines << table.horizontalHeaderItem(column)->text() + QStringLiteral(": ") + text;
        }
        table.item(row, order.front())->setToolTip(tipText(lines.join(u'\n')));
    }
}

void showRows(QTableView &table, int rows) { helperOf<WholeRows>(table, QStringLiteral("whole rows")).show(rows); }

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
