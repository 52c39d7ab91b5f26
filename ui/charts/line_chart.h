// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A live quantity over steps, with what was predicted as a band behind it.
//
// All points are kept here; what is drawn is their envelope over the visible range, a few thousand points, replaced at
// once (appending to a shown series costs time in the square of its points). Wheel zooms, drag pans, double click or 0
// shows all; arrows move the cursor.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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

// y after an exponential moving average that starts unbiased, with the weight of a value halved after `halfLife` values.
// A value that is not finite stays as it is and does not enter the average.
std::vector<double> smoothed(std::span<const double> y, double halfLife);

// The range that shows all but the most extreme four-hundredth at each end of `values` and all of `keep`, with some air.
struct ShownRange {
    double low = 0.0, high = 1.0;
};
ShownRange robustRange(std::vector<double> values, std::span<const double> keep, bool fromZero);

class LineChart : public QWidget {
    Q_OBJECT
public:
    explicit LineChart(QWidget *parent = nullptr);
    ~LineChart() override;

    void setQuantity(const QString &name, std::function<QString(double)> text, bool fromZero);
    void setXTitle(const QString &title);
    void setPredicted(const std::optional<PredictedBand> &band);
    void setMarkers(std::vector<LineMarker> markers);
    // Dots beside the line: evaluation losses.
    void setDots(std::vector<double> x, std::vector<double> y, const QString &name);
    // Replaces all points; x rises. Not finite values are shown as gaps with a mark.
    void setPoints(std::vector<double> x, std::vector<double> y);
    void setSmoothing(bool on);

    // How many of how many points are drawn.
    [[nodiscard]] std::size_t drawnPoints() const;
    [[nodiscard]] std::size_t allPoints() const;
    // The range shown; a range of its own after a zoom.
    [[nodiscard]] double shownFrom() const;
    [[nodiscard]] double shownTo() const;
    void zoom(double factor, double aroundX);
    void showAll();
    void fixScheme(bool dark);
    void paintTo(QPainter &painter, const QRectF &target);

Q_SIGNALS:
    void redrawn(); // other points, another range or another size

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
