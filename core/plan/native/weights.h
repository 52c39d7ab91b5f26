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

// Which layers a rank has: the number of its pipeline stage, how many there are, and how many model chunks each has,
// which go round the stages.
struct StagePlace {
    int number = 0, count = 1, modelChunks = 1;
    [[nodiscard]] bool isFirst() const { return number == 0; }
    [[nodiscard]] bool isLast() const { return number + 1 == count; }
    [[nodiscard]] bool hasEmbedding(int modelChunk) const { return isFirst() && modelChunk == 0; }
    [[nodiscard]] bool hasHead(int modelChunk) const { return isLast() && modelChunk + 1 == modelChunks; }
};

// Where a weight lies: a view into its unit's parameters and the same view into its gradients. Layer weights are seen
// from a slot whose index is the layer.
struct WeightUse {
    Use weight, gradient;
};

// How ranks share the weights: those that all of them have, and the experts.
struct WeightSharing {
    DataParallelism all, experts;
};

// Every tensor of the plan by the name that model_weights.h gives it: names differ between units, too.
class Weights {
public:
    // Adds units, tensors and their buffers to the builder's plan: those of the stage.
    Weights(PlanBuilder &builder, const WeightSharing &sharing, const ModelSpec &model, const Sizes &sizes,
        StagePlace stage);

    [[nodiscard]] bool has(std::string_view tensor) const { return m_uses.contains(tensor); }
    // std::out_of_range where the model has no such tensor.
    [[nodiscard]] const WeightUse &at(const std::string &tensor) const { return m_uses.at(tensor); }
    [[nodiscard]] std::int64_t rows(const std::string &tensor) const { return m_rows.at(tensor); }

    // The same weights, seen by a micro-batch that starts the step's sum of gradients or by a later one: its backward
    // may write to buffers of its own.
    [[nodiscard]] Weights withGradientsOf(
        const StepPlan &plan, const DataParallelism &data, bool firstMicroBatch) const;

private:
    std::map<std::string, WeightUse, std::less<>> m_uses;
    std::map<std::string, std::int64_t, std::less<>> m_rows; // as laid out
};

} // namespace slipway::native
