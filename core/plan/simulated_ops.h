// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops of one micro-batch on a stage: its layers, with or without recomputation, and the ends of the model.
#pragma once

#include <array>
#include <vector>

#include "plan/recompute.h"
#include "plan/simulated_loss.h"
#include "plan/simulated_optimizer.h"
#include "plan/tape.h"

namespace slipway {

class SimulatedOps : public SimulatedOptimizer {
public:
    SimulatedOps(const RunConfig &config, const ModelSpec &model, int stage);

protected:
    // The ops of one layer.
    struct LayerOps {
        Block forward{"layer_forward", {}, true}, backward{"layer_backward", {}, true};
        std::vector<Use> casts; // copies of weights that autocast keeps until the forward pass ends
    };

    // The ops of a micro-batch, recorded once. `layers`: by kindOf().
    struct StageOps {
        std::array<LayerOps, 2> layers;
        std::vector<Op> headForward, headBackward;
        SimulatedLoss loss;
    };

    // 1 for the layers that alternating recomputation leaves out, otherwise 0.
    [[nodiscard]] std::size_t kindOf(int layer) const
    {
        return m_c.recomputes(RecomputeOp::LayerAlternate) && layer % 2 == 1 ? 1 : 0;
    }
    // Sends activations to the next stage, or gradients to the previous one.
    KernelId betweenStages();
    // The stream of messages to other stages: `stream` if they overlap with other kernels.
    [[nodiscard]] Stream streamOfStages(Stream stream) const;

    StageOps m_ops;

private:
    void recordLayerOps();
    LayerOps recordedLayer(Recompute mode);
    [[nodiscard]] Recomputation recomputation(Recompute mode) const;
    void holdCasts(LayerOps &ops) const;
    void keepAttentionOutput(LayerOps &ops, const std::vector<BufferId> &dropped, std::vector<BufferId> &waiting) const;
    [[nodiscard]] bool isRecomputed(const Tape::Made &made) const;
    void recordHeadOps();
    void recordFinalNorm();
};

} // namespace slipway
