// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One question to a host about run directories there: what is seen of their processes, and the new bytes of their
// files.
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
    std::int64_t size = 0; // of the whole file there
    std::int64_t from = 0; // of the first byte in `bytes`
    std::string bytes;
};

struct LookOrder {
    std::string directory;
    std::vector<std::pair<std::string, std::int64_t>> files; // name, first byte wanted
    enum class Job {
        None,
        Number,
        Asked
    } job = Job::None; // of Slurm: its number as noted there, and what the controller says
};

struct RunLook {
    bool directoryThere = false;
    RunTraces traces;
    std::vector<FilePart> files;
    Seconds clockSkew = 0;
    std::string job;        // of the last attempt, as its start noted it
    bool jobSought = false; // it was not noted, and the controller has none of the last attempt
    std::string jobSays;    // scontrol's line; empty: not asked, or no answer
    std::string jobProblem; // what it said in place of one
};

// Many runs in one question, so that one connection and one question to Slurm's controller do for all; an answer for
// each.
Result<std::vector<RunLook>> lookAtRuns(Shell &shell, const std::vector<LookOrder> &orders);
// What the script printed; see host_probe.h. `now` and `wait` as there.
Result<std::vector<RunLook>> parseLooks(const std::string &output, Seconds now, Seconds wait);

} // namespace slipway
