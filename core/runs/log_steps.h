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

// A step of the log, perhaps not complete yet.
struct LoggedStep {
    std::int64_t step = -1; // -1: not said yet
    double time = 0;        // seconds since 1970
    LogFigures figures;
};

struct LogStepsState {
    int attempt = 0;
    std::int64_t last = -1;         // the last step of this attempt that was given out; -1: none
    double lastTime = 0;            // of it, seconds since 1970
    std::optional<LoggedStep> open; // may get more figures, or its step
    std::optional<LoggedStep> held; // was open when the log was written anew, which may tell more of it
    std::vector<LoggedStep> behind; // rise, and are not after the last one: echoes, or a new start
    LogFigures carried;             // of no step; the next one takes them
    std::int64_t barTotal = 0;
    std::vector<int> columns;      // of a CSV table: a LogQuantity each, -1 for none; empty: no table
    std::int64_t lines = 0;        // with anything in them
    std::int64_t steps = 0;        // given out
    std::vector<std::string> seen; // the first lines without a figure
    bool toldNothing = false;
};

nlohmann::ordered_json toJson(const LogStepsState &state);
// Of damaged text a fresh state.
LogStepsState logStepsStateFromJson(const nlohmann::json &json);

class LogSteps {
public:
    // After this many lines without a step, complaint() says that the grammar matches nothing.
    static constexpr std::int64_t kPatience = 100;
    static constexpr std::size_t kMostTold = 5'000'000; // steps

    // Refused where the user's own expression is none.
    static Result<LogSteps> make(const ScriptRules &rules);

    [[nodiscard]] const LogStepsState &state() const { return m_state; }
    void setState(LogStepsState state) { m_state = std::move(state); }

    // `time`: when the line was written, seconds since 1970. Steps that are complete are appended to `steps`.
    void take(std::string_view line, double time, std::vector<StepMetrics> &steps);
    // The same of figures that have names: they may come one by one, until the next step begins.
    void takeValues(const LoggedValues &values, double time, std::vector<StepMetrics> &steps);
    // The log begins anew. A step with the same loss as before is left out, if setTold() has given the earlier steps.
    void beginLog();
    void setTold(std::unordered_map<std::int64_t, double> lossOfStep) { m_told = std::move(lossOfStep); }
    // The script was started again.
    void beginAttempt(int attempt, std::vector<StepMetrics> &steps);
    // There are no more lines.
    void finish(std::vector<StepMetrics> &steps);
    // Once, when lines came and no step: a sentence with what was seen.
    [[nodiscard]] std::optional<std::string> complaint();

private:
    explicit LogSteps(ScriptRules rules) : m_rules(std::move(rules)) {}
    [[nodiscard]] bool takeTable(std::string_view line, double time, std::vector<StepMetrics> &steps);
    void takeFigures(LogFigures figures, double time, std::vector<StepMetrics> &steps);
    void takeStep(std::int64_t step, const LogFigures &figures, double time, std::vector<StepMetrics> &steps);
    [[nodiscard]] bool wasTold(const LoggedStep &step) const;
    void closeOpen(std::vector<StepMetrics> &steps);
    void closeHeld(std::vector<StepMetrics> &steps);
    void close(LoggedStep step, std::vector<StepMetrics> &steps);
    void giveOut(LoggedStep step, std::vector<StepMetrics> &steps);
    [[nodiscard]] StepMetrics metricsOf(const LoggedStep &step) const;

    ScriptRules m_rules;
    std::optional<LogPattern> m_pattern;
    LogStepsState m_state;
    std::optional<std::unordered_map<std::int64_t, double>> m_told;
};

} // namespace slipway
