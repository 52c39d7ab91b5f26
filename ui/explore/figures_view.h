// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "explore/figures.h"

class QGridLayout;
class QLabel;

namespace slipway::ui {

class ScatterChart;
class Legend;

// Shows one figure of the paper with its question, one panel per model, and a legend.
class FiguresView : public QWidget {
    Q_OBJECT
public:
    explicit FiguresView(const Catalogue &catalogue, QWidget *parent = nullptr);

    void show(const std::shared_ptr<const Sweep> &sweep, const SweepFigure &figure);
    using QWidget::show;
    [[nodiscard]] const std::vector<ScatterChart *> &panels() const { return m_panels; }

Q_SIGNALS:
    void chosen(std::size_t point);

private:
    const Catalogue &m_catalogue;
    QLabel *m_question;
    Legend *m_legend;
    QGridLayout *m_grid;
    std::vector<ScatterChart *> m_panels;
};

} // namespace slipway::ui
