// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

#include "ui/widgets/card.h"

class QHBoxLayout;
class QLabel;
class QScrollArea;

namespace slipway::ui {

class SegmentedInput;

// Shows a form on the left and its results on the right. A narrow window has no space for both: it shows one of them,
// below a bar with a switch and the verdict.
class FormSplit : public QWidget {
    Q_OBJECT
public:
    enum class Part { Form, Results };
    // Below `leastResults` pixels for the results, the split is narrow.
    FormSplit(QWidget *form, QWidget *results, int leastResults, QWidget *parent = nullptr);

    [[nodiscard]] QScrollArea &resultsArea() const { return *m_resultsArea; }
    [[nodiscard]] bool isNarrow() const { return m_narrow; }
    [[nodiscard]] Part part() const { return m_part; } // the part that a narrow window shows
    void setVerdict(const QString &word, Pill::Tone tone, const QString &figures);
    // Brings the part into sight. Both are in sight in a wide window.
    void bring(Part part);
    // Moves the focus to the other part, and brings it into sight.
    void switchPart();

Q_SIGNALS:
    void resultsResized(int width);

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *makeBar();
    void arrange();

    QWidget *m_form, *m_results, *m_bar;
    QScrollArea *m_formArea, *m_resultsArea;
    QHBoxLayout *m_columns;
    SegmentedInput *m_switch;
    Pill *m_verdict;
    QLabel *m_figures;
    int m_formWidth, m_leastResults;
    Part m_part = Part::Form;
    bool m_narrow = false;
};

} // namespace slipway::ui
