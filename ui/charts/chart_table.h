// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a chart shows, as a table: for screen readers, for reading exact values, and for copying them elsewhere.
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

bool isChart(const QWidget &widget); // that offers a table
// The table of a chart that offers one; empty for any other widget.
ChartTable tableOfChart(const QWidget &chart);

class ChartTableDialog : public QDialog {
    Q_OBJECT
public:
    ChartTableDialog(const QString &title, const ChartTable &content, QWidget *parent = nullptr);
    [[nodiscard]] QTableWidget &table() const { return *m_table; }
    void copy() const; // the selected rows, or all of them; cells are separated by tabs

private:
    QTableWidget *m_table;
};

} // namespace slipway::ui
