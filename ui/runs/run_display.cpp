// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_display.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text.h"
#include "runs/alerts.h"
#include "runs/imported_run.h"
#include "runs/registry.h"
#include "ui/charts/ticks.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kSignals = 128; // an exit status above this value names a signal

const QString kNone = QStringLiteral("–");

QString inUnit(double value, const std::string &unit)
{
    if (unit == "bytes")
        return localText(formatBytes(static_cast<Bytes>(std::llround(value))));
    if (unit == "s")
        return localText(formatSeconds(value));
    if (unit == "USD")
        return localText(formatUsd(value));
    if (unit == "fraction")
        return localNumber(value * 100, 1) + QStringLiteral(" %");
    if (unit == "nats")
        return tr("%1 nats").arg(localNumber(value, 3));
    return localText(formatCount(value)) + (unit.empty() ? QString() : u' ' + coreText(unit));
}

ComparisonDisplay comparisonDisplay(const Comparison &comparison)
{
    ComparisonDisplay view{capitalized(coreText(comparison.name)), kNone, kNone, kNone, kNone, false};
    if (comparison.predicted)
        view.predicted = inUnit(*comparison.predicted, comparison.unit);
    if (comparison.measured)
        view.measured = inUnit(*comparison.measured, comparison.unit);
    if (comparison.predictedP10 && comparison.predictedP90) {
        view.range = inUnit(*comparison.predictedP10, comparison.unit) + QStringLiteral(" – ") +
                     inUnit(*comparison.predictedP90, comparison.unit);
        const auto [low, high] = std::minmax(*comparison.predictedP10, *comparison.predictedP90);
        view.outside = comparison.measured && (*comparison.measured < low || *comparison.measured > high);
    }
    if (const auto ratio = comparison.ratio())
        view.ratio = QStringLiteral("× ") + localNumber(*ratio, 2);
    return view;
}

QString predictedDetail(const QString &value) { return tr("predicted %1").arg(value); }

// While the run is in progress, its current throughput is shown beside the median, which lists and reports show too.
MetricDisplay speedFigure(const RunData &run, const Progress &progress, const RunSummary &summary)
{
    const bool now = !isTerminal(run.state()) && progress.stepSeconds.value_or(0) > 0 && run.config;
    MetricDisplay figure{.label = now ? tr("Current throughput") : tr("Median throughput"),
        .value = kNone,
        .unit = tr("tokens/s"),
        .tip = speedTip(),
        .source = Source::Measured};
    const QString median =
        summary.steadyTokensPerSecond ? localText(formatCount(*summary.steadyTokensPerSecond)) : kNone;
    QStringList details;
    if (now) {
        const double current = static_cast<double>(run.config->tokensPerStep()) / *progress.stepSeconds;
        figure.value = localText(formatCount(current));
        figure.tip = tr("From the last 50 steps, without the slowest and fastest 10 %.") + u' ' + figure.tip;
        details << tr("median %1").arg(median);
    } else {
        figure.value = median;
    }
    if (run.prediction)
        details << predictedDetail(localText(formatCount(run.prediction->speed.tokensPerSecond)));
    figure.detail = details.join(QStringLiteral(", "));
    return figure;
}

MetricDisplay lossFigure(const RunSummary &summary)
{
    MetricDisplay figure{.label = tr("Loss"), .value = kNone, .unit = tr("nats/token"), .source = Source::Measured};
    if (summary.finalLoss)
        figure.value = localNumber(*summary.finalLoss, 3);
    if (summary.finalEvalLoss)
        figure.detail = tr("evaluation %1").arg(localNumber(*summary.finalEvalLoss, 3));
    else if (summary.firstLoss)
        figure.detail = tr("started at %1").arg(localNumber(*summary.firstLoss, 3));
    figure.tip = lossTip();
    return figure;
}

