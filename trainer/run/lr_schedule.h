// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace slipway {

// Learning rate of a step, counted from 1. Rises linearly from 0 over the warm-up, is learningRate at its last step,
// then falls along the schedule to minLearningRate at step `steps`.
double learningRateAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training);

} // namespace slipway
