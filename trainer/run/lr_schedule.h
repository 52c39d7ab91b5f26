// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace slipway {

// Learning rate of a step, counted from 1. Rises linearly from 0 over the warm-up and is learningRate at its last step.
// Then it falls along the schedule to minLearningRate at step `steps`: wsd stays until its last decaySteps and falls
// linearly over them (warm-up, stable, decay: Hu et al. 2024, arXiv 2404.06395); inverse-sqrt is learningRate x
// sqrt(warmupSteps / step), not below minLearningRate (Vaswani et al. 2017).
double learningRateAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training);

} // namespace slipway
