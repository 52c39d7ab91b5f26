// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts the log of another training script to the run's metrics.jsonl. Each step is written exactly once, with any
// number of readers and after any interruption. script.state stores the position. Memory is bounded for any length of
// lines and logs.
#pragma once

#include <optional>

#include "base/result.h"
#include "runs/log_clock.h"
#include "runs/log_records.h"
#include "runs/log_steps.h"
#include "runs/run_directory.h"

namespace slipway {

class LogFollower {
public:
    static constexpr std::size_t kStepsAtOnce = 20'000; // approximate number of steps per call of follow

    explicit LogFollower(RunPaths paths);

    // Reads new data of the log. `ended`: nothing is appended any more, so a last line without a line end is complete.
    // Returns whether there is more to read. Does nothing while another process follows the same run.
    Result<bool> poll(bool ended);
    // Called when the log begins again on another host. The steps that were read remain.
    Result<void> beginLogAgain();

private:
    struct State {
        std::int64_t offset = 0;  // of the first byte that was not processed
        std::int64_t metrics = 0; // valid bytes of metrics.jsonl
        double written = 0;       // modification time of the log when it was last read, in seconds since 1970
        bool longLine = false;    // the next bytes continue a line whose begin was processed
        std::int64_t skip = 0;    // number of further bytes that belong to a skipped record
        // Checksums of the first bytes of the log and of the bytes before the offset, which detect that the log was
        // rewritten.
        std::int64_t headBytes = 0, tailBytes = 0;
        std::uint32_t headSum = 0, tailSum = 0;
        std::int64_t generation = 0; // generation in LogClock of the log that the offset refers to
        bool again = false;          // the log was rewritten, so it may repeat steps that metrics.jsonl already has
        bool damaged = false;        // it was reported that the rest of the log cannot be read
        LogStepsState steps;
    };
    [[nodiscard]] State readState() const;
    [[nodiscard]] Result<void> writeState(const State &state) const;
    Result<bool> follow(State &state, bool ended);
    struct Log; // the opened file
    [[nodiscard]] Result<Log> openLog(const std::filesystem::path &path, std::int64_t from = 0, std::int64_t end = -1);
    Result<bool> takeKept(const KeptLog &kept, State &state, bool &waits);
    void beginLog(State &state);
    [[nodiscard]] static std::uint32_t sumBefore(const Log &log, std::int64_t offset, std::int64_t bytes);
    [[nodiscard]] static bool isNewLog(const State &state, const Log &log);
    [[nodiscard]] bool clockStopped() const;
    [[nodiscard]] std::int64_t readyBytes(const State &state, std::int64_t size, bool ended);
    struct Taken {
        std::vector<StepMetrics> steps;
        bool more = false, changed = false;
    };
    Result<Taken> takeLog(const Log &log, std::int64_t ready, bool ended, State &state);
    Result<Taken> takeTrainerState(const Log &log, std::int64_t ready, State &state);
    void takeRecords(std::string_view bytes, LogFormat format, State &state, std::vector<StepMetrics> &steps);
    void beginAttemptAt(std::int64_t offset, std::vector<StepMetrics> &steps);
    void recallSteps(const State &state);
    void takeBytes(std::string_view bytes, bool last, State &state, std::vector<StepMetrics> &steps);
    void takeLine(std::string_view line, std::int64_t at, std::vector<StepMetrics> &steps);
    Result<bool> keep(Taken taken, const Log &log, State &state);
    Result<void> append(std::vector<StepMetrics> &steps, State &state) const;

    RunPaths m_paths;
    ScriptRules m_rules;
    std::optional<LogSteps> m_steps;
    LogClock m_clock;
    const LogTimes *m_times = nullptr; // times of the log that is being read
    double m_written = 0;              // modification time of the log, in seconds since 1970
    bool m_recalled = false;           // the steps in metrics.jsonl were read after the log was rewritten
};

} // namespace slipway
