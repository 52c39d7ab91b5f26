// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <memory>

#include "ui/runs/monitor.h"
#include "ui/runs/runs_watcher.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTabWidget;

namespace slipway::ui {

class ComboInput;

// Compares up to twenty runs: their curves in shared charts, their different settings, their results relative to a
// baseline, and the accuracy of their predictions.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(QWidget *parent = nullptr);

    void show(const std::shared_ptr<const CompareData> &data);
    using QWidget::show;
    [[nodiscard]] Monitor &monitor() const { return *m_monitor; }
    [[nodiscard]] QTableWidget *table() const { return m_table; }
    [[nodiscard]] QPushButton *exportButton() const { return m_export; }
    void showTable();

Q_SIGNALS:
    void baselineChosen(int run);

private:
    void fillTable(const RunComparison &comparison);

    QLabel *m_title;
    QWidget *m_baselineBox;
    ComboInput *m_baseline = nullptr;
    QPushButton *m_export;
    QTabWidget *m_tabs;
    Monitor *m_monitor;
    QTableWidget *m_table;
    std::vector<std::string> m_names;
};

} // namespace slipway::ui
