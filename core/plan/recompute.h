// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <functional>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

struct Recomputation {
    bool whole = false; // the whole forward block runs again, and its output lives until the end of the backward block
    bool late = false; // recomputes when the first backward op reads a recomputed buffer, else before the backward pass
};

// Frees the buffers in `dropped` after their last use in `forward`, and lets `backward` begin with the fewest forward
// ops that compute them again (Chen et al. 2016, arXiv 1604.06174). The slots of both blocks have the same index.
//
// `held`: buffers that are kept for recomputation. Without it, they would be freed in the forward block.
void recompute(Block &forward, Block &backward, const std::vector<BufferId> &dropped,
    const std::vector<BufferId> &held = {}, Recomputation how = {});

// The buffers of `held` that recomputation reads. A compiler keeps only these; eager code keeps all.
std::vector<BufferId> readByRecomputation(
    Block forward, const std::vector<BufferId> &dropped, const std::vector<BufferId> &held);

// Keeps these buffers in host memory between the passes: copies them to the host at the end of the forward block, and
// back before the backward block. `copy`: the kernel of one transfer.
void offload(Block &forward, Block &backward, const std::vector<BufferId> &buffers,
    const std::function<KernelId(BufferId)> &copy);

} // namespace slipway
