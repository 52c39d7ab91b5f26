// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "ui/runs/run_view.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;
class QTableWidget;

namespace slipway::ui {

class Banner;
class Legend;

// One run: its state and figures, live curves with the predicted band, log, events, predicted against measured.
class RunDetail : public QWidget {
    Q_OBJECT
public:
    explicit RunDetail(QWidget *parent = nullptr);

    void show(const RunView &run);
    void appendLog(const QString &text, bool restarted);
    [[nodiscard]] QPushButton *stopButton() const { return m_stop; }
    [[nodiscard]] QPushButton *resumeButton() const { return m_resume; }
    [[nodiscard]] QPushButton *exportButton() const { return m_export; }
    [[nodiscard]] LineChart &speedChart() const { return *m_speed; }
    [[nodiscard]] LineChart &lossChart() const { return *m_loss; }

private:
    QWidget *makeHead();
    QWidget *makeCharts();
    QWidget *makeTabs();
    QWidget *chartCard(const QString &title, LineChart *chart, Legend *legend, QLabel *points);
    void showCharts(const RunView &run);
    void showTables(const RunView &run);
    void showActions(const RunView &run);

    QLabel *m_name, *m_subtitle, *m_speedPoints, *m_lossPoints;
    Pill *m_state;
    Banner *m_alerts;
    QPushButton *m_stop, *m_resume, *m_export;
    std::vector<FigureTile *> m_tiles;
    LineChart *m_speed, *m_loss;
    Legend *m_speedLegend, *m_lossLegend;
    QTabWidget *m_tabs;
    QPlainTextEdit *m_log, *m_config;
    QTableWidget *m_events, *m_comparisons;
};

} // namespace slipway::ui