MetricDisplay memoryFigure(const RunData &run, const RunSummary &summary)
{
    // A device reports what it has in use; on a processor, only the allocated memory is measured. The label says which,
    // because the plan's peak of the device is larger than that of the allocated memory.
    const bool onCpu = run.config && run.config->gpu == "cpu";
    const bool ofDevice = summary.peakDeviceUsed || (!summary.peakAllocated && !onCpu);
    MetricDisplay figure{
        .label = ofDevice ? tr("Peak memory") : tr("Peak allocated"), .value = kNone, .source = Source::Measured};
    const std::optional<Bytes> peak = ofDevice ? summary.peakDeviceUsed : summary.peakAllocated;
    if (peak)
        figure.value = localText(formatBytes(*peak));
    if (run.prediction)
        figure.detail = predictedDetail(
            localText(formatBytes(ofDevice ? run.prediction->memory.peak : run.prediction->memory.peakAllocated)));
    figure.tip = ofDevice ? tr("Memory in use as reported by the device.") : tr("Memory allocated by the trainer.");
    return figure;
}

MetricDisplay timeFigure(const RunData &run, const Progress &progress, const RunSummary &summary)
{
    if (isTerminal(run.state()) || !progress.remaining)
        return {.label = tr("Elapsed time"),
            .value = summary.elapsedKnown() ? localText(formatSeconds(summary.wallSeconds)) : kNone,
            .detail = counted(summary.attempts, tr("%1 attempt"), tr("%1 attempts")),
            .tip = tr("From the first to the last step."),
            .source = Source::Measured};
    return {.label = tr("Time left"),
        .value = localText(formatSeconds(*progress.remaining)),
        .unit = {},
        .detail = tr("%1 elapsed").arg(localText(formatSeconds(summary.wallSeconds))),
        .tip = tr("Remaining steps × mean of the last 50 step times, without the slowest and fastest 10 % and the "
                  "first 3 steps."),
        .source = Source::Predicted};
}

// Shows the cost so far, and the total that is projected from the pace of the last steps.
MetricDisplay costFigure(const RunData &run, const Progress &progress, const RunSummary &summary)
{
    MetricDisplay figure{.label = tr("Cost so far"),
        .value = kNone,
        .detail = tr("no price"),
        .tip = tr(
            "Quoted price × wall time. Restarts are billed. Pauses of more than 15 minutes between attempts are not."),
        .source = Source::Quoted};
    if (summary.usdSoFar)
        figure.value = localText(formatUsd(*summary.usdSoFar));
    if (summary.usdSoFar && progress.remaining && !isTerminal(run.state()))
        figure.detail = tr("%1 projected")
                            .arg(localText(formatUsd(
                                *summary.usdSoFar + *run.prediction->cost.usdPerHour * *progress.remaining / 3600)));
    if (run.prediction && run.prediction->cost.usd && !run.prediction->cost.relative) {
        const QString predicted = predictedDetail(localText(formatUsd(*run.prediction->cost.usd)));
        figure.detail = summary.usdSoFar && !isTerminal(run.state()) && progress.remaining
                            ? figure.detail + QStringLiteral(", ") + predicted
                            : predicted;
    }
    return figure;
}

QString tokensText(const Progress &progress, const RunSummary &summary)
{
    return tr("%1 tokens")
               .arg(summary.tokensKnown() ? localText(formatCount(static_cast<double>(progress.tokens))) : kNone) +
           (summary.steadyMfu ? tr(", MFU %1 %").arg(localNumber(*summary.steadyMfu * 100, 1)) : QString());
}

QString stepsText(const Progress &progress)
{
    return progress.totalSteps ? grouped(progress.step) + QStringLiteral(" / ") + grouped(*progress.totalSteps)
                               : grouped(progress.step);
}

