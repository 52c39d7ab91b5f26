// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/scores.h"

#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

// A scaled score after the soft cap, and the derivative of the cap.
struct Capped {
    float value, slope;
};

[[gnu::always_inline]] inline Capped underCap(float score, float softCap)
{
    const float tanh = fastTanh(score / softCap);
    return {softCap * tanh, 1.0f - tanh * tanh};
}

// Calls loop(capped) with the function that applies the cap. It is inlined, so that the loop is compiled for each level
// of x86-64.
template<typename Loop>
[[gnu::always_inline]] inline void withCap(float softCap, const Loop &loop)
{
    if (softCap != 0.0f)
        loop([softCap](float score) __attribute__((always_inline)) { return underCap(score, softCap); });
    else
        loop([](float score) __attribute__((always_inline)) { return Capped{score, 1.0f}; });
}

} // namespace

SLIPWAY_SIMD void changeScores(std::int64_t count, const ScoreChange &change, Distances distances, float *scores)
{
    const float scale = change.scale, slope = change.slope;
    const auto first = static_cast<std::int32_t>(distances.first), step = static_cast<std::int32_t>(distances.step);
    withCap(change.softCap, [=](auto capped) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(count); ++j)
            scores[j] = capped(scores[j] * scale).value - slope * static_cast<float>(first + step * j);
    });
}

SLIPWAY_SIMD void changedScoresGradient(
    std::int64_t count, const ScoreChange &change, Distances distances, const ScoreGradient &gradient)
{
    const float scale = change.scale, slope = change.slope;
    const auto first = static_cast<std::int32_t>(distances.first), step = static_cast<std::int32_t>(distances.step);
    const float *const lse = gradient.lse, *const delta = gradient.delta;
    float *const scores = gradient.scores, *const dscores = gradient.dscores;
    withCap(change.softCap, [=](auto capped) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(count); ++j) {
            const Capped score = capped(scores[j] * scale);
            const float probability = fastExp(score.value - slope * static_cast<float>(first + step * j) - lse[j]);
            scores[j] = probability;
            dscores[j] = probability * (dscores[j] - delta[j]) * scale * score.slope;
        }
    });
}

SLIPWAY_SIMD void softCapGradient(std::int64_t count, const ScoreChange &change, const float *scores, float *dscores)
{
    const float scale = change.scale, softCap = change.softCap;
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        dscores[j] *= underCap(scores[j] * scale, softCap).slope;
}

} // namespace slipway::cpu_ops
