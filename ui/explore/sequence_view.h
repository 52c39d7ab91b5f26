// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "explore/sequence_memory.h"

class QGridLayout;
class QLabel;

namespace slipway::ui {

class ColumnChart;

// Shows peak memory by category over sequence length, with one row per model and one column per recomputation setting.
class SequenceView : public QWidget {
    Q_OBJECT
public:
    explicit SequenceView(QWidget *parent = nullptr);

    void show(const SequenceMemory &memory, const QString &setting);
    using QWidget::show;
    [[nodiscard]] const std::vector<ColumnChart *> &panels() const { return m_panels; }

Q_SIGNALS:
    void chosen(const slipway::RunConfig &config);

private:
    SequenceMemory m_memory;
    QLabel *m_setting;
    QGridLayout *m_grid;
    std::vector<ColumnChart *> m_panels;
};

} // namespace slipway::ui
