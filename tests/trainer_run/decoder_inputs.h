// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Weights and tokens that the tests of decoders share.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "model/model_weights.h"
#include "run/decoder.h"

namespace slipway::testing {

inline constexpr std::int64_t kPositions = 48;

// Every weight counts, norms and biases too, and norms stay near what they begin with.
inline std::vector<HfWeight> unlike(const ModelSpec &model)
{
    std::vector<HfWeight> weights = weightsOf(model);
    const std::vector<ModelWeight> known = modelWeights(model);
    int next = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t count = 1;
        for (const std::int64_t extent : weights[i].shape)
            count *= extent;
        const float middle = known[i].init == WeightInit::Ones ? 1.0F : 0.0F;
        for (std::int64_t j = 0; j < count; ++j)
            weights[i].values.push_back(middle + 0.2F * std::sin(static_cast<float>(++next) * 1.7F));
    }
    return weights;
}

inline std::vector<std::int32_t> textOf(int length, int seed)
{
    std::vector<std::int32_t> ids;
    for (int i = 0; i < length; ++i)
        ids.push_back((7 * seed + 13 * i + i * i) % 61);
    return ids;
}

} // namespace slipway::testing
