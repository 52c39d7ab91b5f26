// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_table.h"

#include <QAccessibleWidget>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace slipway::ui {

namespace {

constexpr const char *kTableAction = "showAsTable";

// The menu command that shows the table. It keeps the function that makes the table.
class TableAction : public QAction {
public:
    TableAction(QWidget &chart, std::function<ChartTable()> table)
        : QAction(ChartTableDialog::tr("Show as &table"), &chart),
          content(std::move(table))
    {
        setObjectName(QString::fromLatin1(kTableAction));
        setShortcut(QKeySequence(QStringLiteral("Ctrl+T")));
        setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(this, &QAction::triggered, &chart, [this, &chart] {
            auto *dialog = new ChartTableDialog(chart.accessibleName(), content(), chart.window());
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->open();
        });
    }
    std::function<ChartTable()> content;
};

// Presents a chart to screen readers as one object, because the items drawn inside it have no accessible names.
class AccessibleChart : public QAccessibleWidget {
public:
    explicit AccessibleChart(QWidget *chart) : QAccessibleWidget(chart, QAccessible::Chart) {}
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] QAccessibleInterface *child(int) const override { return nullptr; }
};

const TableAction *tableActionOf(const QWidget &widget)
{
    for (const QAction *action : widget.actions()) {
        if (action->objectName() == QString::fromLatin1(kTableAction))
            return static_cast<const TableAction *>(action);
    }
    return nullptr;
}

QAccessibleInterface *accessibleChart(const QString &, QObject *object)
{
    auto *widget = qobject_cast<QWidget *>(object);
    return widget != nullptr && tableActionOf(*widget) != nullptr ? new AccessibleChart(widget) : nullptr;
}

} // namespace

void offerTable(QWidget &chart, std::function<ChartTable()> table)
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(accessibleChart);
        return true;
    }();
    static_cast<void>(kInstalled);
    chart.addAction(new TableAction(chart, std::move(table)));
    chart.setContextMenuPolicy(Qt::ActionsContextMenu);
    if (chart.focusPolicy() == Qt::NoFocus)
        chart.setFocusPolicy(Qt::TabFocus);
}

bool isChart(const QWidget &widget) { return tableActionOf(widget) != nullptr; }

ChartTable tableOfChart(const QWidget &chart)
{
    const TableAction *action = tableActionOf(chart);
    return action != nullptr ? action->content() : ChartTable();
}

ChartTableDialog::ChartTableDialog(const QString &title, const ChartTable &content, QWidget *parent)
    : QDialog(parent),
      m_table(new QTableWidget(static_cast<int>(content.rows.size()), static_cast<int>(content.columns.size())))
{
    constexpr int kWidth = 640, kHeight = 460;
    setWindowTitle(title.isEmpty() ? tr("Table") : tr("Table: %1").arg(title));
    resize(kWidth, kHeight);
    m_table->setHorizontalHeaderLabels(content.columns);
    m_table->setAccessibleName(windowTitle());
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QStringList &cells = content.rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < m_table->columnCount(); ++column) {
            auto *item = new QTableWidgetItem(cells.value(column));
            item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
            m_table->setItem(row, column, item);
        }
    }
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto *column = new QVBoxLayout(this);
    column->addWidget(m_table);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton *copying = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    copying->setToolTip(tr("Copy the selected rows, or the whole table"));
    column->addWidget(buttons);
    connect(copying, &QPushButton::clicked, this, &ChartTableDialog::copy);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *copyKeys = new QAction(this);
    copyKeys->setShortcut(QKeySequence::Copy);
    connect(copyKeys, &QAction::triggered, this, &ChartTableDialog::copy);
    addAction(copyKeys);
}

void ChartTableDialog::copy() const
{
    const QModelIndexList chosen = m_table->selectionModel()->selectedRows();
    const auto line = [this](const std::function<QString(int)> &cell) -> QString {
        QStringList cells;
        for (int column = 0; column < m_table->columnCount(); ++column)
            cells << cell(column);
        return cells.join(u'\t') + u'\n';
    };
    QString text = line([this](int column) { return m_table->horizontalHeaderItem(column)->text(); });
    for (int row = 0; row < m_table->rowCount(); ++row) {
        if (chosen.isEmpty() || m_table->selectionModel()->isRowSelected(row))
            text += line([this, row](int column) { return m_table->item(row, column)->text(); });
    }
    QApplication::clipboard()->setText(text);
}

} // namespace slipway::ui
