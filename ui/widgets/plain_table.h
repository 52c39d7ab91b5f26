// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A read-only table for a few rows, without a grid. Tooltips show texts that do not fit their cell.
#pragma once

#include <QStringList>

class QTableWidget;
class QTableWidgetItem;

namespace slipway::ui {

inline constexpr int kPlainRow = 28; // height

QTableWidget *makePlainTable(const QStringList &columns, const QString &name);
void fitColumns(QTableWidget &table); // to their contents; the last column takes the rest
QTableWidgetItem *setCell(QTableWidget &table, int row, int column, const QString &text, bool number = false);

} // namespace slipway::ui
