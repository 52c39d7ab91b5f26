// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A transformer layer of a simulated framework, recorded on a tape.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/moe_sizes.h"
#include "plan/tape.h"
#include "plan/framework_recipe.h"

namespace slipway {

// Sizes on one rank: heads, ffn and vocab are those of its tensor-parallel shard, seq that of its context-parallel
// shard.
struct SimulatedSizes {
    std::int64_t batch = 1, seq = 1, fullSeq = 1, tokens = 1;
    std::int64_t hidden = 1, heads = 1, kvHeads = 1, headDim = 1, ffn = 1, vocab = 1;
    int tp = 1, cp = 1;
    GroupId tpGroup = GroupId::None, cpGroup = GroupId::None;

    [[nodiscard]] std::int64_t qWidth() const { return heads * headDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return kvHeads * headDim; }
};

// The buffers of a layer's weights: one that GEMMs read, and those to which gradients are written. `tensors`: the
// tensors with a separate gradient buffer, by name.
struct SimulatedWeights {
    Use weights;
    Use gradients;
    std::vector<std::pair<std::string, Use>> tensors;

    [[nodiscard]] Use gradientOf(std::string_view tensor) const
    {
        const auto found =
            std::find_if(tensors.begin(), tensors.end(), [tensor](const auto &t) { return t.first == tensor; });
        return found == tensors.end() ? gradients : found->second;
    }
};

// The weights of a layer and, in a mixture of experts, those of its experts.
struct LayerParts {
    SimulatedWeights weights;
    ExpertSizes experts;
    SimulatedWeights expertWeights;
};

// Records the layer from `x` and returns its output, `out`.
void recordLayer(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
    const SimulatedSizes &sizes, Attention attention, const LayerParts &parts, Value x, Value out);

} // namespace slipway
