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

// The numbers of weights that the layers and the ends of a stage have on one rank, in total and by tensor. All
// arguments of the constructor must outlive the object.
class StageTensors {
public:
    // `first`, `last`: the stage has the embedding, the LM head. `splitsEnds`: the embedding is a separate unit.
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

    // Elements of a layer without its experts, which are a separate unit.
    [[nodiscard]] std::int64_t layerElements() const;
    // Elements of the adapters of a layer.
    [[nodiscard]] std::int64_t adapterElements() const;
    [[nodiscard]] std::int64_t embeddingElements() const; // 0 if the stage is not the first
    // Elements of the ends that are not a separate unit: the final norm, and embedding and LM head if the stage has
    // them.
    [[nodiscard]] std::int64_t rootElements() const;

    // The matrices of a layer and of the ends, without norms and biases.
    [[nodiscard]] std::vector<UnitTensor> layerTensors() const;
    [[nodiscard]] std::vector<UnitTensor> rootTensors() const;
    // Number of norm weights and biases of a layer.
    [[nodiscard]] int layerVectors() const;

private:
    const ModelSpec &m_model;
    const FrameworkRecipe &m_recipe;
    const SimulatedSizes &m_sizes;
    bool m_first, m_last, m_splitsEnds;
};

} // namespace slipway