void fillBands(const RunData &run, RunDisplay &view)
{
    if (!run.prediction)
        return;
    const SpeedPrediction &speed = run.prediction->speed;
    const MemoryPrediction &memory = run.prediction->memory;
    const auto tokens = static_cast<double>(run.prediction->config.tokensPerStep());
    const bool ranged = speed.stepP10 > 0 && speed.stepP90 > 0;
    const auto put = [&](Quantity quantity, double middle, std::optional<double> low = {},
                         std::optional<double> high = {}) {
        if (middle > 0)
            view.bands[quantity] = {.middle = middle, .low = low, .high = high, .name = tr("predicted")};
    };
    if (ranged) {
        put(Quantity::TokensPerSecond, speed.tokensPerSecond, tokens / speed.stepP90, tokens / speed.stepP10);
        put(Quantity::StepSeconds, speed.step, speed.stepP10, speed.stepP90);
        put(Quantity::Mfu, speed.mfu, speed.mfu * speed.step / speed.stepP90, speed.mfu * speed.step / speed.stepP10);
    } else {
        put(Quantity::TokensPerSecond, speed.tokensPerSecond);
        put(Quantity::StepSeconds, speed.step);
        put(Quantity::Mfu, speed.mfu);
    }
    put(Quantity::DeviceUsed, static_cast<double>(memory.peak), static_cast<double>(memory.peakP10),
        static_cast<double>(memory.peakP90));
    put(Quantity::Allocated, static_cast<double>(memory.peakAllocated));
    // A scaling law that expects a higher loss than that of the first step does not apply to such a small model.
    const std::optional<double> expected = run.prediction->cost.expectedLoss;
    if (expected && (run.metrics.empty() || *expected < run.metrics.front().loss))
        view.bands[Quantity::Loss] = {.middle = *expected, .name = tr("expected at the end")};
}

QString subtitleOf(const RunData &run)
{
    QStringList words;
    if (isImported(run.paths)) {
        words << tr("imported from another tool");
    } else if (run.config) {
        const RunConfig &config = *run.config;
        words << (run.prediction && !run.prediction->model.name.empty() ? coreText(run.prediction->model.name)
                                                                        : qs(config.model.name));
        if (config.model.layers && config.model.hidden) // for a custom shape, the name of the preset says little
            words << (*config.model.layers == 1
                          ? tr("1 layer × %1").arg(*config.model.hidden)
                          : tr("%1 layers × %2").arg(*config.model.layers).arg(*config.model.hidden));
        words << tr("%1 × %2").arg(config.parallel.gpus).arg(qs(config.gpu));
        words << tr("%1 tokens per step").arg(localText(formatCount(static_cast<double>(config.tokensPerStep()))));
    }
    words << qs(run.paths.directory.string());
    return words.join(QStringLiteral(" · "));
}

// Returns the last error that the run reported: its last fault event, or otherwise the end of err.log.
QString failureOf(const RunData &run)
{
    if (run.state() != RunState::Failed && run.state() != RunState::Lost)
        return {};
    std::string said;
    for (const RunEvent &event : run.events) {
        if (event.kind == "fault")
            said = event.message;
        else if (event.kind == "resumed" || event.kind == "started")
            said.clear(); // the message belongs to an earlier attempt
    }
    // A killed program could not report the reason, so its last messages may be unrelated.
    const bool killed = said.empty() && run.status.exitStatus.value_or(0) > kSignals && !run.status.detail.empty();
    if (said.empty())
        said = lastErrors(run.paths, 3);
    if (killed)
        return capitalized(coreText(run.status.detail)) + (said.empty() ? QStringLiteral(".") : u'\n' + qs(said));
    if (said.empty())
        said = run.status.detail;
    if (run.status.exitStatus && said.empty())
        return tr("The run ended with exit status %1 and without an error message.").arg(*run.status.exitStatus);
    return run.status.exitStatus ? tr("The run ended with exit status %1: %2").arg(*run.status.exitStatus).arg(qs(said))
                                 : qs(said);
}

} // namespace

// The command line shows messages within a line. In the window they are sentences.
QString alertSentence(const std::string &message)
{
    const QString text = capitalized(coreText(message));
    return text.isEmpty() || text.endsWith(u'.') ? text : text + u'.';
}

