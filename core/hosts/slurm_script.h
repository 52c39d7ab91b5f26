// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The batch script of a run, and the options of sbatch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "hosts/host.h"
#include "hosts/node_shape.h"

namespace slipway {

// One attempt per task; several tasks become a job array. Each task runs in its run directory and writes the files of
// a launch there (docs/guide/file-formats.md). It starts an attempt once, even if it was submitted twice. A requeued
// job resumes from the latest checkpoint.
std::string slurmBatchScript(const std::vector<StartRequest> &tasks);

// The resources of a job: the maximum over its tasks.
struct JobResources {
    std::string name;
    NodeShape shape;
    bool gpus = false;
    int minutes = 1; // see slurmMinutes
    void add(const RunConfig &config, int taskMinutes);
};

// --gpus-per-node, --time and so on, followed by the user's options, which have precedence.
std::vector<std::string> sbatchOptions(
    const JobResources &resources, std::size_t tasks, const std::vector<std::string> &own);

// The prefix of the trainer's command (srun and its options) that starts one rank per task of a job on several nodes.
// Consecutive ranks are on the same node, as the mesh requires, whatever the default distribution of the cluster or the
// job.
inline constexpr const char *kNodeByNode = "--distribution=block";

std::vector<std::string> srunPrefix(const NodeShape &shape);

// The time limit of the run in minutes, else 1.5 times the predicted duration.
int slurmMinutes(const RunConfig &config, std::optional<Seconds> predicted);

// The value of an sbatch option, "--partition=gpu" or "-p gpu"; empty if it is not given.
std::string optionValue(const std::vector<std::string> &options, const std::string &name, char letter);

} // namespace slipway
