// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows the values of a chart as a table, for screen readers, for reading exact values and for copying them elsewhere.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

class QTableWidget;

namespace slipway::ui {

struct ChartTable {
    QStringList columns;
    std::vector<QStringList> rows;
};

// Adds "Show as table" to the context menu of a chart, also under Ctrl+T while the chart has the focus.
void offerTable(QWidget &chart, std::function<ChartTable()> table);

// Returns whether the widget is a chart that offers a table.
bool isChart(const QWidget &widget);
// Returns the table of a chart that offers one. It is empty for any other widget.
ChartTable tableOfChart(const QWidget &chart);

class ChartTableDialog : public QDialog {
    Q_OBJECT
public:
    ChartTableDialog(const QString &title, const ChartTable &content, QWidget *parent = nullptr);
    [[nodiscard]] QTableWidget &table() const { return *m_table; }
    // Copies the selected rows, or all rows if none is selected. Cells are separated by tabs.
    void copy() const;

private:
    QTableWidget *m_table;
};

} // namespace slipway::ui
