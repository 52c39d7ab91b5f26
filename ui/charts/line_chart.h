// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A chart of live quantities over steps, tokens, time or cost, with the prediction as a band behind them.
//
// The points stay in their curves. The chart draws their envelope over the visible range, with a few hundred points per
// line. It replaces a series as a whole, because appending to a visible QXYSeries takes quadratic time. Ctrl+wheel
// zooms, dragging pans, arrow keys move the cursor, and a double click or 0 shows the whole range.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runs/curve.h"
#include "ui/charts/chart_table.h"

namespace slipway::ui {

struct PredictedBand {
    double middle = 0.0;
    std::optional<double> low, high; // P10, P90
    QString name;                    // such as "predicted"
    bool operator==(const PredictedBand &) const = default;
};

struct LineMarker {
    double x = 0.0;
    QString name; // such as "resumed"
    bool operator==(const LineMarker &) const = default;
};

struct ChartLine {
    QString name;
    QColor light, dark;
    std::shared_ptr<const Curve> curve;
    Qt::PenStyle style = Qt::SolidLine;
    bool markNonFinite = false; // for quantities of which a value that is not finite is an error
};

enum class XUnit { Count, Seconds, Usd };

// The range of `values` without the most extreme 0.25% at each end, extended to all values of `keep`, with a margin.
struct ShownRange {
    double low = 0.0, high = 1.0;
};
ShownRange robustRange(std::vector<double> values, std::span<const double> keep, bool fromZero);

// Returns a half-life of about 1/200 of the points, rounded to a power of two so that it rarely changes. It removes
// noise without lagging behind a falling curve.
double halfLifeFor(std::size_t points);

class LineChart : public QWidget {
    Q_OBJECT
public:
    static constexpr double kAutomatic = -1.0; // chooses the half-life by the number of points

    explicit LineChart(QWidget *parent = nullptr);
    ~LineChart() override;

    // `text` formats a value. The axis shows values divided by `scale`, for example 0.01 for a fraction in percent.
    void setQuantity(const QString &name, std::function<QString(double)> text, bool fromZero, double scale = 1.0);
    // The values are bytes, so the axis uses the unit that suits the largest value.
    void setBytes(bool bytes);
    void setXAxis(const QString &title, XUnit unit);
    void setPredicted(const std::optional<PredictedBand> &band);
    void setMarkers(std::vector<LineMarker> markers);
    // Draws dots beside the lines, for evaluation losses.
    void setDots(std::vector<double> x, std::vector<double> y, const QString &name);
    void setLines(std::vector<ChartLine> lines);
    void setLinesDeferred(std::vector<ChartLine> lines); // drawn only at the next refresh()
    // Shows a single line; x must increase. Values that are not finite appear as marked gaps.
    void setPoints(std::vector<double> x, std::vector<double> y);
    void refresh(); // called after the curves have grown
    [[nodiscard]] ChartTable table() const;
    void setHalfLife(double values);       // 0 disables smoothing
    void setEmphasis(const QString &line); // name of a line; the others fade. Empty: none
    void setLogarithmic(bool on);

    // Return the number of drawn points, and of all points.
    [[nodiscard]] std::size_t drawnPoints() const;
    [[nodiscard]] std::size_t allPoints() const;
    // Return the ends of the visible range of x.
    [[nodiscard]] double shownFrom() const;
    [[nodiscard]] double shownTo() const;
    void zoom(double factor, double aroundX);
    void showAll();
    // Takes over the zoom and the cursor of another chart. Emits no signal.
    void follow(const std::optional<CurveRange> &zoomed);
    void followCursor(std::optional<double> x);
    void setFixedScheme(bool dark);
    void paintTo(QPainter &painter, const QRectF &target);

Q_SIGNALS:
    void redrawn(); // emitted if the points, the range or the size changed
    void zoomed(const std::optional<slipway::CurveRange> &range);
    void cursorMoved(std::optional<double> x);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace slipway::ui
