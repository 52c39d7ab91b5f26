// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <optional>
#include <vector>

#include "ui/charts/area_chart.h"
#include "ui/plan/plan_document.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"

class QLabel;
class QStackedWidget;

namespace slipway::ui {

class TextbookTable;

// Shows memory over time: one steady step, the first four steps, or the textbook formulas beside the peak.
class MemoryCard : public Card {
    Q_OBJECT
public:
    enum class Form { Step, FirstSteps, Textbook };
    explicit MemoryCard(PlanDocument &document, QWidget *parent = nullptr);

    void refresh();
    void show(Form form);
    using QWidget::show;
    [[nodiscard]] Form form() const;
    [[nodiscard]] const AreaChart &chart() const { return *m_chart; }
    [[nodiscard]] const TextbookTable &textbook() const { return *m_textbook; }

    // The op at the cursor, or at the peak if there is no cursor.
    struct Instant {
        std::size_t op = 0; // index of the point of memoryOverStep()
        QString name;
        bool statesThere = true; // Adam allocates its states at the end of the first step
    };
    [[nodiscard]] std::optional<Instant> instant() const;
    void setStage(std::size_t stage);

Q_SIGNALS:
    void instantChanged();

private:
    PlanDocument &m_document;
    SegmentedInput *m_forms;
    AreaChart *m_chart;
    TextbookTable *m_textbook;
    QStackedWidget *m_views;
    QLabel *m_note;
    std::vector<QString> m_names; // by chart position
    std::vector<bool> m_states;   // by chart position; whether Adam's states are allocated
    std::size_t m_perStep = 0, m_stage = 0;
};

} // namespace slipway::ui
