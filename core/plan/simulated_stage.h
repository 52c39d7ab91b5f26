// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The buffers of a stage of a simulated framework other than those of its units: the residual stream, the messages of a
// pipeline, and copies of gradients. Its ops are in simulated_step.cpp.
#pragma once

#include <optional>

#include "plan/simulated_units.h"

namespace slipway {

class SimulatedStage : public SimulatedUnits {
public:
    SimulatedStage(const RunConfig &config, const ModelSpec &model, int stage);

protected:
    BufferId m_x{}, m_dx{}, m_loss{};
    BufferId m_output{};                     // output of a pipeline stage; PyTorch keeps it until the backward pass
    std::optional<BufferId> m_previousInput; // of a stage of Megatron-LM
    std::optional<BufferId> m_embeddingMask; // mask of the dropout after the embedding
    // DeepSpeed: the weights that ZeRO-3 gathers in advance, the bucket of ZeRO-1 and ZeRO-2, the flattened shards of
    // ZeRO-2
    std::optional<BufferId> m_fetchedAhead, m_bucket, m_flattened;
    // Copies of bf16 or fp16 gradients during the optimizer step; the flat ones with DeepSpeed only
    std::optional<BufferId> m_flatGradients, m_ownGradients;

private:
    void addGradientCopies();
    void addGatheredAhead();
    void addReduceBuckets();
    void addFlatGradients();
    BufferId addZeroBuffer(const std::string &name, std::int64_t elements, DType type, Scope scope);
    void addStream();
    void addPipelineBuffers();
    void addSharedBuffers(std::int64_t streamWidth);
};

} // namespace slipway
