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

class Journal {
public:
    // The caller holds the run's lock. `attempt` is one more than the highest that the files speak of, 0 in new ones.
    static Result<Journal> open(const RunPaths &paths);

    [[nodiscard]] int attempt() const { return m_attempt; }
    Result<void> write(StepMetrics metrics);  // fills in attempt and time
    Result<void> event(std::string kind, std::string message, std::optional<std::int64_t> step = std::nullopt);

private:
    Journal(AppendFile metrics, AppendFile events, int attempt) : m_metrics(std::move(metrics)), m_events(std::move(events)), m_attempt(attempt) {}
    AppendFile m_metrics, m_events;
    int m_attempt;
};

// Whether a run directory holds steps that a new start would mix with its own.
bool hasSteps(const RunPaths &paths);

} // namespace slipway
