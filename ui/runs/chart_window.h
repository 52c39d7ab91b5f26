// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <functional>

#include "base/result.h"
#include "ui/charts/line_chart.h"

namespace slipway::ui {

// The content of an enlarged chart: the lines, and a function that sets up any chart to draw them.
struct ChartContent {
    QString title, xTitle;
    std::vector<ChartLine> lines;
    std::function<void(LineChart &)> setUp;
};

// Shows one chart in a separate window, with export.
class ChartWindow : public QDialog {
    Q_OBJECT
public:
    explicit ChartWindow(ChartContent content, QWidget *parent = nullptr);

    void setContent(ChartContent content); // keeps the zoom
    void grow() { m_chart->refresh(); }    // called after the curves have grown
    [[nodiscard]] LineChart &chart() const { return *m_chart; }

    // Export the visible range in the light theme.
    Result<void> exportSvg(const QString &path) const;
    Result<void> exportPng(const QString &path) const;
    // Exports every point of every line.
    Result<void> exportCsv(const QString &path) const;

Q_SIGNALS:
    void statusMessage(const QString &message);

private:
    void paintLight(QPainter &painter) const;
    void askExport(const QString &suffix, Result<void> (ChartWindow::*write)(const QString &) const);

    ChartContent m_content;
    LineChart *m_chart;
};

} // namespace slipway::ui
