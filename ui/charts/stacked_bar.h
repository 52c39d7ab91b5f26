// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One bar made of parts, against a limit where there is one, with the range of its end: memory at the peak against the
// card's capacity, the parts of a step's time.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::ui {

struct BarPart {
    QString name;
    double value = 0.0;
    QColor light, dark;
    bool operator==(const BarPart &) const = default;
};

struct BarData {
    std::vector<BarPart> parts;
    std::optional<double> limit; // capacity
    QString limitName;
    std::optional<double> low, high;             // P10 and P90 of the sum
    std::function<QString(double)> text;         // a value with its unit, for readings
    std::function<QString(double, double)> tick; // a tick's label
    QString axisTitle;
};

// Where the parts begin and end: running sums, from 0; one entry more than parts. Negative and NaN parts count as 0.
std::vector<double> stackedEdges(const std::vector<BarPart> &parts);

class StackedBar : public QWidget {
    Q_OBJECT
public:
    explicit StackedBar(QWidget *parent = nullptr);
    ~StackedBar() override;

    void setData(BarData content);
    // A fixed scheme, for paper; else the widget's palette decides.
    void setFixedScheme(bool dark);
    // Draws the chart as vectors.
    void paintTo(QPainter &painter, const QRectF &target);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace slipway::ui
