// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Times whole steps of one or more ranks on random tokens: `slipway-train bench step`. packaging/yardstick.py times the
// same steps in PyTorch.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "exec/executor.h"

namespace slipway {

struct BenchOptions {
    BackendKind backend = BackendKind::Host;
    int steps = 10; // number of timed steps
    int warmup = 3;
    int threads = 0; // 0: one per core
    std::uint64_t seed = 0;
    bool deterministic = false; // see ExecutorOptions
};

struct StepBench {
    std::int64_t params = 0;
    Seconds stepMedian = 0, stepMin = 0;
    double tokensPerSecond = 0; // sum over all ranks, by the median step
    double lossFirst = 0, lossLast = 0;
    PhaseSeconds phases; // medians
    Bytes peakAllocated = 0;
    Bytes plannedPeakAllocated = 0;
    // Device memory that the process has reserved, except outside the allocator: the arena, and on a GPU the memory
    // that LibTorch's allocator reserves for ops.
    Bytes peakReserved = 0, plannedPeakReserved = 0;
    std::string kernels;                       // Executor::description()
    std::optional<OutsideMemory> outside = {}; // on a GPU
};

// The executor that the benchmark steps. Every rank calls it.
Result<std::unique_ptr<Executor>> benchExecutor(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, const BenchOptions &options);

// Every rank calls it. Each rank has its own tokens and reports its own time and memory.
Result<StepBench> benchStep(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options = {});

} // namespace slipway
