// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace slipway {

// The learning rate of a step, counted from 1. It rises linearly from 0 during warm-up and reaches learningRate at its
// last step. Then it follows the schedule to minLearningRate at step `steps`. wsd is constant until it falls linearly
// over the last decaySteps (warm-up, stable, decay: Hu et al. 2024, arXiv 2404.06395). inverse-sqrt is learningRate x
// sqrt(warmupSteps / step), but at least minLearningRate (Vaswani et al. 2017).
double learningRateAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training);

} // namespace slipway
