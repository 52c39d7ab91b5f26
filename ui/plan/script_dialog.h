// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Asks five questions about a training script, and sets the framework of the plan and its options by the answers.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/plan/plan_document.h"
#include "ui/plan/script_answers.h"

class QLabel;
class QPushButton;

namespace slipway::ui {

class ScriptDialog : public QDialog {
    Q_OBJECT
public:
    ScriptDialog(PlanDocument &document, const Frameworks &frameworks, QWidget *parent = nullptr);
    // The rows of the questions, in the order of scriptQuestions().
    [[nodiscard]] const std::vector<FieldRow *> &rows() const { return m_rows; }
    [[nodiscard]] QString summary() const; // what will be set, or why it cannot be
    [[nodiscard]] QPushButton &applyButton() const { return *m_apply; }

private:
    void build();
    [[nodiscard]] QWidget *makeQuestions();
    [[nodiscard]] QLayout *makeButtons();
    [[nodiscard]] ScriptAnswers answers() const;
    void refresh();
    void apply();

    PlanDocument &m_document;
    const Frameworks &m_frameworks;
    std::vector<ScriptQuestion> m_questions;
    std::vector<FieldRow *> m_rows;
    QLabel *m_summary;
    QPushButton *m_apply;
};

} // namespace slipway::ui
