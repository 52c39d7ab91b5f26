// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The batch script of a run, and what sbatch is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "hosts/host.h"

namespace slipway {

// One attempt a task: several become a job array. Each task runs in its run's directory, leaves the files of the contract
// there, and starts an attempt once, whatever was submitted twice. A requeued job goes on from the last checkpoint.
std::string slurmBatchScript(const std::vector<StartRequest> &tasks);

// --gpus-per-node, --time and the like, then the user's own, which win. `minutes`: see slurmMinutes.
std::vector<std::string> sbatchOptions(const RunConfig &config, int minutes, std::size_t tasks, const std::vector<std::string> &own);

// The run's own limit, else half as much again as predicted.
int slurmMinutes(const RunConfig &config, std::optional<Seconds> predicted);

// The value of an sbatch option, "--partition=gpu", "-p gpu"; empty where it is not given.
std::string optionValue(const std::vector<std::string> &options, const std::string &name, char letter);

} // namespace slipway
