// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From a configuration to a running run, and from an ended one to its next attempt: what the command line and the
// window both do. stop_run.h ends one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "hosts/host.h"
#include "hosts/run_moves.h"
#include "predict/prediction.h"
#include "runs/registry.h"

namespace slipway {

struct LaunchOrder {
    RunConfig config;                               // paths absolute
    std::optional<Prediction> prediction;           // kept beside the run; empty where it could not be planned
    std::optional<std::filesystem::path> directory; // empty: a new one of the registry
    Strictness strictness = Strictness::All;
    RunMoves moves = {};     // what is wanted should the host go away
    std::string noPlan = {}; // of another training script: why there is no prediction
};

struct LaunchedRun {
    std::filesystem::path directory;
    Started started;
};

// Bytes of the checkpoints that a run keeps, and of the one being written.
Bytes checkpointDiskBytes(const Prediction &prediction);

// Where a run is to end at a budget, the plan needs a price to hold it against.
Result<void> checkBudget(const LaunchOrder &order);

// Writes run.yaml and prediction.json, checks the host, starts the trainer. What fails before the
// start leaves nothing running. A directory that already holds a run is refused, so that none is started twice.
Result<LaunchedRun> launchRun(const LaunchOrder &order, Host &host, const Registry &registry);

// What a launch of all of them would miss: the host is asked once for runs that want the same files, with the one that
// needs the most memory.
Preflight preflightOf(const std::vector<LaunchOrder> &orders, Host &host, const Registry &registry);

// Several runs at once, as Host::startAll does, each in a new directory of its own. Nothing is started where one of
// them would miss something.
Result<std::vector<LaunchedRun>> launchAll(
    const std::vector<LaunchOrder> &orders, Host &host, const Registry &registry);

// Starts the next attempt of a run that has ended. An error while it is running, or if its state is unknown.
Result<LaunchedRun> resumeRun(const std::filesystem::path &directory, Host &host);

// Starts the next attempt of a run that has left its host at another one, which gets the run's files and its newest
// checkpoint. `folder`: as of Host::bring. `message`: of the event that says so.
Result<LaunchedRun> continueRun(
    const RunPaths &paths, const RunConfig &config, const std::string &folder, Host &host, const std::string &message);

} // namespace slipway
