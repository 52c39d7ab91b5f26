// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The texts and chart data of the Serve page. These are plain values without widgets or state.
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

#include "serve/serve_figures.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/stacked_bar.h"
#include "ui/plan/plan_display.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/metric_tile.h"

namespace slipway::ui {

// Describes what a setting means, which values it accepts, and its option on the command line.
QString serveSettingTip(const std::string &key);

// Formats a subtitle such as "Llama 3.1 8B · 1 × H100 · vLLM".
QString serveSubtitle(const ServePrediction &prediction);
VerdictDisplay serveVerdict(const ServePrediction &prediction);
BarData serveMemoryBar(const ServePrediction &prediction);
// Returns eight metrics in the order in which they are shown.
std::vector<MetricDisplay> serveMetrics(const ServePrediction &prediction);
std::vector<SuggestionDisplay> serveSuggestions(const ServePrediction &prediction, const Catalogue &catalogue);

// Returns one chart for each panel. The id of a dot is its number in the panel.
std::vector<ScatterData> serveCharts(const ServeFigure &figure);
std::vector<LegendEntry> serveLegend(const ServeFigure &figure);
// Returns the settings that a dot represents. Empty if the dot cannot be chosen.
std::vector<std::pair<std::string, std::string>> settingsOf(
    const ServeFigure &figure, std::size_t panel, std::size_t dot);

// Returns the command line of the same server. It contains only the settings that differ from their defaults.
std::string serveCommand(const ServeConfig &config);

} // namespace slipway::ui
