// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A chart of selectable points, optionally joined by lines. Points without a value are drawn as crosses on the x axis.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "ui/charts/chart_table.h"
#include "ui/charts/selectable_chart.h"

namespace slipway::ui {

struct ScatterPoint {
    double x = 0.0, y = 0.0;
    std::size_t id = 0;
    bool missing = false; // y is unused; drawn as a cross
    double aside = 0;     // horizontal offset in pixels, so that crosses of several series do not overlap
};

struct ScatterSeries {
    QString name;
    QColor light, dark;
    bool joined = true;
    double radius = 3.5;
    std::size_t shape = 0; // of the dots of this series
    std::vector<ScatterPoint> dots;
};

struct ScatterData {
    QString title, xTitle, yTitle;
    bool logX = false; // logarithmic, with powers of two
    std::vector<ScatterSeries> series;
    std::optional<double> yHigh;                      // upper end of the y axis, if it is shared with other charts
    std::function<QStringList(std::size_t)> describe; // tooltip lines of a point: the title, then "name\tvalue"
};

class ScatterChart : public SelectableChart {
    Q_OBJECT
public:
    explicit ScatterChart(QWidget *parent = nullptr);

    void setData(ScatterData data);
    [[nodiscard]] const ScatterData &data() const { return m_data; }
    [[nodiscard]] ChartTable table() const;
    // Returns where a dot is drawn. Used by tests.
    [[nodiscard]] QPointF placeOf(const ScatterPoint &dot) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 130}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    [[nodiscard]] QRectF itemRect(std::size_t item) const override;

private:
    [[nodiscard]] QRectF plot() const;
    void findRanges();
    void drawAxes(QPainter &painter) const;
    void drawSeries(QPainter &painter, const ScatterSeries &series) const;
    void drawHovered(QPainter &painter) const;

    ScatterData m_data;
    double m_xLow = 0, m_xHigh = 1, m_yHigh = 1;
    std::vector<ScatterPoint> m_dots; // of all series in order; these are the selectable items
};

} // namespace slipway::ui
