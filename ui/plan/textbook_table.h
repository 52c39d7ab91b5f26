// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "report/textbook_rows.h"

class QLabel;
class QTableView;

namespace slipway::ui {

class TextbookModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Category, Formula, Simulated, Difference, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void set(std::vector<TextbookRow> rows); // the last row is the total
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
    }
    [[nodiscard]] bool isReason(int row) const
    {
        return m_lines[static_cast<std::size_t>(row)].reason;
    } // such a row spans all columns
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    // A line that shows the values of a row, or the line below it that explains the difference.
    struct Line {
        std::size_t row = 0;
        bool reason = false;
    };
    std::vector<TextbookRow> m_rows;
    std::vector<Line> m_lines;
};

// Shows the textbook formulas beside the simulated peak, with the reason for each difference.
class TextbookTable : public QWidget {
    Q_OBJECT
public:
    explicit TextbookTable(QWidget *parent = nullptr);
    void set(const Prediction &prediction);
    [[nodiscard]] const TextbookModel &model() const { return *m_model; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();

    TextbookModel *m_model;
    QLabel *m_formulas;
    QTableView *m_table;
};

} // namespace slipway::ui
