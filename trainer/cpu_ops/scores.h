// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Changes to a row of attention scores before the softmax, in addition to a scale: the soft cap, then ALiBi's bias,
// which grows with the distance from the query to the key.
#pragma once

#include <cstdint>

#include "cpu_ops/attention_heads.h"

namespace slipway::cpu_ops {

struct ScoreChange {
    float scale = 1, softCap = 0, slope = 0;
};

// Whether scores have a soft cap or ALiBi.
inline bool changesScores(const QkvShape &s) { return s.softCap != 0.0f || s.slopes; }

inline ScoreChange scoreChange(const QkvShape &s, HeadIndex at)
{
    return {scoreScale(s), s.softCap, s.slopes ? s.slopes[at.head] : 0.0f};
}

// The distance between query and key of a row's first score, and its change per score: 1 or -1.
struct Distances {
    std::int64_t first = 0, step = 1;
};

// scores = softCap tanh(scale scores / softCap) - slope distance
void changeScores(std::int64_t count, const ScoreChange &change, Distances distances, float *scores);

struct ScoreGradient {
    const float *lse = nullptr, *delta = nullptr;
    float *scores = nullptr, *dscores = nullptr;
};
// In: scores = query x key, dscores = gradients of the probabilities. Out: scores = probabilities, dscores = gradients
// of query x key.
void changedScoresGradient(
    std::int64_t count, const ScoreChange &change, Distances distances, const ScoreGradient &gradient);

// Multiplies dscores by the derivative of the soft cap at these scores.
void softCapGradient(std::int64_t count, const ScoreChange &change, const float *scores, float *dscores);

} // namespace slipway::cpu_ops
