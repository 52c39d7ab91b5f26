// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "config/choice_names.h"
#include "report/report.h"
#include "report/report_tables.h"
#include "runs/attempt_spans.h"
#include "runs/imported_run.h"
#include "runs/labels.h"
#include "runs/loss_text.h"

namespace slipway {

namespace {

constexpr std::size_t kMostEvents = 200;

std::string headline(const RunData &run, const RunSummary &summary)
{
    const bool cancelled = run.state() == RunState::Cancelled; // then the exit status only repeats the signal
    std::string text = titleCase(enumName(run.state()));
    if (!cancelled && run.status.exitStatus && *run.status.exitStatus != 0)
        text += fmt::format(" (exit status {})", *run.status.exitStatus);
    text += fmt::format(" after {} steps", summary.steps);
    if (summary.tokensKnown())
        text += fmt::format(" and {} tokens", formatCount(static_cast<double>(summary.tokens)));
    if (summary.firstLoss && summary.finalLoss)
        text += fmt::format(", loss from {:.3f} to {:.3f}", *summary.firstLoss, *summary.finalLoss);
    return text + "." + (run.status.detail.empty() ? "" : " " + titleCase(run.status.detail) + ".");
}

// The tags and notes of the run. Empty if it has none.
std::optional<ReportSection> labelsSection(const RunData &run)
{
    const Labels launched =
        run.config ? Labels{.tags = run.config->training.tags, .notes = run.config->training.notes} : Labels();
    const Labels labels = readLabels(run.paths, launched);
    if (labels.notes.empty() && labels.tags.empty())
        return std::nullopt;
    ReportSection section{.title = labels.notes.empty() ? "Tags" : "Notes"};
    std::istringstream lines(labels.notes);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty())
            section.paragraphs.push_back(line);
    }
    if (!labels.tags.empty())
        section.paragraphs.push_back("Tags: " + fmt::format("{}", fmt::join(labels.tags, ", ")) + ".");
    return section;
}

ReportSection comparisonSection(const RunSummary &summary)
{
    ReportSection section{.title = "Predicted and measured"};
    ReportTable table{.columns = {"Figure", "Predicted", "P10 to P90", "Measured", "Measured / predicted"},
        .numeric = {false, true, true, true, true}};
    for (const Comparison &one : summary.comparisons) {
        if (!one.predicted && !one.measured)
            continue;
        const std::string range =
            one.predictedP10 && one.predictedP90
                ? formatRange(formatInUnit(one.predictedP10, one.unit), formatInUnit(one.predictedP90, one.unit))
                : "";
        table.rows.push_back({one.name, formatInUnit(one.predicted, one.unit), range,
            formatInUnit(one.measured, one.unit), one.ratio() ? fmt::format("{:.3f}", *one.ratio()) : ""});
    }
    if (summary.steadyTokensPerSecond || summary.steadyStepSeconds)
        section.paragraphs.push_back(speedSentence());
    section.tables.push_back(std::move(table));
    return section;
}

bool anyOf(const RunData &run, const std::function<bool(const StepMetrics &)> &holds)
{
    for (const StepMetrics &step : run.metrics) {
        if (holds(step))
            return true;
    }
    return false;
}

ReportSection curvesSection(const RunData &run)
{
    const double nan = std::nan("");
    ReportSection section{.title = "Curves"};
    ReportFigure loss{.title = "Loss", .xLabel = "step", .yLabel = "nats per token"};
    loss.series.push_back(curveOverSteps(run, "training", [](const StepMetrics &m) { return m.loss; }));
    if (anyOf(run, [](const StepMetrics &m) { return m.evalLoss.has_value(); })) {
        ReportSeries evaluation{.name = "evaluation"};
        for (const StepMetrics &step : run.metrics) {
            if (!step.evalLoss)
                continue;
            evaluation.x.push_back(static_cast<double>(step.step));
            evaluation.y.push_back(*step.evalLoss);
        }
        loss.series.push_back(std::move(evaluation));
    }
    section.figures.push_back(std::move(loss));

    if (run.metrics.measured({Quantity::TokensPerSecond})) {
        ReportFigure speed{.title = "Speed", .xLabel = "step", .yLabel = "tokens/s"};
        speed.series.push_back(curveOverSteps(run, "measured", [](const StepMetrics &m) { return m.tokensPerSecond; }));
        if (run.prediction) {
            speed.limit = run.prediction->speed.tokensPerSecond;
            speed.limitLabel = "predicted";
        }
        section.figures.push_back(std::move(speed));
    }

    if (anyOf(run, [](const StepMetrics &m) { return m.allocatedPeak.has_value(); })) {
        Bytes most = run.prediction ? run.prediction->memory.peakAllocated : 0;
        for (const StepMetrics &step : run.metrics)
            most = std::max(most, step.allocatedPeak.value_or(0));
        const ByteUnit unit = byteUnit(static_cast<double>(most));
        ReportFigure memory{.title = "Memory", .xLabel = "step", .yLabel = std::string(unit.name)};
        memory.series.push_back(curveOverSteps(run, "peak allocated", [=](const StepMetrics &m) {
            return m.allocatedPeak ? static_cast<double>(*m.allocatedPeak) / unit.bytes : nan;
        }));
        if (run.prediction) {
            memory.limit = static_cast<double>(run.prediction->memory.peakAllocated) / unit.bytes;
            memory.limitLabel = "predicted";
        }
        section.figures.push_back(std::move(memory));
    }
    return section;
}

