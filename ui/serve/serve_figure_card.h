// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include "serve/serve_figures.h"
#include "ui/widgets/card.h"

class QGridLayout;
class QStackedWidget;
class QTableWidget;

namespace slipway::ui {

class Legend;
class ScatterChart;
class SegmentedInput;

// Shows one comparison of servers, as charts or as a table of the same numbers.
class ServeFigureCard : public Card {
    Q_OBJECT
public:
    explicit ServeFigureCard(QWidget *parent = nullptr);

    [[nodiscard]] ServeChart chart() const { return m_chart; }
    void setChart(ServeChart chart); // emits no signal
    void setComputing();
    void setFigure(const Result<ServeFigure> &figure);
    // Places as many panels side by side as this width of the card has room for, and the others below.
    void setAvailableWidth(int width);
    [[nodiscard]] const ServeFigure &figure() const { return m_figure; }
    [[nodiscard]] std::vector<ScatterChart *> panels() const; // the panels that are shown
    [[nodiscard]] QTableWidget &table() const { return *m_table; }

Q_SIGNALS:
    void chartChosen(slipway::ServeChart chart);
    void chosen(const std::vector<std::pair<std::string, std::string>> &settings); // emitted with the settings of a
                                                                                   // clicked dot

private:
    void arrange();
    void fillTable();

    ServeChart m_chart = ServeChart::Models;
    ServeFigure m_figure;
    SegmentedInput *m_charts, *m_forms;
    QLabel *m_question, *m_state;
    QStackedWidget *m_stack;
    QWidget *m_drawn;
    QGridLayout *m_grid;
    Legend *m_legend;
    QTableWidget *m_table;
    std::vector<ScatterChart *> m_panels;
    int m_available = 0; // width for panels; 0: not known yet
};

} // namespace slipway::ui
