// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live quantities over steps, tokens, time or dollars, with what was predicted as a band behind them.
//
// The points stay in their curves; what is drawn is their envelope over the visible range, a few hundred points a line,
// replaced at once (appending to a shown series costs time in the square of its points). Ctrl + wheel zooms, drag pans,
// double click or 0 shows all; arrows move the cursor.
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

namespace slipway::ui {

struct PredictedBand {
    double middle = 0.0;
    std::optional<double> low, high; // P10, P90
    QString name;                    // "predicted"
    bool operator==(const PredictedBand &) const = default;
};

struct LineMarker {
    double x = 0.0;
    QString name; // "resumed"
    bool operator==(const LineMarker &) const = default;
};

struct ChartLine {
    QString name;
    QColor light, dark;
    std::shared_ptr<const Curve> curve;
    Qt::PenStyle style = Qt::SolidLine;
    bool markNonFinite = false; // a value that is not finite is a fault to be seen, not something that was not measured
};

enum class XUnit { Count, Seconds, Usd };

// The range that shows all but the most extreme four-hundredth at each end of `values` and all of `keep`, with some
// air.
struct ShownRange {
    double low = 0.0, high = 1.0;
};
ShownRange robustRange(std::vector<double> values, std::span<const double> keep, bool fromZero);

// Half-life of a two-hundredth of the points, as a power of two so that it seldom changes: noise goes, and the line
// does not trail behind a falling curve.
double halfLifeFor(std::size_t points);

class LineChart : public QWidget {
    Q_OBJECT
public:
    static constexpr double kAutomatic = -1.0; // half-life that suits the number of points

    explicit LineChart(QWidget *parent = nullptr);
    ~LineChart() override;

    // `text` writes a reading; the axis counts in `scale`s: kGiB for bytes, 0.01 for a fraction in per cent.
    void setQuantity(const QString &name, std::function<QString(double)> text, bool fromZero, double scale = 1.0);
    void setXAxis(const QString &title, XUnit unit);
    void setPredicted(const std::optional<PredictedBand> &band);
    void setMarkers(std::vector<LineMarker> markers);
    // Dots beside the lines: evaluation losses.
    void setDots(std::vector<double> x, std::vector<double> y, const QString &name);
    void setLines(std::vector<ChartLine> lines);
    void setLinesDeferred(std::vector<ChartLine> lines); // to be drawn by refresh(), and nothing else until then
    // The only line, of these values; x rises. Not finite values are shown as gaps with a mark.
    void setPoints(std::vector<double> x, std::vector<double> y);
    void refresh();                        // the curves have grown
    void setHalfLife(double values);       // 0: no smoothing
    void setEmphasis(const QString &line); // its name: the others fade; empty: none does
    void setLogarithmic(bool on);

    // How many of how many points are drawn.
    [[nodiscard]] std::size_t drawnPoints() const;
    [[nodiscard]] std::size_t allPoints() const;
    // The range shown; a range of its own after a zoom.
    [[nodiscard]] double shownFrom() const;
    [[nodiscard]] double shownTo() const;
    void zoom(double factor, double aroundX);
    void showAll();
    // As another chart beside this one shows it; tells nobody.
    void follow(const std::optional<CurveRange> &zoomed);
    void followCursor(std::optional<double> x);
    void setFixedScheme(bool dark);
    void paintTo(QPainter &painter, const QRectF &target);

Q_SIGNALS:
    void redrawn(); // other points, another range or another size
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
