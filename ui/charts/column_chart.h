// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/charts/chart_table.h"

namespace slipway::ui {

struct ColumnLayer {
    QString name;
    QColor light, dark;
    std::vector<double> values; // by column
};

struct ColumnData {
    QString title, xTitle, unit; // unit: appended to each tick label, such as " GiB"
    std::vector<QString> columns;
    std::vector<ColumnLayer> layers; // from the bottom up
    std::vector<QString> notes;      // shown above each column, such as "OOM"
    std::optional<double> limit;     // drawn as a horizontal line
    std::optional<double> high;      // upper end of the axis, if it is shared with other charts
    std::function<QString(double)> text;
};

// A chart of stacked columns that can be clicked.
class ColumnChart : public QWidget {
    Q_OBJECT
public:
    explicit ColumnChart(QWidget *parent = nullptr);
    void setData(ColumnData data);
    [[nodiscard]] const ColumnData &data() const { return m_data; }
    [[nodiscard]] ChartTable table() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {170, 140}; }

Q_SIGNALS:
    void chosen(std::size_t column);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] QRectF columnRect(std::size_t column) const; // of the plot's whole height
    [[nodiscard]] double sum(std::size_t column) const;
    void drawAxis(QPainter &painter) const;
    void drawColumn(QPainter &painter, std::size_t column) const;

    ColumnData m_data;
    double m_high = 1;
    std::optional<std::size_t> m_hovered;
};

} // namespace slipway::ui
