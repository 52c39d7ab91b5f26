// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the benchmarks share: flags of a configuration, and what is made of them.
#pragma once

#include "command.h"
#include "exec/bench_step.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway::train_app {

struct BenchArguments {
    std::string file;
    GivenSettings settings;
    BenchOptions options;
    bool json = false;
};

struct Prepared {
    RunConfig config;
    ModelSpec model;
    StepPlan plan;
    BackendKind backend = BackendKind::Host;
};

Result<Prepared> prepare(const BenchArguments &arguments);
std::string deviceName(BackendKind backend);
void addBenchFlags(CLI::App &command, BenchArguments &arguments);

void addBenchOps(CLI::App &bench, int &status);
void addBenchMemory(CLI::App &bench, int &status);
void addBenchGrid(CLI::App &bench, int &status);

} // namespace slipway::train_app
