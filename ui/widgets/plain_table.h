// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A read-only table for a few rows, without grid lines. Tooltips show texts that do not fit into their cell.
#pragma once

#include <QStringList>
#include <vector>

class QTableView;
class QTableWidget;
class QTableWidgetItem;

namespace slipway::ui {

inline constexpr int kPlainRow = 28; // height of a row in pixels

QTableWidget *makePlainTable(const QStringList &columns, const QString &name);
// Fits the columns to their contents. The last column fills the remaining width.
void fitColumns(QTableWidget &table);
// Fits the columns to their contents, and hides those that the table has no room for: the last ones of `order` first,
// and never the first one. Shows them again when the table is wider. Columns that are not in `order` stay hidden.
void fitColumns(QTableView &table, const std::vector<int> &order);
// Also gives the first column a tooltip with the figures of all columns of `order`.
void fitColumns(QTableWidget &table, const std::vector<int> &order);
// Makes the table as high as its first `rows` rows, and as its horizontal scroll bar where it has one. No row is cut.
void showRows(QTableView &table, int rows);
QTableWidgetItem *setCell(QTableWidget &table, int row, int column, const QString &text, bool number = false);

} // namespace slipway::ui
