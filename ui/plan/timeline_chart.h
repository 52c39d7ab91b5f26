// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>
#include <vector>

#include "predict/timeline.h"
#include "ui/charts/lane_chart.h"
#include "ui/widgets/legend.h"

namespace slipway::ui {

// A lane for each stream that has work, colored by the part of the step that it is.
LaneData timelineLanes(const std::shared_ptr<const Timeline> &timeline);
std::vector<LegendEntry> timelineLegend();
// "One micro-batch of 8 is drawn for those that are alike", empty where all are.
QString timelineNote(const Timeline &timeline);

} // namespace slipway::ui
