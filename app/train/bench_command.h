// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the benchmarks share: flags of a configuration, and what is made of them.
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
    int processes = 0; // -n; 0: threads, or the ranks around
    bool json = false;
};

struct Prepared {
    RunConfig config;
    ModelSpec model;
    std::vector<StepPlan> stages; // of the pipeline
    BackendKind backend = BackendKind::Host;

    [[nodiscard]] const StepPlan &planOf(int rank) const
    {
        return stages[static_cast<std::size_t>(stageOf(config.parallel, rank))];
    }
};

Result<Prepared> prepare(const BenchArguments &arguments);
// The ranks of a benchmark: those that were started around this process, those of -n, else the configuration's as
// threads. `work` runs where the benchmark does; its status is the command's.
int onRanks(BenchArguments &arguments, const std::function<Result<void>(const Ranks &)> &work);
// Of all ranks the first one's steps.
Result<StepBench> benchOn(const Ranks &ranks, const Prepared &prepared, const BenchOptions &options);
std::string deviceName(BackendKind backend);
void addBenchFlags(CLI::App &command, BenchArguments &arguments);

void addBenchOps(CLI::App &bench, int &status);
void addBenchMemory(CLI::App &bench, int &status);
void addBenchServe(CLI::App &bench, int &status);
void addBenchGrid(CLI::App &bench, int &status);
void addBenchLinks(CLI::App &bench, int &status);

} // namespace slipway::train_app
