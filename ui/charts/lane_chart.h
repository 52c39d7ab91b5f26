// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A chart of intervals on lanes over time, such as the ops of a step on their streams. The wheel zooms, dragging pans,
// arrow keys move, and a double click or 0 shows the whole range.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/charts/chart_table.h"

namespace slipway::ui {

struct LaneItem {
    double start = 0.0, end = 0.0; // seconds
    std::size_t kind = 0;          // index into LaneData::kinds
    QString name;                  // drawn if it fits
};

struct LaneKind {
    QString name;
    QColor light, dark;
};

struct LaneData {
    struct Lane {
        QString name;
        std::vector<LaneItem> items; // sorted by start, without overlaps
    };
    std::vector<Lane> lanes;
    std::vector<LaneKind> kinds;
    double end = 0.0;
    std::function<QStringList(std::size_t lane, std::size_t item)> describe;
};

class LaneChart : public QWidget {
    Q_OBJECT
public:
    explicit LaneChart(QWidget *parent = nullptr);

    void setData(LaneData data);
    [[nodiscard]] const LaneData &data() const { return m_data; }
    [[nodiscard]] ChartTable table() const;
    // Sets the visible time range.
    void show(double from, double to);
    using QWidget::show;
    [[nodiscard]] double shownFrom() const { return m_from; }
    [[nodiscard]] double shownTo() const { return m_to; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct Hit {
        std::size_t lane = 0, item = 0;
        bool operator==(const Hit &) const = default;
    };
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] QRectF laneRect(std::size_t lane) const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] double pixelAt(double time) const;
    [[nodiscard]] std::optional<Hit> itemAt(QPointF at) const;
    void drawLane(QPainter &painter, std::size_t lane) const;
    void drawTimes(QPainter &painter) const;

    LaneData m_data;
    double m_from = 0, m_to = 1;
    std::optional<Hit> m_hovered;
    QPointF m_pressed;
    double m_pressedFrom = 0;
};

} // namespace slipway::ui
