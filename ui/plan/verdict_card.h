// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/plan/plan_display.h"
#include "ui/widgets/card.h"

namespace slipway::ui {

// Shows whether a plan fits, and the memory by role.
class VerdictCard : public Card {
    Q_OBJECT
public:
    // `memoryName` is the name of the bar for screen readers.
    explicit VerdictCard(const QString &memoryName, QWidget *parent = nullptr);

    void set(const VerdictDisplay &verdict, const BarData &memory);
    [[nodiscard]] const Pill &verdict() const { return *m_verdict; }

private:
    Pill *m_verdict;
    QLabel *m_sentence, *m_detail;
    StackedBar *m_memory;
    Legend *m_legend;
};

} // namespace slipway::ui
