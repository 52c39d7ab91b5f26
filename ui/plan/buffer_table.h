// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "predict/live_buffers.h"

class QLabel;
class QTableView;

namespace slipway::ui {

class BufferModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Category, Type, Instances, Each, Sum, Share, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void set(std::vector<LiveBuffer> buffers);
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_buffers.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<LiveBuffer> m_buffers;
    Bytes m_all = 0;
};

// Shows the buffers that are allocated at one instant of a step, with the largest first.
class BufferTable : public QWidget {
    Q_OBJECT
public:
    explicit BufferTable(QWidget *parent = nullptr);
    void set(const QString &instant, std::vector<LiveBuffer> buffers);
    [[nodiscard]] const BufferModel &model() const { return *m_model; }

private:
    BufferModel *m_model;
    QLabel *m_instant;
    QTableView *m_table;
};

} // namespace slipway::ui
