// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Times each op of a step on its own: the device is idle before and after it.
#pragma once

#include <string>
#include <vector>

#include "exec/bench_step.h"

namespace slipway {

struct OpBench {
    std::string op;      // "layer_forward/qkv"
    std::string kind;    // "gemm"
    Kernel kernel;       // kernel of the first call
    int calls = 0;       // per step
    Seconds seconds = 0; // time of all calls of a step; median over the steps
    Flops flops = 0;     // FLOPs of all calls of a step
    Bytes bytes = 0;
};

// The slowest op is first. All ranks call it, each with its own clock. The time of collectives includes waiting for
// other ranks.
Result<std::vector<OpBench>> benchOps(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options);

} // namespace slipway
