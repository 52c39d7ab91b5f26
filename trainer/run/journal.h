// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The writer of metrics.jsonl and events.jsonl of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "run/append_file.h"
#include "runs/run_directory.h"

namespace slipway {

// The sizes of the journal's files. They order two points in time independently of the clock.
struct JournalEnd {
    std::int64_t metrics = 0, events = 0; // bytes
    static JournalEnd of(const RunPaths &paths);
};

class Journal {
public:
    // The caller must hold the run's lock. The attempt is one more than the highest in the files, or 0 in new files.
    static Result<Journal> open(const RunPaths &paths);
    // For the last event of an attempt that can no longer write it. The attempt is the one that began when the journal
    // ended at `since`, even if it has written nothing.
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

// Whether a run directory has metrics of steps, which a new start would mix with its own.
bool hasSteps(const RunPaths &paths);

} // namespace slipway
