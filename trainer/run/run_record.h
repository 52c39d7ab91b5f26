// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the first rank keeps of a run: its lines in metrics.jsonl and events.jsonl, its checkpoints, and what it prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "exec/executor.h"
#include "run/journal.h"
#include "run/run_job.h"
#include "run/run_loop.h"
#include "state/checkpoint.h"

namespace slipway {

// Where a run stands between two steps.
struct RunPosition {
    std::int64_t step = 0;     // finished
    Tokens tokens = 0;         // seen by all ranks
    std::uint64_t samples = 0; // drawn by all ranks
    bool operator==(const RunPosition &) const = default;
};

// The weights of an executor as checkpoints know them.
std::vector<CheckpointTensor> checkpointTensors(const Executor &executor);

class RunRecord {
public:
    RunRecord(const RunJob &job, const RunOptions &options, Journal journal);

    // From the newest checkpoint that is whole; the start where there is none or `resume` is off.
    // Into the executor's views of its weights.
    Result<RunPosition> restore(const Executor &executor);
    Result<void> started(const RunPosition &position);
    Result<void> step(StepMetrics metrics);
    Result<void> event(std::string kind, const std::string &message, std::int64_t step);
    // Refused, with an alert in its place, where the newest step was not finite: good checkpoints are not pushed out by it.
    Result<void> checkpoint(const RunPosition &position, Executor &executor);
    [[nodiscard]] std::int64_t newestStep() const { return m_newestStep; }
    void say(const std::string &line) const;
    void warn(const std::string &line) const;

private:
    [[nodiscard]] std::string progressLine(const StepMetrics &metrics) const;

    const RunJob &m_job;
    const RunOptions &m_options;
    Journal m_journal;
    CheckpointStore m_checkpoints;
    bool m_finite = true; // loss and gradients of the newest step
    std::int64_t m_newestStep = 0;
    std::int64_t m_checkpointStep = -1;
    std::chrono::steady_clock::time_point m_printed{};
};

} // namespace slipway
