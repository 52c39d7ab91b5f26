// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Starts a run from a configuration, and starts the next attempt of a run that has ended. The command line and the
// window share this code. stop_run.h stops a run.
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

struct RunLaunchRequest {
    RunConfig config; // paths are absolute
    // Stored in the run directory; empty if the run could not be planned.
    std::optional<Prediction> prediction;
    std::optional<std::filesystem::path> directory; // empty: a new directory in the registry
    PreflightPolicy policy = PreflightPolicy::All;
    RunMoves moves = {};     // where to continue if the host is lost
    std::string noPlan = {}; // for another training script: why there is no prediction
};

struct LaunchedRun {
    std::filesystem::path directory;
    Started started;
};

// Name of a run whose configuration gives it none: that of its model, or of the folder or file that describes the
// model.
std::string usualRunName(const RunConfig &config);

// Disk space for the checkpoints that a run keeps, and for the one being written.
Bytes checkpointDiskBytes(const Prediction &prediction);

// An error if the run has a budget and the plan has no price to compare it with.
Result<void> checkBudget(const RunLaunchRequest &request);
// An error if there are several runs, and the host starts only one at a time.
Result<void> checkRunsAtOnce(std::size_t runs, const Host &host);

// Writes run.yaml and prediction.json, checks the host and starts the trainer. A failure before the start leaves
// nothing running. A directory that already contains a run is rejected, so that no run is started twice.
Result<LaunchedRun> launchRun(const RunLaunchRequest &request, Host &host, const Registry &registry);

// The preflight checks of several launches together. Runs that need the same files are checked once, by the run that
// needs the most memory.
Preflight preflightOf(const std::vector<RunLaunchRequest> &requests, Host &host, const Registry &registry);

// Starts several runs at once with Host::startAll, each in a new directory. If a check of any of them fails, none is
// started.
Result<std::vector<LaunchedRun>> launchAll(
    const std::vector<RunLaunchRequest> &requests, Host &host, const Registry &registry);

// Starts the next attempt of a run that has ended. An error if the run is active or its state is unknown.
Result<LaunchedRun> resumeRun(const std::filesystem::path &directory, Host &host);

// Starts the next attempt of a run on another host after it has lost its own. The new host receives the files of the
// run and its latest checkpoint. `folder`: as for Host::uploadRun. `message`: text of the event that records the move.
Result<LaunchedRun> continueRun(
    const RunPaths &paths, const RunConfig &config, const std::string &folder, Host &host, const std::string &message);

} // namespace slipway
