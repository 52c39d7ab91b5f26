// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on another host has its original directory there and a local copy, which all code reads. In the copy,
// remote.json records where the run is, and standing.json its last known state.
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

// remote.json: written before the first start, and changed only by a later start.
struct RemoteRun {
    std::string host;                 // a name that makeHost accepts: "node7", "slurm:cluster", "slurm:local"
    std::string directory;            // absolute path on the host
    std::string trainer;              // path on the host
    std::vector<std::string> options; // options of sbatch
    bool operator==(const RemoteRun &) const = default;
};

// standing.json: the last answer of the host, and since when it has not answered.
struct KnownStatus {
    RunStatus status;
    std::string seen;        // time of the last answer, ISO 8601, by the local clock
    std::string unreachable; // why a later query failed; empty: it did not
    Seconds clockSkew = 0;   // the host's clock minus the local clock
    bool operator==(const KnownStatus &) const = default;
};

std::filesystem::path remoteRunFile(const RunPaths &paths);
bool isRemoteRun(const RunPaths &paths);
Result<RemoteRun> readRemoteRun(const RunPaths &paths);
Result<void> writeRemoteRun(const RunPaths &paths, const RemoteRun &run);
std::optional<KnownStatus> readKnownStatus(const RunPaths &paths);
Result<void> writeKnownStatus(const RunPaths &paths, const KnownStatus &known);

// For a run on several machines: the copy of a node's files, in the folder `nodes` of the local copy; the first node's
// files are in the copy itself.
RunPaths pathsOfNode(const RunPaths &paths, std::size_t node);
// The node whose failure ended the run on the other nodes, and when they were stopped: "1 2026-01-02T03:04:05.678Z".
struct NodesEnded {
    std::size_t node = 0;
    std::chrono::system_clock::time_point time;
};
std::filesystem::path nodesEndedFile(const RunPaths &paths);
std::optional<NodesEnded> readNodesEnded(const RunPaths &paths);

// The state of a copy: the last answer if it was a final state or is recent; otherwise unknown, with the age of the
// answer.
RunStatus statusOfCopy(const RunPaths &paths, std::chrono::system_clock::time_point now);

// Converts the local time `now` to the clock of the host that writes the times of the run, from which ages must be
// computed.
std::chrono::system_clock::time_point nowOnHostOf(const RunPaths &paths, std::chrono::system_clock::time_point now);

} // namespace slipway
