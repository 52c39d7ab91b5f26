// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What one rank of a run does, from its start or its newest checkpoint to its end.
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
#include "run/stop_watch.h"

namespace slipway {

// Carries an Error out of a rank, past the collectives that other ranks wait in.
struct RankFailure : std::runtime_error {
    explicit RankFailure(Error e) : std::runtime_error(e.message()), error(std::move(e)) {}
    Error error;
};

// What is evaluated apart, each a mean of its own; the name may be empty.
struct EvaluationSet {
    std::string name;
    TokenSource data;
};

// What a rank reads; several threads may share it.
struct RankRun {
    const RunJob &job;
    const RunOptions &options;
    const TokenSource &data;
    std::span<const EvaluationSet> evaluations; // empty: no evaluation
    std::optional<DocumentMarks> documents;     // by which they are kept apart; empty: packed
    const StopWatch &stopWatch;
    RunRecord *record = nullptr; // the first rank's; null elsewhere
};

// The exit status, the same on every rank. Throws RankFailure, PeerFailed, and what LibTorch throws.
int runRank(const RankRun &run, Communicator &communicator);

} // namespace slipway
