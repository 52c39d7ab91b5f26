// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/model_spec.h"
#include "plan/framework_recipe.h"
#include "plan/simulated_layer.h"

namespace slipway {

// A tensor of weights by the name of its GEMM, and its elements on one rank.
using UnitTensor = std::pair<std::string, std::int64_t>;

// How many weights the layers and the ends of a stage have on one rank, and in which tensors they lie. All arguments of
// the constructor must outlive it.
class StageTensors {
public:
    // `first`, `last`: the stage has the embedding, the head. `splitsEnds`: the embedding is a unit of its own.
    StageTensors(const ModelSpec &model, const FrameworkRecipe &recipe, const SimulatedSizes &sizes, bool first,
        bool last, bool splitsEnds)
        : m_model(model),
          m_recipe(recipe),
          m_sizes(sizes),
          m_first(first),
          m_last(last),
          m_splitsEnds(splitsEnds)
    {
    }

    // Elements of a layer without its experts, which are a unit of their own.
    [[nodiscard]] std::int64_t layerElements() const;
    // Of the adapters of a layer.
    [[nodiscard]] std::int64_t adapterElements() const;
    [[nodiscard]] std::int64_t embeddingElements() const; // 0 where the stage is not the first
    // Of the ends that are no unit of their own: the last norm, and embedding and head where the stage has them.
    [[nodiscard]] std::int64_t rootElements() const;

    // The matrices of a layer, and of the ends; norms and biases are left to the rest.
    [[nodiscard]] std::vector<UnitTensor> layerTensors() const;
    [[nodiscard]] std::vector<UnitTensor> rootTensors() const;
    // Norms' weights and biases of a layer.
    [[nodiscard]] int layerVectors() const;

private:
    const ModelSpec &m_model;
    const FrameworkRecipe &m_recipe;
    const SimulatedSizes &m_sizes;
    bool m_first, m_last, m_splitsEnds;
};

} // namespace slipway
