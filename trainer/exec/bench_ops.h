// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every op of a step timed by itself: the device is idle before and after it.
#pragma once

#include <string>
#include <vector>

#include "exec/bench_step.h"

namespace slipway {

struct OpBench {
    std::string op;      // "layer_forward/qkv"
    std::string kind;    // "gemm"
    Kernel kernel;       // of its first call
    int calls = 0;       // in a step
    Seconds seconds = 0; // of all calls of a step, the median over the steps
    Flops flops = 0;     // of all calls of a step
    Bytes bytes = 0;
};

// Slowest first. Every rank calls it; each has its own clock, which in collectives counts the wait for the others.
Result<std::vector<OpBench>> benchOps(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options);

} // namespace slipway
