// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Internal to ui/charts: the data of a LineChart and the Qt series that show it.
#pragma once

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

#include "ui/charts/line_chart.h"
#include "ui/charts/plot_view.h"

namespace slipway::ui {

struct LinePlot {
    PlotView *view = nullptr;
    std::vector<ChartLine> lines;
    std::vector<double> dotsX, dotsY;
    QString name, xTitle, dotsName;
    QString emphasis; // the name of the emphasized line
    XUnit xUnit = XUnit::Count;
    std::function<QString(double)> text;
    std::optional<PredictedBand> band;
    std::vector<LineMarker> markers;
    std::optional<CurveRange> zoomed;
    std::optional<double> cursor;
    std::optional<bool> fixedDark;
    double halfLife = 0; // kAutomatic of LineChart chooses it by the number of points
    bool logarithmic = false;
    bool fromZero = false;
    bool bytes = false; // the axis uses units of bytes
    bool kept = false;  // not redrawn until refresh()
    double scale = 1.0;
    std::size_t drawn = 0;
    std::function<void()> redrawn;

    void create(QWidget *parent);
    void redraw();
    void show(double low, double high);
    void zoomAround(double factor, double around);
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] CurveRange whole() const; // the range of all curves
    [[nodiscard]] double from() const { return zoomed ? zoomed->from : whole().from; }
    [[nodiscard]] double to() const { return zoomed ? zoomed->to : whole().to; }
    [[nodiscard]] double halfLifeOf(const ChartLine &line) const;
    [[nodiscard]] QString reading(double value) const;
    [[nodiscard]] QString xReading(double value) const;

private:
    // A line as it is drawn, in several pieces if it has gaps.
    struct Drawn {
        std::vector<QList<QPointF>> pieces;
        QList<QPointF> top, bottom;
    };
    std::vector<QLineSeries *> m_lines; // owned by the chart and reused
    std::vector<QAreaSeries *> m_raws;  // unsmoothed values, of the first lines only
    std::vector<QPointF> m_lost;        // x, and the index of the line as y
    std::vector<double> m_above;        // x of the points above the visible range
    QLineSeries *m_predicted = nullptr;
    QAreaSeries *m_band = nullptr;
    std::int64_t m_notShown = 0; // number of values that a logarithmic axis cannot show

    [[nodiscard]] double height(double value) const; // in axis units
    Drawn draw(const ChartLine &line, const CurveRange &shown, std::size_t most, std::vector<double> &seen);
    std::vector<double> keptInRange() const;
    void place(const std::vector<Drawn> &drawnLines);
    void placeRaw(std::size_t n, const Drawn &line, const QColor &color);
    void setAxes();
    void drawBand(const CurveRange &shown);
    [[nodiscard]] QColor colorOf(const ChartLine &line) const { return view->dark() ? line.dark : line.light; }
    [[nodiscard]] QColor faint(const QColor &color) const;
    [[nodiscard]] QColor rawColorOf(const ChartLine &line) const; // of the unsmoothed values
    [[nodiscard]] bool standsOut(const ChartLine &line) const { return !emphasis.isEmpty() && line.name == emphasis; }
    [[nodiscard]] bool fades(const ChartLine &line) const; // because another line is emphasized
    [[nodiscard]] QPen penOf(const ChartLine &line) const;
    [[nodiscard]] std::vector<std::size_t> paintOrder() const;
    void drawOverlay(QPainter &painter) const;
    void drawMarkers(QPainter &painter) const;
    void drawEdges(QPainter &painter) const;
    void drawDots(QPainter &painter) const;
    [[nodiscard]] std::size_t mostRead() const;
    void drawCursor(QPainter &painter) const;
};

} // namespace slipway::ui
