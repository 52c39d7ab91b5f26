// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// metrics.jsonl and events.jsonl of a run, as its only writer sees them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "run/append_file.h"
#include "runs/run_directory.h"

namespace slipway {

// How far the files of a journal reach. Two such places are in an order that no clock can change.
struct JournalEnd {
    std::int64_t metrics = 0, events = 0; // bytes
    static JournalEnd of(const RunPaths &paths);
};

class Journal {
public:
    // The caller holds the run's lock. `attempt` is one more than the highest that the files speak of, 0 in new ones.
    static Result<Journal> open(const RunPaths &paths);
    // For the last event of an attempt that cannot write any more and that began when the journal ended at `since`: of
    // that attempt, whether it wrote or not.
    static Result<Journal> openAfter(const RunPaths &paths, const JournalEnd &since);

    [[nodiscard]] int attempt() const { return m_attempt; }
    Result<void> write(StepMetrics metrics); // fills in attempt and time
    Result<void> event(std::string kind, std::string message, std::optional<std::int64_t> step = std::nullopt,
        std::string_view reason = {});

private:
    static Result<Journal> openAs(const RunPaths &paths, int attempt);
    Journal(AppendFile metrics, AppendFile events, int attempt)
        : m_metrics(std::move(metrics)),
          m_events(std::move(events)),
          m_attempt(attempt)
    {
    }
    AppendFile m_metrics, m_events;
    int m_attempt;
};

// Whether a run directory holds steps that a new start would mix with its own.
bool hasSteps(const RunPaths &paths);

} // namespace slipway
