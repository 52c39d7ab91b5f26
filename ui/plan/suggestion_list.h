// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>
#include <QLabel>
#include <vector>

#include "ui/plan/plan_display.h"

class QVBoxLayout;

namespace slipway::ui {

// Shows one suggested change with its effect. A click applies the change.
class SuggestionRow : public QAbstractButton {
    Q_OBJECT
public:
    explicit SuggestionRow(QWidget *parent = nullptr);
    void set(const SuggestionDisplay &view);
    [[nodiscard]] const SuggestionDisplay &view() const { return m_view; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] int neededHeight() const;
    SuggestionDisplay m_view;
};

class SuggestionList : public QWidget {
    Q_OBJECT
public:
    explicit SuggestionList(QWidget *parent = nullptr);
    // What is shown if there is no suggestion: that the search has not ended, or `nothingFits`.
    void set(
        const std::vector<SuggestionDisplay> &suggestions, const QString &nothingFits = {}, bool searching = false);
    [[nodiscard]] std::vector<SuggestionRow *> rows() const; // the rows that are shown

Q_SIGNALS:
    void chosen(const slipway::ui::SuggestionDisplay &suggestion);

private:
    void addRow();
    QVBoxLayout *m_layout;
    QLabel *m_none;
    std::vector<SuggestionRow *> m_rows; // the first m_shown rows hold suggestions
    std::size_t m_shown = 0;
};

} // namespace slipway::ui
