// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Slurm's controller says about a job, and how the run stands by that and its directory.
#pragma once

#include <string>

#include "hosts/run_look.h"
#include "runs/remote_run.h"

namespace slipway {

struct SlurmJob {
    std::string state;      // "PENDING"; empty: the controller said nothing
    std::string reason;     // "Resources"
    std::string estimate;   // when it may start, as Slurm thinks; empty: it does not say
    bool forgotten = false; // the controller answered that it knows no such job
    std::string problem;    // why it said nothing
    bool operator==(const SlurmJob &) const = default;
};

// A line of `scontrol -o show job`, or of squeue in the same form, or what they said in its place.
SlurmJob parseSlurmJob(const std::string &line, const std::string &problem);

// The reason in plain words: "waits until nodes are free".
std::string plainReason(const std::string &reason);

// rc decides; else the controller; else what was known before.
RunStanding slurmStanding(const RunLook &look, const SlurmJob &job, const KnownStanding &before);

} // namespace slipway
