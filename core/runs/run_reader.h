// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Everything that one run directory says, kept up to date by polling. One thread at a time.
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

// A line that was skipped: cut by a crash, damaged, or of a later format.
struct ReadProblem {
    std::string file;      // "metrics.jsonl"
    std::int64_t line = 0; // from 1
    std::string what;
    bool operator==(const ReadProblem &) const = default;
};

struct RunData {
    RunPaths paths;
    std::string name; // the configuration's name, else the directory's
    RunStanding standing;
    std::string configText; // run.yaml as it is
    std::optional<RunConfig> config;
    std::optional<Prediction> prediction;
    StepTable metrics;                        // by rising step; of a step that was repeated, the latest attempt
    std::vector<StepMetrics> superseded;      // what earlier attempts said about repeated steps, in file order
    std::map<std::string, double> evalLosses; // of named evaluation sets, the newest
    std::vector<RunEvent> events;
    std::vector<ReadProblem> problems; // the first kMostProblems of them
    std::int64_t problemCount = 0;

    [[nodiscard]] RunState state() const { return standing.state; }
    // Steps that the run is to take: from `steps`, else from its token budget. Empty where the directory does not say.
    [[nodiscard]] std::optional<std::int64_t> totalSteps() const;
};

// What a poll brought, so that a view redraws no more than it must.
struct RunChange {
    bool metrics = false, events = false, standing = false, config = false, log = false;
    bool restarted = false;      // metrics began anew: indices into them are void
    std::size_t metricsFrom = 0; // with `metrics`: those from this index on are new or have changed
    std::string logText;         // appended to out.log
    bool more = false;           // so much was written that the rest waits for the next poll
    [[nodiscard]] bool any() const { return metrics || events || standing || config || log || restarted; }
};

// What one run may take of memory and time, whatever its files hold. What is over it is left out and reported.
struct ReadLimits {
    std::size_t values = std::size_t{1} << 28; // in all columns of the steps: 2 GiB
    std::size_t superseded = 200'000;          // steps
    std::size_t events = 100'000;
    Bytes eventBytes = 64 * kMiB;
    Bytes perPoll = 256 * kMiB; // of each file; the rest waits for the next poll
};

class RunReader {
public:
    inline static constexpr std::size_t kMostProblems = 20;

    // Ends: of a long metrics file the first and the last steps, which a list of runs shows; read anew by each poll.
    enum class Extent { Whole, Ends };
    explicit RunReader(std::filesystem::path directory, Extent extent = Extent::Whole, const ReadLimits &limits = {});

    // Reads what is new. Fails only where the directory itself cannot be read.
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
    std::optional<LogFollower> m_script; // of a run whose steps its log alone tells
    bool m_scriptFailed = false;         // and reported
    std::int64_t m_metricsLine = 0, m_eventsLine = 0;
    Bytes m_eventBytes = 0;
    bool m_metricsFull = false, m_eventsFull = false, m_supersededFull = false; // and reported
    std::optional<std::filesystem::file_time_type> m_configTime, m_predictionTime;
};

// A finished or running run, read once.
Result<RunData> readRun(const std::filesystem::path &directory, RunReader::Extent extent = RunReader::Extent::Whole);

// What err.log ends with: why a run has failed, where its trainer could say so; of another training script, whose two
// outputs are one, what out.log ends with. Of very long lines the end.
std::string lastErrors(const RunPaths &paths, std::size_t lines);

} // namespace slipway
