// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A heat map of a value over two settings, with one cell per pair of values. A darker cell is better. Cells without a
// value are hatched.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "ui/charts/chart_table.h"
#include "ui/charts/selectable_chart.h"

namespace slipway::ui {

struct HeatCell {
    enum class Kind { Nothing, Missing, Value };
    Kind kind = Kind::Nothing; // Missing cells are hatched
    double value = 0.0;
    std::size_t id = 0;
    QString text;
};

struct HeatData {
    QString rowTitle, columnTitle;
    std::vector<QString> rows, columns;
    std::vector<HeatCell> cells; // row by row
    QString missingText;         // text in hatched cells, such as "OOM"
    bool lowIsGood = false;
    std::function<QStringList(std::size_t)> describe; // describes the cell with this id
};

class HeatMap : public SelectableChart {
    Q_OBJECT
public:
    explicit HeatMap(QWidget *parent = nullptr);

    void setData(HeatData data);
    [[nodiscard]] const HeatData &data() const { return m_data; }
    [[nodiscard]] ChartTable table() const;
    [[nodiscard]] QRectF cellRect(std::size_t row, std::size_t column) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 200}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    [[nodiscard]] QRectF itemRect(std::size_t item) const override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] const HeatCell &cell(std::size_t index) const { return m_data.cells[index]; }
    void drawCell(QPainter &painter, std::size_t index) const;
    void drawTitles(QPainter &painter) const;

    HeatData m_data;
    double m_low = 0, m_high = 1;
};

} // namespace slipway::ui
