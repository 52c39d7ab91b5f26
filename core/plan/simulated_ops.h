// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What one micro-batch of a stage runs: its layers as they are recomputed or kept, and the ends of the model or of the
// stage.
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
    // A layer as it is run, and as it is checkpointed where only some are.
    struct LayerOps {
        Block forward{"layer_forward", {}, true}, backward{"layer_backward", {}, true};
        std::vector<Use> casts; // that autocast holds until the forward ends
    };

    // What every micro-batch of the stage runs, recorded once.
    struct StageOps {
        std::array<LayerOps, 2> layers;
        std::vector<Op> headForward, headBackward;
        SimulatedLoss loss;
    };

    // Every second layer, where only some are checkpointed.
    [[nodiscard]] std::size_t kindOf(int layer) const
    {
        return m_c.recomputes(RecomputeOp::LayerAlternate) && layer % 2 == 1 ? 1 : 0;
    }
    // Activations to the next stage, or gradients to the one before.
    KernelId betweenStages();
    // The stream of what goes to another stage: `stream` where it runs beside other kernels.
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
