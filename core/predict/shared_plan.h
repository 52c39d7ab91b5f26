// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a configuration does on any GPU: its plan, and what that needs where there is memory enough. Runs on other
// GPUs, over other networks, at other prices or for other budgets share it.
#pragma once

#include <vector>

#include "memory/replay.h"
#include "plan/build_plan.h"

namespace slipway {

// Of a pipeline stage.
struct MemoryNeeds {
    MemoryPeak peak;       // of a steady step; placed where takesArena()
    AllocationTrace trace; // else
    Replay unlimited;      // of the trace
};

struct SharedPlan {
    RunPlan plan;
    std::vector<MemoryNeeds> needs; // by stage
};

Result<SharedPlan> sharedPlan(const RunConfig &config, const ModelSpec &model);

// Whether two configurations differ in nothing that sharedPlan() goes by.
bool sharesPlan(const RunConfig &a, const RunConfig &b);

// Our own trainer and llm.c take their memory once, before the first step; the others as PyTorch's caching allocator
// does.
bool takesArena(const RunConfig &config);

MemoryNeeds memoryNeeds(const StepPlan &stage, const RunConfig &config, Placement placement);
// The allocator with so much of the device; all of it without a limit.
Replay replayWithin(Bytes limit, const AllocationTrace &trace, const RunConfig &config);

} // namespace slipway
