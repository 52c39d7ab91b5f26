// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A plan that is kept as A, beside the one that is edited: what was changed, and what that does to the figures.
#pragma once

#include <optional>
#include <vector>

#include "hardware/catalogue.h"
#include "ui/plan/plan_document.h"
#include "ui/widgets/card.h"

class QTableWidget;

namespace slipway::ui {

struct ComparedRow {
    QString name, before, after, difference; // no difference: of settings
    bool isSetting = false;
    bool operator==(const ComparedRow &) const = default;
};
// The settings that differ, then the figures.
std::vector<ComparedRow> comparedRows(const Prediction &before, const Prediction &after, const Catalogue &catalogue);

class PlanComparison : public Card {
    Q_OBJECT
public:
    PlanComparison(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);

    [[nodiscard]] bool isKept() const { return m_kept.has_value(); }
    void keep();   // the last valid prediction of the document
    void goBack(); // to A, which can be undone
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
