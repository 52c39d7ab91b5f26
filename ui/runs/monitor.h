// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "ui/runs/monitor_content.h"

class QGridLayout;
class QLabel;
class QScrollArea;

namespace slipway::ui {

class Card;
class ChartWindow;
struct ChartContent;
class Legend;
class ComboInput;
class RunLegend;
class SegmentedInput;

// Shows all charts of one or several runs with a shared x axis, zoom and cursor. It draws one visible chart per
// iteration of the event loop, so that no frame waits for all of them.
class Monitor : public QWidget {
    Q_OBJECT
public:
    explicit Monitor(QWidget *parent = nullptr);

    void show(const std::shared_ptr<const RunDisplay> &run);
    using QWidget::show;
    // Shows several runs in the same charts, identified by their names.
    using Overlay = MonitorContent::Overlay;
    void compare(std::vector<Overlay> runs);
    void setAxis(XAxis axis);
    void setHalfLife(double steps); // in steps; kAutomatic of LineChart, or 0 for no smoothing
    void setLogarithmic(bool on);

    [[nodiscard]] XAxis axis() const { return m_content.axis; }
    [[nodiscard]] RunLegend &key() const { return *m_key; } // the legend of several runs
    [[nodiscard]] std::vector<LineChart *> shownCharts() const;
    [[nodiscard]] LineChart *chart(Quantity quantity) const; // nullptr if the chart is not shown
    // Opens the chart in a separate window. Returns nullptr if the chart is not shown.
    ChartWindow *enlarge(Quantity quantity);
    void drawAll();                     // draws all charts at once; used for pictures and by tests
    [[nodiscard]] bool isDrawn() const; // whether all visible charts are up to date

Q_SIGNALS:
    void statusMessage(const QString &message);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // filters events of the scroll area and the cards

private:
    struct Panel {
        MonitorChart what;
        Card *card = nullptr;
        LineChart *chart = nullptr;
        Legend *legend = nullptr;
        QLabel *points = nullptr;
        std::size_t lines = 0;
        bool stale = false;
        QPointer<ChartWindow> window; // the enlarged chart
    };
    QWidget *makeControls();
    void makePanels();
    void link(LineChart *chart);
    void build(); // rebuilds the lines for another run, axis or quantity
    void buildPanel(Panel &panel);
    [[nodiscard]] ChartContent contentOf(const Panel &panel) const;
    ChartWindow *enlarge(Panel &panel);
    void place();
    void emphasize(const QString &run);
    [[nodiscard]] int cardHeight(int rows) const;
    void drawNext();
    void drawSeen();
    [[nodiscard]] static bool mustDraw(const Panel &panel);
    void draw(Panel &panel);

    MonitorContent m_content;
    std::vector<Panel> m_panels;
    SegmentedInput *m_axisChoice = nullptr, *m_scaleChoice = nullptr;
    ComboInput *m_smoothing = nullptr;
    RunLegend *m_key = nullptr;
    QScrollArea *m_area = nullptr;
    QWidget *m_board = nullptr;
    QLabel *m_nothing = nullptr; // shown if there is no chart
    QGridLayout *m_grid = nullptr;
    QTimer m_next;
    bool m_logarithmic = false;
};

} // namespace slipway::ui
