// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QTableView>

namespace slipway::ui {

class SweepModel;

// Shows the points of a grid as a table that can be sorted by each column.
class SweepTable : public QTableView {
    Q_OBJECT
public:
    // `model` must outlive the table.
    explicit SweepTable(SweepModel &model, QWidget *parent = nullptr);

    // Gives each column the width of its texts, and distributes the remaining width over all columns.
    void fitColumns();

protected:
    void resizeEvent(QResizeEvent *event) override;
};

} // namespace slipway::ui
