// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway {

double learningRateAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training)
{
    const double peak = training.learningRate, floor = training.minLearningRate;
    if (step < training.warmupSteps)
        return peak * static_cast<double>(step) / static_cast<double>(training.warmupSteps);
    if (training.schedule == LrSchedule::Constant || steps <= training.warmupSteps)
        return peak;
    const double progress = std::min(
        1.0, static_cast<double>(step - training.warmupSteps) / static_cast<double>(steps - training.warmupSteps));
    const double remaining =
        training.schedule == LrSchedule::Linear ? 1.0 - progress : 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    return floor + (peak - floor) * remaining;
}

} // namespace slipway
