// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>
#include <vector>

#include "predict/timeline.h"
#include "ui/charts/lane_chart.h"
#include "ui/widgets/legend.h"

namespace slipway::ui {

// Returns one lane per stream that has work, colored by category.
LaneData timelineLanes(const std::shared_ptr<const Timeline> &timeline);
std::vector<LegendEntry> timelineLegend();
// Returns one lane per stage of a pipeline, with its passes and bubbles. There are no lanes without a pipeline.
LaneData pipelineLanes(const std::shared_ptr<const Timeline> &timeline);
std::vector<LegendEntry> pipelineLegend();
// Returns a note that identical micro-batches are drawn once. It is empty if all micro-batches are drawn.
QString timelineNote(const Timeline &timeline);

} // namespace slipway::ui
