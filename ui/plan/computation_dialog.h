// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows how each figure of a plan is computed: the formula, the formula with this plan's numbers, and the sources of
// its inputs.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/plan/plan_display.h"

class QTableWidget;

namespace slipway::ui {

struct Computation {
    QString figure;  // such as "Training cost"
    QString formula; // such as "training time × price per hour"
    QString numbers; // such as "47 h 48 min × $8.07 = $385.73"
    QString inputs;  // such as "Price: list prices, 2025-10 to 2026, quoted."
};
// Leaves out figures that the plan does not have, such as a cost without a price.
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