QString speedTip()
{
    return tr("Median of the last %1 steps, without the first 3 steps of each attempt.").arg(kSpeedSteps);
}

QString lossTip() { return tr("Mean of the finite losses of the last 10 steps."); }

QString stateName(RunState state)
{
    switch (state) {
    case RunState::Draft:
        return tr("Draft");
    case RunState::Queued:
        return tr("Queued");
    case RunState::Running:
        return tr("Running");
    case RunState::Stopping:
        return tr("Stopping");
    case RunState::Succeeded:
        return tr("Succeeded");
    case RunState::Failed:
        return tr("Failed");
    case RunState::Cancelled:
        return tr("Cancelled");
    case RunState::TimedOut:
        return tr("Timed out");
    case RunState::Preempted:
        return tr("Preempted");
    case RunState::Lost:
        return tr("Lost");
    case RunState::Unknown:
        return tr("Unknown");
    }
    return {};
}

Pill::Tone stateTone(RunState state)
{
    switch (state) {
    case RunState::Running:
        return Pill::Tone::Accent;
    case RunState::Succeeded:
        return Pill::Tone::Good;
    case RunState::Failed:
    case RunState::Lost:
        return Pill::Tone::Bad;
    case RunState::Stopping:
    case RunState::TimedOut:
    case RunState::Preempted:
        return Pill::Tone::Warn;
    default:
        return Pill::Tone::Neutral;
    }
}

QString shortTime(const std::string &iso8601, std::chrono::system_clock::time_point now)
{
    const QDateTime time = QDateTime::fromString(qs(iso8601), Qt::ISODateWithMs).toLocalTime();
    if (!time.isValid())
        return qs(iso8601);
    const QDateTime today = QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
    return time.date() == today.date() ? time.toString(QStringLiteral("HH:mm:ss")) : localMinute(time);
}

QString alertName(AlertKind kind)
{
    switch (kind) {
    case AlertKind::LossNotFinite:
        return tr("Loss is not finite");
    case AlertKind::Stalled:
        return tr("Stalled");
    case AlertKind::SlowerThanPredicted:
        return tr("Slower than predicted");
    case AlertKind::SlowerThanBaseline:
        return tr("Slower than before");
    case AlertKind::MemoryNearLimit:
        return tr("Memory near the limit");
    case AlertKind::OverBudget:
        return tr("Over budget");
    case AlertKind::OverTime:
        return tr("Time limit at risk");
    case AlertKind::IdleBilled:
        return tr("Idle but billed");
    case AlertKind::CheckpointFailing:
        return tr("Checkpoints failing");
    case AlertKind::Lost:
        return tr("Lost");
    }
    return {};
}

QString figureText(const std::optional<double> &value, const std::string &unit)
{
    return value ? inUnit(*value, unit) : kNone;
}

void disambiguateNames(std::vector<RunRow> &rows)
{
    std::map<QString, int> named;
    for (const RunRow &row : rows)
        ++named[row.name];
    for (RunRow &row : rows) {
        if (named[row.name] > 1)
            row.name = qs(row.entry.name);
    }
}

