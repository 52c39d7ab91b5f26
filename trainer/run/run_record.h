// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the first rank records of a run: metrics.jsonl, events.jsonl, checkpoints, and the printed progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "run/journal.h"
#include "run/run_job.h"
#include "run/run_loop.h"
#include "state/checkpoint.h"

namespace slipway {

// The position of a run between two steps.
struct RunPosition {
    std::int64_t step = 0;     // last finished step
    Tokens tokens = 0;         // processed by all ranks
    std::uint64_t samples = 0; // drawn by all ranks
    bool restored = false;     // restored from a checkpoint; a checkpoint of step 0 has imported weights
    bool operator==(const RunPosition &) const = default;
};

class RunRecord {
public:
    RunRecord(const RunJob &job, const RunOptions &options, Journal journal);

    // The position of the latest complete checkpoint; the start of the run if there is none, or without `resume`.
    Result<RunPosition> restore(const std::function<void()> &reportProgress);
    Result<void> started(const RunPosition &position);
    // Records the memory on the first rank's device before its arena was allocated.
    Result<void> outsideMemory(const OutsideMemory &outside);
    Result<void> step(StepMetrics metrics);
    Result<void> event(std::string kind, const std::string &message, std::int64_t step, std::string_view reason = {});
    [[nodiscard]] CheckpointManifest manifestOf(const RunPosition &position) const;
    Result<void> checkpointWritten(const SavedCheckpoint &saved);
    [[nodiscard]] std::int64_t newestStep() const { return m_newestStep; }
    void say(const std::string &line) const;
    void warn(const std::string &line) const;

private:
    Result<void> settle(const SavedCheckpoint &saved, std::ptrdiff_t damaged);
    [[nodiscard]] std::string progressLine(const StepMetrics &metrics) const;

    const RunJob &m_job;
    const RunOptions &m_options;
    Journal m_journal;
    CheckpointStore m_checkpoints;
    bool m_finite = true; // whether loss and gradients of the last step are finite
    std::int64_t m_newestStep = 0;
    std::chrono::steady_clock::time_point m_printed{};
};

} // namespace slipway
