// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Trains a RunJob, from its latest checkpoint or from the start, to its last step or until it is asked to stop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "comm/stall_detector.h"
#include "comm/rendezvous.h"
#include "run/run_job.h"

namespace slipway {

inline constexpr int kExitNotFinite = 6; // the loss or the gradient norm was not finite
// Exit status of the program after a failure (docs/guide/trainer.md).
int exitStatusOf(Fault fault);

struct RunOptions {
    bool resume = false;
    std::optional<bool> stopOnNan = std::nullopt;         // empty: as in run.yaml
    int threads = 0;                                      // number for all ranks; 0: one per core
    std::function<void(const std::string &)> print;       // receives lines of progress; empty: silent
    std::function<void(const std::string &)> warn;        // receives warnings
    Seconds peerTimeout = deadline::kPeer;                // for ranks that are threads
    Seconds stallTimeout = StallDetector::kSilence;       // for a single rank
    std::function<void(const Error &)> onFatalError = {}; // called from another thread if a hanging rank must be ended
};

// Runs all ranks as threads of this process. Writes pgid, rc and prediction.json if no launch has done so. Returns the
// exit status: 0 done, 6 the loss or gradient norm was not finite, 124 time limit, 130 or 143 stopped. A failure is
// also in events.jsonl.
Result<int> train(const RunJob &job, const RunOptions &options);
// Runs one rank in this process, which joins the others by the rendezvous. The first rank writes the run's files.
Result<int> trainAsRank(const RunJob &job, const RunOptions &options, const Rendezvous &rendezvous);

} // namespace slipway
