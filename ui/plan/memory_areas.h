// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The data of the Plan page's memory charts, made from a prediction. These are plain values without widgets or state.
#pragma once

#include "predict/first_steps.h"
#include "predict/predict.h"
#include "ui/charts/area_chart.h"

namespace slipway::ui {

AreaData memoryAreas(const MemoryOverStep &memory, const Prediction &prediction);
// Shows the first steps of a run, with the reserved memory as a line.
AreaData firstStepsAreas(const FirstSteps &first);

} // namespace slipway::ui
