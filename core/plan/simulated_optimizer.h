// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a simulated step: the norm of the gradients, clipping and the update of the weights.
#pragma once

#include <vector>

#include "plan/simulated_shards.h"

namespace slipway {

class SimulatedOptimizer : public SimulatedShards {
public:
    using SimulatedShards::SimulatedShards;

protected:
    // Updates the unit as soon as its gradient is computed, and frees the gradient (torchtune's optimizer_in_bwd). The
    // norm of all gradients is then not known. A model that is one FSDP unit has gradients only after the backward
    // pass.
    void addUpdateInBackward(std::vector<Op> &ops, const Unit &u);
    [[nodiscard]] bool updatesInBackward() const
    {
        return m_c.optimizerInBackward && m_c.gradAccum == 1 && m_p.pp == 1 && !isOneUnit() &&
               m_b.plan.at(m_root.gradients).scope == Scope::Step;
    }
    void addOptimizer();
    // Frees the unit's gradients.
    Op zeroGrad(const Unit &u, Phase phase);

private:
    // Adds a block of these ops for the unit: once, or for each layer of a unit of layers.
    void addToUnit(Segment &segment, const Unit &u, const char *name, std::vector<Op> ops);
    // Adds a block of one op without a kernel, which only allocates or frees.
    void addOnce(Segment &segment, Op op);
    // Copies of the gradients in the type in which the optimizer reads them.
    void addGradientCopies(Segment &segment);
    // The norm of the unit's gradients, and their clipping.
    void addClipping(Segment &segment, const Unit &u, BufferId norm);
    KernelId optimizerKernel(const Unit &u);
    std::vector<Op> update(const Unit &u, BufferId norm);
    std::vector<Op> hostUpdate(const Unit &u);
    Op gatherWeights(const Unit &u);
};

} // namespace slipway
