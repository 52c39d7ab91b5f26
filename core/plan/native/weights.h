// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of a step in our own trainer: flat by unit, tensors one after the other.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/model_spec.h"
#include "plan/data_parallel.h"
#include "plan/native/sizes.h"
#include "plan/plan_builder.h"

namespace slipway::native {

// The position of a pipeline stage, and the number of stages and of model chunks per stage. Consecutive model chunks
// are on consecutive stages.
struct StagePosition {
    int number = 0, count = 1, modelChunks = 1;
    [[nodiscard]] bool isFirst() const { return number == 0; }
    [[nodiscard]] bool isLast() const { return number + 1 == count; }
    [[nodiscard]] bool hasEmbedding(int modelChunk) const { return isFirst() && modelChunk == 0; }
    [[nodiscard]] bool hasHead(int modelChunk) const { return isLast() && modelChunk + 1 == modelChunks; }
};

// A weight as a view into its unit's parameters, and the same view into its gradients. For a weight of a layer, the
// slot's index is the layer.
struct WeightUse {
    Use weight, gradient;
};

// The data parallelism of the weights: of those that all expert-parallel ranks have, and of the experts.
struct WeightSharing {
    DataParallelism all, experts;
};

// The tensors of the plan by their names in model_weights.h, which are unique over all units.
class Weights {
public:
    // Adds the units, tensors and buffers of the stage to the builder's plan.
    Weights(PlanBuilder &builder, const WeightSharing &sharing, const ModelSpec &model, const Sizes &sizes,
        StagePosition stage);

    [[nodiscard]] bool has(std::string_view tensor) const { return m_uses.contains(tensor); }
    // Throws std::out_of_range if the model has no such tensor.
    [[nodiscard]] const WeightUse &at(const std::string &tensor) const { return m_uses.at(tensor); }
    [[nodiscard]] std::int64_t rows(const std::string &tensor) const { return m_rows.at(tensor); }

    // The same weights for the first or for a later micro-batch of a step, whose backward passes may write gradients to
    // different buffers.
    [[nodiscard]] Weights withGradientsOf(
        const StepPlan &plan, const DataParallelism &data, bool firstMicroBatch) const;

private:
    std::map<std::string, WeightUse, std::less<>> m_uses;
    std::map<std::string, std::int64_t, std::less<>> m_rows; // as laid out
};

} // namespace slipway::native
