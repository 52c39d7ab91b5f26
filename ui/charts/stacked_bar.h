// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A stacked horizontal bar with an optional limit and an uncertainty range. It shows peak memory and capacity, or the
// step time.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/charts/chart_table.h"

namespace slipway::ui {

struct BarPart {
    QString name;
    double value = 0.0;
    QColor light, dark;
    bool operator==(const BarPart &) const = default;
};

struct BarData {
    std::vector<BarPart> parts;
    std::optional<double> limit; // the capacity
    QString limitName;
    std::optional<double> low, high;             // p10 and p90 of the total
    std::function<QString(double)> text;         // formats a value with its unit
    std::function<QString(double, double)> tick; // formats a tick's label
    QString axisTitle;
};

// Returns the cumulative sums of the parts, starting at 0. Negative and NaN parts count as 0.
std::vector<double> stackedEdges(const std::vector<BarPart> &parts);

class StackedBar : public QWidget {
    Q_OBJECT
public:
    explicit StackedBar(QWidget *parent = nullptr);
    ~StackedBar() override;

    void setData(BarData content);
    [[nodiscard]] ChartTable table() const;
    // Fixes the color scheme for print. By default, the widget's palette decides.
    void setFixedScheme(bool dark);
    // Draws the chart as vector graphics.
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
