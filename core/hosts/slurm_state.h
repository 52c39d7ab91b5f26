// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Slurm's controller reports about a job, and the state of the run that follows from it and from the run
// directory.
#pragma once

#include <string>

#include "hosts/run_query.h"
#include "runs/remote_run.h"

namespace slipway {

struct SlurmJob {
    std::string state;      // "PENDING"; empty: the controller did not answer
    std::string reason;     // "Resources"
    std::string estimate;   // when Slurm expects the job to start; empty: unknown
    bool forgotten = false; // the controller answered that it does not know the job
    std::string problem;    // why the controller did not answer
    bool operator==(const SlurmJob &) const = default;
};

// Parses a line of `scontrol -o show job`, or of squeue in the same format. `problem`: their error message, if they
// failed.
SlurmJob parseSlurmJob(const std::string &line, const std::string &problem);

// Explains the reason to users: "waits until nodes are free".
std::string plainReason(const std::string &reason);

// The file rc has precedence, then the controller, then the last known state.
RunStatus slurmStatus(const RunQueryResult &result, const SlurmJob &job, const KnownStatus &before);

} // namespace slipway