RunRow runRow(const RunEntry &entry)
{
    RunRow row{.directory = entry.directory,
        .name = qs(nameInFolder(entry.title, entry.name)),
        .state = entry.status.state,
        .fraction = entry.fraction(),
        .entry = entry};
    row.steps = entry.totalSteps ? grouped(entry.step) + QStringLiteral(" / ") + grouped(*entry.totalSteps)
                                 : grouped(entry.step);
    row.speedValue = entry.tokensPerSecond;
    row.lossValue = entry.finalLoss;
    row.costValue = entry.usd;
    row.remainingValue = entry.remaining;
    row.tokensPerSecond =
        entry.tokensPerSecond && *entry.tokensPerSecond > 0 ? localText(formatCount(*entry.tokensPerSecond)) : kNone;
    row.loss = entry.finalLoss ? localNumber(*entry.finalLoss, 3) : entry.step > 0 ? tr("not finite") : kNone;
    row.cost = entry.usd ? localText(formatUsd(*entry.usd)) : kNone;
    row.remaining = entry.remaining ? localText(formatSeconds(*entry.remaining)) : kNone;
    QStringList tags;
    for (const std::string &tag : entry.labels.tags)
        tags << qs(tag);
    row.tags = tags.join(QStringLiteral(", "));
    row.notes = qs(entry.labels.notes);
    if (!entry.gpu.empty())
        row.hardware = entry.gpus > 0 ? QStringLiteral("%1 × %2").arg(entry.gpus).arg(qs(entry.gpu)) : qs(entry.gpu);
    const QDateTime time = QDateTime::fromString(qs(entry.lastTime), Qt::ISODateWithMs).toLocalTime();
    row.changed = time.isValid() ? localMinute(time) : QString();
    return row;
}

RunDisplay runDisplay(const RunData &run, const RunSummary &summary, std::shared_ptr<const RunSeries> series,
    const std::vector<AlertRow> &alerts, std::chrono::system_clock::time_point now)
{
    const Progress progress = progressOf(run);
    RunDisplay view{.directory = run.paths.directory,
        .name = qs(nameInFolder(run.name, run.paths.directory.filename().string())),
        .subtitle = subtitleOf(run),
        .state = run.state(),
        .stateDetail = coreText(run.status.detail),
        .fraction = progress.fraction,
        .series = std::move(series)};
    view.figures = {{.label = tr("Step"),
                        .value = stepsText(progress),
                        .detail = tokensText(progress, summary),
                        .tip = tr("Finished steps."),
                        .source = Source::Measured},
        speedFigure(run, progress, summary), lossFigure(summary), timeFigure(run, progress, summary),
        memoryFigure(run, summary), costFigure(run, progress, summary)};
    for (const std::int64_t step : view.series ? view.series->restarts() : std::vector<std::int64_t>())
        view.restarts.push_back({step, tr("resumed")});
    fillBands(run, view);
    for (const Comparison &comparison : summary.comparisons)
        view.comparisons.push_back(comparisonDisplay(comparison));
    for (const auto &event : std::views::reverse(run.events))
        view.events.push_back({shortTime(event.time, now), qs(event.kind), qs(event.message)});
    for (const AlertRow &row : alerts) {
        view.alerts.push_back({.kind = alertName(row.alert.kind),
            .since = shortTime(row.since, now),
            .until = row.until.empty() ? QString() : shortTime(row.until, now),
            .message = alertSentence(row.alert.message),
            .lasts = row.until.empty(),
            .step = row.alert.step});
    }
    view.configText = qs(run.configText);
    view.failure = failureOf(run);
    view.imported = isImported(run.paths);
    view.labels =
        readLabels(run.paths, run.config ? Labels{run.config->training.tags, run.config->training.notes} : Labels{});
    if (run.problemCount > 0)
        view.problems = counted(run.problemCount, tr("%1 line of this run could not be read and was skipped."),
            tr("%1 lines of this run could not be read and were skipped."));
    return view;
}

RunDisplay runDisplay(const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules)
{
    const auto series = std::make_shared<RunSeries>();
    series->setUnbilled(unbilledPauses(run));
    series->follow(run.metrics, 0);
    if (run.prediction && !run.prediction->cost.relative)
        series->setUsdPerHour(run.prediction->cost.usdPerHour);
    std::vector<AlertRow> rows;
    for (const Alert &alert : alertsOf(run, now, rules))
        rows.push_back({.directory = run.paths.directory, .alert = alert, .since = toIso8601(now)});
    RunDisplay view = runDisplay(run, summaryOf(run), series, rows, now);
    view.superseded = supersededSeries(run.superseded, *series);
    return view;
}

} // namespace slipway::ui