// All tokens divided by the time of all steps, the slow ones and the first ones too.
std::string meanThroughput(const RunSummary &summary)
{
    if (summary.tokens <= 0 || !(summary.trainedSeconds > 0))
        return "unknown";
    return formatCount(static_cast<double>(summary.tokens) / summary.trainedSeconds) +
           " tokens/s over the time in steps";
}

ReportSection historySection(const RunData &run, const RunSummary &summary)
{
    ReportSection section{.title = "History"};
    const auto known = [](bool isKnown, const std::string &text) { return isKnown ? text : "unknown"; };
    section.tables.push_back({.columns = {"Figure", "Value"},
        .rows = {{"Directory", run.paths.directory.string()}, {"First step", known(summary.timed, summary.firstTime)},
            {"Last step", known(summary.timed, summary.lastTime)}, {"Attempts", std::to_string(summary.attempts)},
            {"Elapsed time", known(summary.elapsedKnown(), formatSeconds(summary.wallSeconds))},
            {"Time in steps",
                known(run.metrics.empty() || summary.trainedSeconds > 0, formatSeconds(summary.trainedSeconds))},
            {"Mean throughput", meanThroughput(summary)}, {"Unreadable lines", std::to_string(run.problemCount)}},
        .numeric = {false, false}});
    if (const Interruptions lost = interruptionsOf(run); lost.count > 0) {
        section.tables.back().rows.push_back({"Lost to interruptions", interruptionsText(lost)});
        section.tables.back().rows.push_back({"Goodput", goodputText(lost)});
    }
    if (!summary.finalEvalLosses.empty()) {
        ReportTable sets{.title = "Evaluation sets", .columns = {"Set", "Loss"}, .numeric = {false, true}};
        for (const auto &[name, loss] : summary.finalEvalLosses)
            sets.rows.push_back({name, lossText(loss)});
        section.tables.push_back(std::move(sets));
    }
    if (run.events.empty())
        return section;
    ReportTable events{.title = "Events",
        .columns = {"Time", "Attempt", "Step", "Kind", "What"},
        .numeric = {false, true, true, false, false}};
    const std::size_t first = run.events.size() > kMostEvents ? run.events.size() - kMostEvents : 0;
    for (std::size_t i = first; i < run.events.size(); ++i) {
        const RunEvent &event = run.events[i];
        events.rows.push_back({event.time, std::to_string(event.attempt), event.step ? std::to_string(*event.step) : "",
            event.kind, event.message});
    }
    if (first > 0)
        section.paragraphs.push_back(fmt::format("The last {} of {} events.", kMostEvents, run.events.size()));
    section.tables.push_back(std::move(events));
    return section;
}

} // namespace

Report runReport(const RunData &run)
{
    const RunSummary summary = summaryOf(run);
    Report report{.title = "Run: " + run.name, .headline = headline(run, summary)};
    if (run.prediction) {
        const RunConfig &config = run.prediction->config;
        report.subtitle = fmt::format("{} on {} x {}, {}micro-batch {} of {} tokens, {}", run.prediction->model.name,
            config.parallel.gpus, config.gpu, strategyInList(config.parallel), config.microBatch, config.seqLen,
            choiceName("precision", enumName(config.precisionOrMixed())));
    }
    if (const std::optional<ReportSection> said = labelsSection(run))
        report.sections.push_back(*said);
    report.sections.push_back(comparisonSection(summary));
    if (!run.metrics.empty())
        report.sections.push_back(curvesSection(run));
    report.sections.push_back(historySection(run, summary));
    if (isImported(run.paths)) {
        report.sections.push_back(
            {.title = "Configuration", .paragraphs = {"The settings are not known: the run was imported."}});
    } else if (run.config) {
        report.sections.push_back(configurationSection(*run.config, true));
        report.sections.push_back(settingsAppendix(*run.config, true));
    }
    return report;
}

} // namespace slipway
