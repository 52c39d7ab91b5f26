// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a simulated step: gradients' norm, clipping, the update of weights, and what there is for its time.
#pragma once

#include <vector>

#include "plan/simulated_shards.h"

namespace slipway {

class SimulatedOptimizer : public SimulatedShards {
public:
    using SimulatedShards::SimulatedShards;

protected:
    // Updated as soon as its gradient is there, which dies (torchtune's optimizer_in_bwd): without the norm over all.
    void addUpdateInBackward(std::vector<Op> &ops, const Unit &u);
    [[nodiscard]] bool updatesInBackward() const
    {
        return m_c.optimizerInBackward && m_c.gradAccum == 1 && m_p.pp == 1 &&
               m_b.plan.at(m_root.gradients).scope == Scope::Step;
    }
    void addOptimizer();

private:
    KernelId optimizerKernel(const Unit &u);
    std::vector<Op> hostUpdate(const Unit &u);
};

} // namespace slipway
