// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <functional>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

struct Recomputation {
    bool whole =
        false; // forward runs to its end again, needed or not, and what comes out of it dies with the backward block
    bool late = false; // where the first backward op needs what comes back, else before all of backward
};

// Takes what `forward` keeps for `backward` apart into buffers that stay and buffers in `dropped`: those die at their
// last use in forward, and backward begins with the fewest forward ops that bring them back (Chen et al. 2016,
// arXiv 1604.06174). Both blocks are of the same slots' index.
//
// `held`: dies in the forward block without recomputation, and is kept for it.
void recompute(Block &forward, Block &backward, const std::vector<BufferId> &dropped,
    const std::vector<BufferId> &held = {}, Recomputation how = {});

// The buffers of `held` that recomputation reads. A compiler keeps only these; eager code keeps all.
std::vector<BufferId> readByRecomputation(
    Block forward, const std::vector<BufferId> &dropped, const std::vector<BufferId> &held);

// What waits for the backward block waits in the host's memory: copied out at the end of the forward block, and back in
// before the backward one. `copy`: the kernel of one transfer.
void offload(Block &forward, Block &backward, const std::vector<BufferId> &buffers,
    const std::function<KernelId(BufferId)> &copy);

} // namespace slipway
