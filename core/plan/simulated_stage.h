// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a stage of a simulated framework holds beside its units: the stream between layers, the messages of a pipeline,
// and copies of gradients. What it runs is in simulated_step.cpp.
#pragma once

#include <optional>

#include "plan/simulated_units.h"

namespace slipway {

class SimulatedStage : public SimulatedUnits {
public:
    SimulatedStage(const RunConfig &config, const ModelSpec &model, int stage);

protected:
    BufferId m_x{}, m_dx{}, m_loss{};
    BufferId m_output{}; // what a stage of a pipeline hands on: PyTorch's has it until its backward has run
    std::optional<BufferId> m_previousInput; // of a Megatron-LM stage
    std::optional<BufferId> m_embeddingMask; // of the dropout of what the table gave
    std::optional<BufferId> m_fetchedAhead, m_bucket,
        m_flattened; // DeepSpeed's: of its third stage, of the others, of its second
    std::optional<BufferId> m_flatGradients,
        m_ownGradients; // of half gradients, while the optimizer steps; the first under DeepSpeed only

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
