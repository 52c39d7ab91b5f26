// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on another host has a directory there, which is the truth, and a copy of it here that every reader reads. The
// copy says in remote.json where the run is, and in standing.json what was known of it when it was last asked.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "runs/liveness.h"

namespace slipway {

// remote.json: written before the first start, and not changed but by a later start.
struct RemoteRun {
    std::string host;                 // as makeHost takes it: "node7", "slurm:cluster", "slurm:local"
    std::string directory;            // there, absolute
    std::string trainer;              // there
    std::vector<std::string> options; // of sbatch
    bool operator==(const RemoteRun &) const = default;
};

// standing.json: the last answer, and since when there is none.
struct KnownStanding {
    RunStanding standing;
    std::string seen;        // when that was so: ISO 8601, our clock
    std::string unreachable; // why the host could not be asked after that; empty: it could
    Seconds clockSkew = 0;   // the host's clock less ours
    bool operator==(const KnownStanding &) const = default;
};

std::filesystem::path remoteRunFile(const RunPaths &paths);
bool isRemoteRun(const RunPaths &paths);
Result<RemoteRun> readRemoteRun(const RunPaths &paths);
Result<void> writeRemoteRun(const RunPaths &paths, const RemoteRun &run);
std::optional<KnownStanding> readKnownStanding(const RunPaths &paths);
Result<void> writeKnownStanding(const RunPaths &paths, const KnownStanding &known);

// Of a run on several machines: the copy of a node's part, in the folder `nodes` of the run's copy; the first node's is
// the run's own.
RunPaths pathsOfNode(const RunPaths &paths, std::size_t node);
// The node whose part failed and ended the others, and when they were told: "1 2026-01-02T03:04:05.678Z".
struct NodesEnded {
    std::size_t node = 0;
    std::chrono::system_clock::time_point time;
};
std::filesystem::path nodesEndedFile(const RunPaths &paths);
std::optional<NodesEnded> readNodesEnded(const RunPaths &paths);

// The state of a copy: the last answer where it was an end, or is recent; else unknown, with its age.
RunStanding standingOfCopy(const RunPaths &paths, std::chrono::system_clock::time_point now);

// Our clock's `now` on the clock of the host that writes the run's times: what its ages are to be measured against.
std::chrono::system_clock::time_point nowOnHostOf(const RunPaths &paths, std::chrono::system_clock::time_point now);

} // namespace slipway
