// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Times whole steps of one rank or several on random tokens, as the PyTorch yardstick does (contract, section 2, `bench
// step`).
#pragma once

#include <string>

#include "base/result.h"
#include "exec/executor.h"

namespace slipway {

struct BenchOptions {
    BackendKind backend = BackendKind::Host;
    int steps = 10; // timed
    int warmup = 3;
    int threads = 0; // 0: as many as cores
    std::uint64_t seed = 0;
    bool deterministic = false; // see ExecutorOptions
};

struct StepBench {
    std::int64_t params = 0;
    Seconds stepMedian = 0, stepMin = 0;
    double tokensPerSecond = 0; // of all ranks, by the median
    double lossFirst = 0, lossLast = 0;
    PhaseSeconds phases; // medians
    Bytes peakAllocated = 0;
    Bytes plannedPeakAllocated = 0;
    std::string kernels;                       // whose they were
    std::optional<OutsideMemory> outside = {}; // a GPU's
};

// Every rank calls it; each has tokens of its own, and its own clock and memory.
Result<StepBench> benchStep(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options = {});

} // namespace slipway
