// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shared code of the benchmarks: the flags of a configuration, and the plans built from them.
#pragma once

#include "command.h"
#include "exec/bench_step.h"
#include "model/model_spec.h"
#include "plan/mesh.h"
#include "plan/step_plan.h"
#include "ranks.h"

namespace slipway::train_app {

struct BenchArguments {
    std::string file;
    GivenSettings settings;
    BenchOptions options;
    int processes = 0; // -n; 0 uses threads or the ranks that were started around this process
    bool json = false;
};

struct Prepared {
    RunConfig config;
    ModelSpec model;
    std::vector<StepPlan> stages; // one plan for each stage of the pipeline
    BackendKind backend = BackendKind::Host;

    [[nodiscard]] const StepPlan &planOf(int rank) const
    {
        return stages[static_cast<std::size_t>(stageOf(config.parallel, rank))];
    }
};

Result<Prepared> prepare(const BenchArguments &arguments);
// Runs `work` on the ranks of a benchmark and returns its exit status. The ranks are those that were started around
// this process, or the processes of -n, or otherwise threads for the ranks of the configuration.
int onRanks(BenchArguments &arguments, const std::function<Result<void>(const Ranks &)> &work);
// Returns the steps of the first rank.
Result<StepBench> benchOn(const Ranks &ranks, const Prepared &prepared, const BenchOptions &options);
std::string deviceName(BackendKind backend);
void addBenchFlags(CLI::App &command, BenchArguments &arguments);

void addBenchOps(CLI::App &bench, int &status);
void addBenchMemory(CLI::App &bench, int &status);
void addBenchServe(CLI::App &bench, int &status);
void addBenchGrid(CLI::App &bench, int &status);
void addBenchLinks(CLI::App &bench, int &status);

} // namespace slipway::train_app
