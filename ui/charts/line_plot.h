// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Inside ui/charts only: what a LineChart draws. Owns the points and the four series that show them.
#pragma once

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

#include "runs/decimation.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/plot_view.h"

namespace slipway::ui {

struct LinePlot {
    PlotView *view = nullptr;
    std::vector<double> x, y, mean;
    std::vector<double> dotsX, dotsY;
    QString name, xTitle, dotsName;
    std::function<QString(double)> text;
    std::optional<PredictedBand> band;
    std::vector<LineMarker> markers;
    std::optional<AxisRange> zoomed;
    std::optional<double> cursor;
    std::optional<bool> fixedDark;
    std::vector<double> lostAt; // where values were not finite
    std::size_t drawn = 0;
    bool smoothing = false;
    bool fromZero = false;
    std::function<void()> redrawn;

    void create(QWidget *parent);
    void smooth();
    void redraw();
    void show(double low, double high);
    void zoomAround(double factor, double around);
    [[nodiscard]] double from() const;
    [[nodiscard]] double to() const;
    [[nodiscard]] std::size_t nearest(double value) const; // index; x is not empty
    [[nodiscard]] QString reading(double value) const;

private:
    QLineSeries *m_line = nullptr, *m_predicted = nullptr; // owned by the chart
    QLineSeries *m_rawTop = nullptr, *m_rawBottom = nullptr, *m_bandTop = nullptr, *m_bandBottom = nullptr;
    QAreaSeries *m_raw = nullptr, *m_band = nullptr;

    void colour();
    void drawBand(const AxisRange &shown);
    void drawOverlay(QPainter &painter) const;
    void drawMarkers(QPainter &painter) const;
    void drawDots(QPainter &painter) const;
    void drawCursor(QPainter &painter) const;
};

} // namespace slipway::ui
