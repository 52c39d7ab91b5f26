// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How each figure of a plan is computed: the formula, the same with this plan's numbers, and where its inputs are from.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/plan/plan_display.h"

class QTableWidget;

namespace slipway::ui {

struct Computation {
    QString figure;  // "Training cost"
    QString formula; // "training time × price per hour"
    QString numbers; // "47 h 48 min × $8.07 = $385.73"
    QString inputs;  // "Price: list prices, 2025-10 to 2026, quoted."
};
// A figure that this plan does not have, such as a cost without a price, is left out.
std::vector<Computation> computationsOf(const Prediction &prediction);

class ComputationDialog : public QDialog {
    Q_OBJECT
public:
    explicit ComputationDialog(const Prediction &prediction, QWidget *parent = nullptr);
    [[nodiscard]] const QTableWidget &table() const { return *m_table; }

private:
    QTableWidget *m_table;
};

} // namespace slipway::ui
