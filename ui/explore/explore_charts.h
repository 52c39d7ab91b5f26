// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The chart data of the Explore page, made from a sweep. These are plain values without widgets or state. The catalogue
// provides the names of the GPUs. It must outlive the data, because tooltip texts are made only when they are shown.
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
    std::size_t rows = 0, columns = 0; // indices of the axes of the grid
    HeatFigure figure = HeatFigure::TokensPerUsd;
};

// Shows in each cell the best value among these points: the highest one, or the lowest one for peak memory.
HeatData heatData(const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points,
    const HeatChoice &choice, const Catalogue &catalogue);

// The shape of the marks of a Pareto front, as numbered by seriesShape().
constexpr std::size_t kFrontShape = 3;

// Shows the cost efficiency over the throughput of those of `points` that fit, with their Pareto front.
ScatterData paretoData(
    const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points, const Catalogue &catalogue);

// Returns the panels of one figure, each with its own scale.
std::vector<ScatterData> figureData(
    const std::shared_ptr<const Sweep> &sweep, const SweepFigure &figure, const Catalogue &catalogue);
std::vector<LegendEntry> figureLegend(const SweepFigure &figure, const Catalogue &catalogue);

std::vector<ColumnData> sequenceData(const SequenceMemory &memory);
std::vector<LegendEntry> roleLegend();

// Returns the settings and results of a point as tooltip lines.
QStringList pointLines(const Sweep &sweep, std::size_t point, const Catalogue &catalogue);

} // namespace slipway::ui
