// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Queries a host for run directories there: the state of their processes, and the new bytes of their files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/shell.h"
#include "runs/liveness.h"

namespace slipway {

struct FilePart {
    std::string name;      // "metrics.jsonl"
    std::int64_t size = 0; // size of the whole file on the host
    std::int64_t from = 0; // offset of the first byte in `bytes`
    std::string bytes;
};

struct RunQuery {
    std::string directory;
    std::vector<std::pair<std::string, std::int64_t>> files; // file name, and offset of the first byte to return
    enum class Job {
        None,
        Number,
        Asked
    } job = Job::None; // for Slurm: return the job number noted there, or also what the controller reports
};

struct RunQueryResult {
    bool directoryExists = false;
    RunFacts facts;
    std::vector<FilePart> files;
    Seconds clockSkew = 0;
    std::string job;          // job number of the last attempt, as it was noted at the start
    bool jobNotFound = false; // no number was noted, and the controller knows no job of the last attempt
    std::string jobRecord;    // scontrol's line; empty: not queried, or no answer
    std::string jobProblem;   // the controller's message in place of an answer
};

// Queries many runs at once, so that one connection and one call of Slurm's controller suffice. Returns one answer per
// run.
Result<std::vector<RunQueryResult>> queryRuns(Shell &shell, const std::vector<RunQuery> &queries);
// Parses the output of the query's script. `now` and `wait`: as for parseProbe in host_probe.h.
Result<std::vector<RunQueryResult>> parseRunQueries(const std::string &output, Seconds now, Seconds wait);

} // namespace slipway
