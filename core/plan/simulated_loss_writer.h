// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Records the loss. simulated_softmax_loss.cpp, simulated_parallel_loss.cpp and simulated_compiled_loss.cpp define one
// kind of loss each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/framework_recipe.h"
#include "plan/plan_builder.h"
#include "plan/simulated_loss.h"

namespace slipway {

// The number of chunks of the losses of torchtune and torchtitan by default.
constexpr int kLossChunks = 8;

// Records the ops from the GEMM of the LM head to its gradients. All arguments of the constructor must outlive the
// object.
class LossWriter {
public:
    LossWriter(PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes,
        const SimulatedLossPlaces &places);
    SimulatedLoss write();

private:
    // A tensor of the chunk's logits, with `size` bytes per logit.
    Use logits(const std::string &name, Bytes size);
    KernelId gemm(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k);
    // A kernel over all logits of the chunk; `read` and `written` are bytes per logit.
    KernelId pass(double read, double written, bool mixed = false, std::int32_t calls = 1);
    void addCasts();
    void addHeadGradients(Use dLogits);
    void freeCasts();

    // The loss of eager PyTorch.
    void addSoftmax(Use out);
    Use addSoftmaxBackward(Use logProbabilities, Bytes e, bool copiesWide);
    Use shifted(Use from, Bytes size, std::vector<Use> &locals);
    Use shiftedBackward(Use gradient, Bytes size);
    void addMetrics(Use out);
    [[nodiscard]] bool splitsRows() const;
    void addSplitSoftmax(Use wide, Use logProbabilities, Bytes e);
    void addSplitSoftmaxBackward(Use logProbabilities, Use dLog, Use dWide, Bytes e);

    // Megatron-LM's loss over a split vocabulary.
    void addParallel(Use out);
    void addParallelBackward(Use softmax);
    Use keepOutputs(Use out, Use wide);

    // Compiled losses, and torchtune's chunked loss.
    void addCompiled(Use out);
    void addChunked(Use out);

    PlanBuilder &m_b;
    const FrameworkRecipe &m_r;
    const SimulatedSizes &m_s;
    const SimulatedLossPlaces &m_p;
    int m_chunks; // each passes LM head, loss and their backward pass before the next one
    std::int64_t m_rows;
    Use m_weight, m_input; // of the LM head's GEMM
    Bytes m_half;
    bool m_upcasts;
    std::optional<Use> m_held, m_tableGradient, m_tangent;
    std::vector<Op> m_metrics;
    std::vector<Op> m_ops;
};

} // namespace slipway
