// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The training loop of one rank.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/result.h"
#include "comm/communicator.h"
#include "data/documents.h"
#include "data/token_source.h"
#include "run/run_job.h"
#include "run/run_loop.h"
#include "run/run_record.h"
#include "run/stop_monitor.h"

namespace slipway {

// An Error as an exception, which leaves a rank's loop while other ranks wait in collectives.
struct RankFailure : std::runtime_error {
    explicit RankFailure(Error e) : std::runtime_error(e.message()), error(std::move(e)) {}
    Error error;
};

// Data with an evaluation loss of its own. The name may be empty.
struct EvaluationSet {
    std::string name;
    TokenSource data;
};

// The input of a rank. Ranks that are threads share it.
struct RankRun {
    const RunJob &job;
    const RunOptions &options;
    const TokenSource &data;
    std::span<const EvaluationSet> evaluations; // empty: no evaluation
    std::optional<DocumentMarks> documents;     // marks by which documents are separated; empty: packed
    const StopMonitor &stopMonitor;
    RunRecord *record = nullptr; // on the first rank; else null
};

// Returns the exit status, the same on all ranks. Throws RankFailure, PeerFailed and LibTorch's exceptions.
int runRank(const RankRun &run, Communicator &communicator);

} // namespace slipway
