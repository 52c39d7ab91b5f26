// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A table of a few rows to be read: no grid, no editing, a tool tip with what a cell has no room for.
#pragma once

#include <QStringList>

class QTableWidget;
class QTableWidgetItem;

namespace slipway::ui {

inline constexpr int kPlainRow = 28; // height

QTableWidget *makePlainTable(const QStringList &columns, const QString &name);
void fitColumns(QTableWidget &table); // to what they hold; the last one takes the rest
QTableWidgetItem *setCell(QTableWidget &table, int row, int column, const QString &text, bool number = false);

} // namespace slipway::ui
