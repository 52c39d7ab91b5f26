// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts lines of a training log to steps for metrics.jsonl. Several ranks may print the same line, and lines may be
// out of order or begin again at an earlier step. The state is stored next to the log, so that reading can continue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "frameworks/log_line.h"
#include "runs/log_records.h"
#include "runs/run_directory.h"
#include "runs/script_rules.h"

namespace slipway {

// A step of the log, which may be incomplete.
struct LoggedStep {
    std::int64_t step = -1; // -1: not known yet
    double time = 0;        // seconds since 1970
    LogFigures figures;
};

struct LogStepsState {
    int attempt = 0;
    std::int64_t last = -1;         // the last step of this attempt that was returned; -1: none
    double lastTime = 0;            // time of this step, in seconds since 1970
    std::optional<LoggedStep> open; // may still get figures, or its step number
    std::optional<LoggedStep> held; // was open when the log was rewritten, which may add figures to it
    std::vector<LoggedStep> behind; // ascending and not after `last`: repeated lines, or a restart
    LogFigures carried;             // figures without a step, which are added to the next one
    std::int64_t barTotal = 0;
    std::vector<int> columns;      // for a CSV table: a LogQuantity per column, -1 for none; empty: not a table
    std::int64_t lines = 0;        // number of lines that are not empty
    std::int64_t steps = 0;        // number of steps that were returned
    std::vector<std::string> seen; // the first lines without figures
    bool complained = false;
};

nlohmann::ordered_json toJson(const LogStepsState &state);
// Returns the initial state if the text is damaged.
LogStepsState logStepsStateFromJson(const nlohmann::json &json);

class LogSteps {
public:
    // After this many lines without a step, complaint() says that the grammar matches nothing.
    static constexpr std::int64_t kPatience = 100;
    static constexpr std::size_t kMostReported = 5'000'000; // number of steps

    // Fails if the user's own expression is not a valid regular expression.
    static Result<LogSteps> make(const ScriptRules &rules);

    [[nodiscard]] const LogStepsState &state() const { return m_state; }
    void setState(LogStepsState state) { m_state = std::move(state); }

    // Processes a line. `time`: when the line was written, in seconds since 1970. Complete steps are appended to
    // `steps`.
    void take(std::string_view line, double time, std::vector<StepMetrics> &steps);
    // The same for figures with names, which may arrive one at a time until the next step begins.
    void takeValues(const LoggedValues &values, double time, std::vector<StepMetrics> &steps);
    // Called when the log begins again. A step with the same loss as before is then left out, if setReportedLosses()
    // has supplied the earlier steps.
    void beginLog();
    void setReportedLosses(std::unordered_map<std::int64_t, double> lossOfStep)
    {
        m_reportedLosses = std::move(lossOfStep);
    }
    // Called when the script was restarted.
    void beginAttempt(int attempt, std::vector<StepMetrics> &steps);
    // Called when there are no more lines.
    void finish(std::vector<StepMetrics> &steps);
    // A sentence that shows what was read, if lines arrived but no step; returned once.
    [[nodiscard]] std::optional<std::string> complaint();

private:
    explicit LogSteps(ScriptRules rules) : m_rules(std::move(rules)) {}
    [[nodiscard]] bool takeTable(std::string_view line, double time, std::vector<StepMetrics> &steps);
    void takeFigures(LogFigures figures, double time, std::vector<StepMetrics> &steps);
    void takeStep(std::int64_t step, const LogFigures &figures, double time, std::vector<StepMetrics> &steps);
    [[nodiscard]] bool wasReported(const LoggedStep &step) const;
    void closeOpen(std::vector<StepMetrics> &steps);
    void closeHeld(std::vector<StepMetrics> &steps);
    void close(LoggedStep step, std::vector<StepMetrics> &steps);
    void emitStep(LoggedStep step, std::vector<StepMetrics> &steps);
    [[nodiscard]] StepMetrics metricsOf(const LoggedStep &step) const;

    ScriptRules m_rules;
    std::optional<LogPattern> m_pattern;
    LogStepsState m_state;
    std::optional<std::unordered_map<std::int64_t, double>> m_reportedLosses;
};

} // namespace slipway
