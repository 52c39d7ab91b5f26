// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway {

namespace {

// The factor between minimum and peak learning rate after the warm-up: 1 at the peak, 0 at the minimum.
double remainingAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training)
{
    const auto part = [](std::int64_t done, std::int64_t of) {
        return std::clamp(static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(of, 1)), 0.0, 1.0);
    };
    const double progress = part(step - training.warmupSteps, steps - training.warmupSteps);
    switch (training.schedule) {
    case LrSchedule::Cosine:
        return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    case LrSchedule::Linear:
        return 1.0 - progress;
    case LrSchedule::Wsd: {
        const std::int64_t wanted =
                               training.decaySteps > 0 ? training.decaySteps : std::max<std::int64_t>(steps / 10, 1),
                           decay = std::min(wanted, steps - training.warmupSteps);
        return 1.0 - part(step - (steps - decay), decay);
    }
    case LrSchedule::Constant:
    case LrSchedule::InverseSqrt:
        return 1.0;
    }
    return 1.0;
}

} // namespace

double learningRateAt(std::int64_t step, std::int64_t steps, const TrainingChoice &training)
{
    const double peak = training.learningRate, floor = training.minLearningRate;
    if (step < training.warmupSteps)
        return peak * static_cast<double>(step) / static_cast<double>(training.warmupSteps);
    if (training.schedule == LrSchedule::InverseSqrt) {
        const auto warmup = static_cast<double>(std::max<std::int64_t>(training.warmupSteps, 1));
        return std::max(floor, peak * std::sqrt(warmup / static_cast<double>(std::max<std::int64_t>(step, 1))));
    }
    if (training.schedule == LrSchedule::Constant || steps <= training.warmupSteps)
        return peak;
    return floor + (peak - floor) * remainingAt(step, steps, training);
}

} // namespace slipway
