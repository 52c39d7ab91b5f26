// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A transformer layer as the simulated frameworks write it, on a tape.
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

// Sizes on one rank: heads, ffn and vocabulary are its part under tensor parallelism, seq its part under context
// parallelism.
struct SimulatedSizes {
    std::int64_t batch = 1, seq = 1, fullSeq = 1, tokens = 1;
    std::int64_t hidden = 1, heads = 1, kvHeads = 1, headDim = 1, ffn = 1, vocab = 1;
    int tp = 1, cp = 1;
    GroupId tpGroup = GroupId::None, cpGroup = GroupId::None;

    [[nodiscard]] std::int64_t qWidth() const { return heads * headDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return kvHeads * headDim; }
};

// The weights of a layer as its GEMMs see them: one buffer to read, and where gradients are written to: one each for
// the tensors that are named, one for all others.
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

// What a layer has: its weights and, in a mixture of experts, theirs.
struct LayerParts {
    SimulatedWeights weights;
    ExpertSizes experts;
    SimulatedWeights expertWeights;
};

// Records the layer from `x` and returns its output, `out`.
void recordLayer(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
    const SimulatedSizes &sizes, Attention attention, const LayerParts &parts, Value x, Value out);

} // namespace slipway
