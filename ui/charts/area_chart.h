// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stacked areas over a sequence: memory over the ops of a step, by role, against the card's capacity.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::ui {

struct AreaLayer {
    QString name;
    QColor light, dark;
    std::vector<double> values; // by position; all layers are as long
};

struct AreaSpan {
    QString name;
    std::size_t first = 0; // first position
};

// A line above the areas: what is reserved for them.
struct AreaLine {
    QString name;
    std::vector<double> values; // by position; empty: no line
};

struct AreaData {
    std::vector<AreaLayer> layers; // from the bottom up
    AreaLine line;
    std::vector<AreaSpan> spans;    // in order: phases
    std::vector<QString> positions; // a name for each position, shown under the cursor
    std::optional<double> limit;
    QString limitName;
    std::optional<std::size_t> mark; // position of the peak
    QString markName;
    std::function<QString(double)> text;
    std::function<QString(double, double)> tick;
};

// Positions to draw, at most about `most`: the first, the last, and of every run of neighbours the one whose sum is
// highest, so that no peak is lost.
std::vector<std::size_t> decimateKeepingPeaks(const std::vector<AreaLayer> &layers, std::size_t most);

class AreaChart : public QWidget {
    Q_OBJECT
public:
    explicit AreaChart(QWidget *parent = nullptr);
    ~AreaChart() override;

    void setData(AreaData content);
    void setFixedScheme(bool dark);
    void paintTo(QPainter &painter, const QRectF &target);
    // The position under the cursor, else the one that a click or Enter pinned, else the mark's.
    [[nodiscard]] std::optional<std::size_t> position() const;
    // A click where it is held, and Escape, let go.
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
