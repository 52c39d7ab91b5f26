// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Internal to ui/charts: the only header that includes Qt Charts. The view draws its axis labels itself, so that they
// are never elided and look the same on screen, in PNG and in PDF.
#pragma once

#include <QtCharts/QAreaSeries>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QValueAxis>

#include <functional>
#include <optional>

#include "ui/charts/ticks.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

using TickFormat = std::function<QString(double value, double step)>;
using TickFinder = std::function<std::vector<double>(double low, double high, int count)>;

struct AxisRange {
    double low = 0.0;
    double high = 1.0;
    bool operator==(const AxisRange &) const = default;
};

class PlotView : public QChartView {
    Q_OBJECT
public:
    explicit PlotView(QWidget *parent = nullptr);

    void setColors(bool dark);
    [[nodiscard]] bool dark() const { return m_dark; }
    [[nodiscard]] QColor colorOf(ThemeColor id) const { return themeColor(id, m_dark); }

    void setRanges(const AxisRange &x, const AxisRange &y);
    [[nodiscard]] const AxisRange &xRange() const { return m_x; }
    [[nodiscard]] const AxisRange &yRange() const { return m_y; }
    void setFormats(TickFormat x, TickFormat y);
    void setTicks(TickFinder x, TickFinder y);
    void setAxisTitle(const QString &x) { m_xTitle = x; }
    void showYAxis(bool shown) { m_showY = shown; }
    void setMargins(const QMargins &margins);

    // Attaches a series to both axes.
    void add(QAbstractSeries *series);
    // The rectangle is computed from size and margins, because QChart knows its plot area only after its layout.
    [[nodiscard]] QRectF plotRect() const { return QRectF(rect()).marginsRemoved(QMarginsF(m_margins)); }
    // Sets the n-th filled area from the bottom. Areas are reused, because a new series computes its geometry again for
    // each axis.
    void setArea(
        std::size_t n, const QList<QPointF> &low, const QList<QPointF> &high, const QColor &fill, const QPen &outline);
    void hideAreasFrom(std::size_t n);
    [[nodiscard]] QPointF toPixel(QPointF value) const;
    [[nodiscard]] double xAt(double pixel) const;

    // Paints above the series; `painter` is in view coordinates.
    std::function<void(QPainter &)> overlay;
    std::function<void(QPainter &)> underlay;

protected:
    void drawBackground(QPainter *painter, const QRectF &rect) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void place();
    void drawAxes(QPainter &painter) const;

    QValueAxis *m_xAxis; // owned by the chart
    QValueAxis *m_yAxis;
    std::vector<QAreaSeries *> m_areas; // owned by the chart
    AxisRange m_x, m_y;
    TickFormat m_formatX = compactNumber, m_formatY = compactNumber;
    TickFinder m_ticksX = niceTicks, m_ticksY = niceTicks;
    QString m_xTitle;
    QMargins m_margins{52, 10, 14, 26};
    bool m_showY = true;
    bool m_dark = false;
};

// A line of a tooltip near `anchor` with the values at the cursor. The tooltip is kept inside the view.
struct TooltipLine {
    QColor mark; // no mark is drawn if the color is invalid
    QString label;
    QString value;
};
void drawCursorTooltip(QPainter &painter, const PlotView &view, QPointF anchor, const QString &title,
    const std::vector<TooltipLine> &lines);

} // namespace slipway::ui
