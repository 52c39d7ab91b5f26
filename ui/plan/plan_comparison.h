// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares a plan that is kept as A with the one that is being edited: the settings that were changed, and the effect
// on the figures.
#pragma once

#include <optional>
#include <vector>

#include "hardware/catalogue.h"
#include "ui/plan/plan_document.h"
#include "ui/widgets/card.h"

class QTableWidget;

namespace slipway::ui {

struct ComparedRow {
    QString name, before, after, difference; // settings have no difference
    bool isSetting = false;
    bool operator==(const ComparedRow &) const = default;
};
// Returns the settings that differ, followed by the figures.
std::vector<ComparedRow> comparedRows(const Prediction &before, const Prediction &after, const Catalogue &catalogue);

class PlanComparison : public Card {
    Q_OBJECT
public:
    PlanComparison(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);

    [[nodiscard]] bool isKept() const { return m_kept.has_value(); }
    void keep();         // keeps the last valid prediction of the document as A
    void restoreFirst(); // restores A as the plan; this can be undone
    void forget();
    [[nodiscard]] const QTableWidget &table() const { return *m_table; }

Q_SIGNALS:
    void keptChanged();

private:
    void refresh();

    PlanDocument &m_document;
    const Catalogue &m_catalogue;
    std::optional<Prediction> m_kept;
    QTableWidget *m_table;
};

} // namespace slipway::ui
