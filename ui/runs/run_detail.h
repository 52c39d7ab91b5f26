// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "ui/runs/monitor.h"
#include "ui/runs/run_display.h"

class QAction;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;
class QTableWidget;

namespace slipway::ui {

class Banner;
class MetricTiles;

// Shows one run: its state, metrics, live charts with the predicted band, log, events, and predicted and measured
// values.
class RunDetail : public QWidget {
    Q_OBJECT
public:
    explicit RunDetail(QWidget *parent = nullptr);

    void show(const std::shared_ptr<const RunDisplay> &run);
    using QWidget::show;
    void appendLog(const QString &text, bool restarted);
    [[nodiscard]] QPushButton *stopButton() const { return m_stop; }
    [[nodiscard]] QPushButton *resumeButton() const { return m_resume; }
    [[nodiscard]] QPushButton *exportButton() const { return m_export; }
    [[nodiscard]] QAction *labelsAction() const { return m_labels; }
    [[nodiscard]] QPushButton *calibrateButton() const { return m_calibrate; }
    [[nodiscard]] QPushButton *rulesButton() const { return m_rules; }
    [[nodiscard]] Monitor &monitor() const { return *m_monitor; }
    [[nodiscard]] QLineEdit *logSearchField() const { return m_logSearch; }
    [[nodiscard]] QString logMatches() const; // such as "2 of 14"
    enum class Tab { Charts, Comparison, Alerts, Log, Events, Configuration };
    void show(Tab tab);

private:
    QWidget *makeHead();
    QWidget *makeTabs();
    QWidget *makeComparison();
    QWidget *makeAlerts();
    QWidget *makeLog();
    void searchLog();
    void stepInLog(bool backward);
    void showTables(const RunDisplay &run);
    void showAlerts(const RunDisplay &run);
    void showActions(const RunDisplay &run);

    QLabel *m_name, *m_subtitle, *m_tags;
    Pill *m_state;
    Banner *m_alerts;
    MetricTiles *m_tiles;
    QPushButton *m_stop, *m_resume, *m_export, *m_calibrate, *m_rules;
    QAction *m_labels;
    Monitor *m_monitor;
    QTabWidget *m_tabs;
    QPlainTextEdit *m_log, *m_config;
    QLineEdit *m_logSearch;
    QLabel *m_logMatches;
    QTableWidget *m_events, *m_comparisons, *m_alertTable;
};

} // namespace slipway::ui
