// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plan of a configuration and its memory needs without a limit. They do not depend on the GPU: configurations that
// differ in GPU, network, price or budget share them.
#pragma once

#include <vector>

#include "memory/replay.h"
#include "plan/build_plan.h"

namespace slipway {

// Of a pipeline stage.
struct MemoryNeeds {
    MemoryPeak peak;       // of a steady step; placed where usesArena()
    AllocationTrace trace; // else
    Replay unlimited;      // of the trace
};

struct SharedPlan {
    RunPlan plan;
    std::vector<MemoryNeeds> needs; // by stage
};

Result<SharedPlan> sharedPlan(const RunConfig &config, const ModelSpec &model);

// Whether sharedPlan() gives the same for both configurations.
bool sharesPlan(const RunConfig &a, const RunConfig &b);

// Whether all memory is allocated once, before the first step: in our own trainer and llm.c. Other frameworks use
// PyTorch's caching allocator.
bool usesArena(const RunConfig &config);

MemoryNeeds memoryNeeds(const StepPlan &stage, const RunConfig &config, Placement placement);
// The allocator with this limit of device memory; unlimited if empty.
Replay replayWithin(Bytes limit, const AllocationTrace &trace, const RunConfig &config);

} // namespace slipway
