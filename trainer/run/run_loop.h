// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Trains what a RunJob asks for, from its newest checkpoint or from the start, to its last step or until it is asked to
// stop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "comm/lone_watch.h"
#include "comm/rendezvous.h"
#include "run/run_job.h"

namespace slipway {

inline constexpr int kExitNotFinite = 6; // loss or gradients
// Exit status of the program after a failure (contract, section 4).
int exitStatusOf(Fault fault);

struct RunOptions {
    bool resume = false;
    std::optional<bool> stopOnNan = std::nullopt;     // empty: as run.yaml says
    int threads = 0;                                  // of all ranks; 0: as many as the machine has cores
    std::function<void(const std::string &)> print;   // progress, a line each; empty: silent
    std::function<void(const std::string &)> warn;    // what went wrong and was survived
    Seconds peerTimeout = deadline::kPeer;            // of ranks as threads
    Seconds stallTimeout = LoneWatch::kSilence;       // of a rank that is alone
    std::function<void(const Error &)> lastWord = {}; // of a rank that hangs and is to end; from another thread
};

// All ranks as threads of this process. Whatever of pgid, rc and prediction.json a launch has not written is written
// too. The program's exit status: 0 done, 6 where a loss or gradient norm was not finite, 124 time limit, 130 or 143
// stopped. A failure is in events.jsonl too.
Result<int> train(const RunJob &job, const RunOptions &options);
// This process is one rank; the others are met at the rendezvous. The first one keeps the record.
Result<int> trainAsRank(const RunJob &job, const RunOptions &options, const Rendezvous &rendezvous);

} // namespace slipway
