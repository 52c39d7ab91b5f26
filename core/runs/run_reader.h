// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads all data of one run directory and updates it by polling. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "predict/prediction.h"
#include "runs/follower.h"
#include "runs/liveness.h"
#include "runs/log_follower.h"
#include "runs/run_directory.h"
#include "runs/step_table.h"

namespace slipway {

// A line that was skipped, because a crash cut it off, or it is damaged or has a later format.
struct ReadProblem {
    std::string file;      // "metrics.jsonl"
    std::int64_t line = 0; // from 1
    std::string what;
    bool operator==(const ReadProblem &) const = default;
};

struct RunData {
    RunPaths paths;
    std::string name; // name in the configuration, else name of the directory
    RunStatus status;
    std::string configText; // contents of run.yaml
    std::optional<RunConfig> config;
    std::optional<Prediction> prediction;
    StepTable metrics;                        // by ascending step; for a repeated step, that of the latest attempt
    std::vector<StepMetrics> superseded;      // steps of earlier attempts that were repeated, in file order
    std::map<std::string, double> evalLosses; // latest loss per named evaluation set
    std::vector<RunEvent> events;
    std::vector<ReadProblem> problems; // the first kMostProblems
    std::int64_t problemCount = 0;

    [[nodiscard]] RunState state() const { return status.state; }
    // The number of steps that the run will take: from `steps`, else from its token budget. Empty if the directory does
    // not contain it.
    [[nodiscard]] std::optional<std::int64_t> totalSteps() const;
};

// What a poll changed, so that a view redraws only that.
struct RunChange {
    bool metrics = false, events = false, status = false, config = false, log = false;
    bool restarted = false;      // the metrics were replaced, so that indices into them are invalid
    std::size_t metricsFrom = 0; // with `metrics`: the first index that is new or has changed
    std::string logText;         // text appended to out.log
    bool more = false;           // the rest is read by the next poll
    [[nodiscard]] bool any() const { return metrics || events || status || config || log || restarted; }
};

// Limits on memory and time for one run, whatever its files contain. Data beyond the limits is left out and reported.
struct ReadLimits {
    std::size_t values = std::size_t{1} << 28; // in all columns of the steps: 2 GiB
    std::size_t superseded = 200'000;          // number of steps
    std::size_t events = 100'000;
    Bytes eventBytes = 64 * kMiB;
    Bytes perPoll = 256 * kMiB; // per file; the rest is read by the next poll
};

class RunReader {
public:
    static constexpr std::size_t kMostProblems = 20;

    // Ends: reads only the first and the last steps of a long metrics file, for lists of runs; each poll reads them
    // again.
    enum class Extent { Whole, Ends };
    explicit RunReader(std::filesystem::path directory, Extent extent = Extent::Whole, const ReadLimits &limits = {});

    // Reads new data. Fails only if the directory itself cannot be read.
    Result<RunChange> poll();
    [[nodiscard]] const RunData &run() const & { return m_run; }
    [[nodiscard]] RunData run() && { return std::move(m_run); }

private:
    void readConfig(RunChange &change);
    void readPrediction(RunChange &change);
    void followLog(RunChange &change);
    Result<void> readMetrics(RunChange &change);
    void forgetMetrics(RunChange &change);
    void supersede(const StepMetrics &metrics);
    Result<void> readEnds(RunChange &change);
    Result<void> readEvents(RunChange &change);
    Result<void> readLog(RunChange &change);
    struct ReadPiece;
    static ReadPiece readPiece(std::string bytes);
    void takeMetrics(ReadPiece piece, RunChange &change);
    void addMetrics(const StepMetrics &metrics, RunChange &change);
    void addProblem(const char *file, std::int64_t line, std::string what);

    RunData m_run;
    Extent m_extent;
    ReadLimits m_limits;
    LineFollower m_metrics, m_events;
    FileFollower m_log;
    std::optional<LogFollower> m_script; // for a run whose steps come only from a log
    bool m_scriptFailed = false;         // following has failed, and this was reported
    std::int64_t m_metricsLine = 0, m_eventsLine = 0;
    Bytes m_eventBytes = 0;
    // The limit was reached, and this was reported.
    bool m_metricsFull = false, m_eventsFull = false, m_supersededFull = false;
    std::optional<std::filesystem::file_time_type> m_configTime, m_predictionTime;
};

// Reads a finished or active run once.
Result<RunData> readRun(const std::filesystem::path &directory, RunReader::Extent extent = RunReader::Extent::Whole);

// The last lines of err.log, which explain why a run failed if its trainer could report it; for another training
// script, whose two outputs are in one file, those of out.log. Very long lines are cut to their end.
std::string lastErrors(const RunPaths &paths, std::size_t lines);

} // namespace slipway
