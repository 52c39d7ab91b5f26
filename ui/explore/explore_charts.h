// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the Explore page draws, as plain values: a sweep in, chart data out. No widget, no state.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "explore/figures.h"
#include "explore/sequence_memory.h"
#include "ui/charts/column_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/widgets/legend.h"

namespace slipway::ui {

enum class HeatFigure { TokensPerUsd, SpeedPerGpu, Mfu, Peak };

struct HeatChoice {
    std::size_t rows = 0, columns = 0; // axes of the grid
    HeatFigure figure = HeatFigure::TokensPerUsd;
};

// The best of each pair of values among these points; for the peak the least.
HeatData heatData(
    const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points, const HeatChoice &choice);

// Speed over price of what runs; the front joined.
ScatterData paretoData(const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points);

// A figure's panels, on one scale each.
std::vector<ScatterData> figureData(const std::shared_ptr<const Sweep> &sweep, const SweepFigure &figure);
std::vector<LegendEntry> figureLegend(const SweepFigure &figure);

std::vector<ColumnData> sequenceData(const SequenceMemory &memory);
std::vector<LegendEntry> roleLegend();

// A point in words: what it is, what it gives.
QStringList pointLines(const Sweep &sweep, std::size_t point);

} // namespace slipway::ui
