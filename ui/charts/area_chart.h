// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A chart of stacked areas over a sequence. It shows the memory after each op of a step, by category, with the capacity
// as a limit.
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

struct AreaLayer {
    QString name;
    QColor light, dark;
    std::vector<double> values; // by position; all layers have the same number of values
};

struct AreaSpan {
    QString name;
    std::size_t first = 0; // first position
};

// A line above the areas, which shows the reserved memory.
struct AreaLine {
    QString name;
    std::vector<double> values; // by position; no line is drawn if this is empty
};

struct AreaData {
    std::vector<AreaLayer> layers; // from the bottom up
    AreaLine line;
    std::vector<AreaSpan> spans;    // the phases, in order
    std::vector<QString> positions; // the name of each position, shown at the cursor
    std::optional<double> limit;
    QString limitName;
    std::optional<std::size_t> mark; // position of the peak
    QString markName;
    std::function<QString(double)> text;
    std::function<QString(double, double)> tick;
};

// Returns at most about `most` positions to draw: the first, the last, and the one with the highest total of each group
// of neighbors, so that no peak is lost.
std::vector<std::size_t> decimateKeepingPeaks(const std::vector<AreaLayer> &layers, std::size_t most);

class AreaChart : public QWidget {
    Q_OBJECT
public:
    explicit AreaChart(QWidget *parent = nullptr);
    ~AreaChart() override;

    void setData(AreaData content);
    [[nodiscard]] ChartTable table() const;
    void setFixedScheme(bool dark);
    void paintTo(QPainter &painter, const QRectF &target);
    // Returns the position at the cursor, otherwise the pinned one, otherwise the marked one.
    [[nodiscard]] std::optional<std::size_t> position() const;
    // A click or Enter pins a position. A click on the pinned one, or Escape, releases it.
    void pin(std::optional<std::size_t> position);
    [[nodiscard]] std::optional<std::size_t> pinned() const;

Q_SIGNALS:
    void positionChanged();

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
