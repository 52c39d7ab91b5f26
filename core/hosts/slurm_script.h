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
#include "hosts/node_shape.h"

namespace slipway {

// One attempt per task; several tasks become a job array. Each task runs in its run directory and writes the files of
// a launch there (docs/guide/file-formats.md). It starts an attempt once, even if it was submitted twice. A requeued
// job resumes from the latest checkpoint.
std::string slurmBatchScript(const std::vector<StartRequest> &tasks);

// What a job is asked for: as much as the largest of its tasks needs.
struct JobDemand {
    std::string name;
    NodeShape shape;
    bool gpus = false;
    int minutes = 1; // see slurmMinutes
    void take(const RunConfig &config, int taskMinutes);
};

// --gpus-per-node, --time and the like, then the user's own, which win.
std::vector<std::string> sbatchOptions(const JobDemand &demand, std::size_t tasks, const std::vector<std::string> &own);

// Starts a rank of the trainer's own on each task of a job of several nodes: what is put before the trainer.
// Ranks that follow each other share a node, as the mesh counts on, whatever the cluster or the job has as its default.
inline constexpr const char *kNodeByNode = "--distribution=block";

std::vector<std::string> srunPrefix(const NodeShape &shape);

// The run's own limit, else half as much again as predicted.
int slurmMinutes(const RunConfig &config, std::optional<Seconds> predicted);

// The value of an sbatch option, "--partition=gpu", "-p gpu"; empty where it is not given.
std::string optionValue(const std::vector<std::string> &options, const std::string &name, char letter);

} // namespace slipway
