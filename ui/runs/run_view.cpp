// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_view.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "runs/alerts.h"
#include "ui/charts/ticks.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

const QString kNone = QStringLiteral("–");

QString tr(const char *text)
{
    return QCoreApplication::translate("RunView", text);
}

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString counted(int count, const char *one, const char *many)
{
    return (count == 1 ? tr(one) : tr(many)).arg(count);
}

QString grouped(std::int64_t count)
{
    return QLocale::c().toString(static_cast<qlonglong>(count));
}

QString inUnit(double value, const std::string &unit)
{
    if (unit == "bytes")
        return qs(formatBytes(static_cast<Bytes>(std::llround(value))));
    if (unit == "s")
        return qs(formatSeconds(value));
    if (unit == "USD")
        return qs(formatUsd(value));
    if (unit == "fraction")
        return QString::number(value * 100, 'f', 1) + QStringLiteral(" %");
    if (unit == "nats")
        return QString::number(value, 'f', 3) + tr(" nats");
    return qs(formatCount(value)) + (unit.empty() ? QString() : u' ' + qs(unit));
}

ComparisonView comparisonView(const Comparison &comparison)
{
    ComparisonView view{qs(comparison.name), kNone, kNone, kNone, kNone, false};
    if (comparison.predicted)
        view.predicted = inUnit(*comparison.predicted, comparison.unit);
    if (comparison.measured)
        view.measured = inUnit(*comparison.measured, comparison.unit);
    if (comparison.predictedP10 && comparison.predictedP90) {
        view.range = inUnit(*comparison.predictedP10, comparison.unit) + QStringLiteral(" – ") + inUnit(*comparison.predictedP90, comparison.unit);
        const auto [low, high] = std::minmax(*comparison.predictedP10, *comparison.predictedP90);
        view.outside = comparison.measured && (*comparison.measured < low || *comparison.measured > high);
    }
    if (const auto ratio = comparison.ratio())
        view.ratio = QStringLiteral("× ") + QString::number(*ratio, 'f', 2);
    return view;
}

QString predictedDetail(const QString &value)
{
    return tr("predicted %1").arg(value);
}

FigureView speedFigure(const RunData &run, const RunSummary &summary)
{
    FigureView figure{.label = tr("Throughput"), .value = kNone, .unit = tr("tokens/s"), .source = Source::Measured};
    if (summary.steadyTokensPerSecond)
        figure.value = qs(formatCount(*summary.steadyTokensPerSecond));
    if (run.prediction)
        figure.detail = predictedDetail(qs(formatCount(run.prediction->speed.tokensPerSecond)));
    figure.tip = tr("median over the run without the first steps of each attempt");
    return figure;
}

FigureView lossFigure(const RunSummary &summary)
{
    FigureView figure{.label = tr("Loss"), .value = kNone, .unit = tr("nats/token"), .source = Source::Measured};
    if (summary.finalLoss)
        figure.value = QString::number(*summary.finalLoss, 'f', 3);
    if (summary.finalEvalLoss)
        figure.detail = tr("evaluation %1").arg(*summary.finalEvalLoss, 0, 'f', 3);
    else if (summary.firstLoss)
        figure.detail = tr("from %1").arg(*summary.firstLoss, 0, 'f', 3);
    figure.tip = tr("mean of the last 10 steps' finite losses");
    return figure;
}

FigureView memoryFigure(const RunData &run, const RunSummary &summary)
{
    FigureView figure{.label = tr("Peak memory"), .value = kNone, .source = Source::Measured};
    const std::optional<Bytes> peak = summary.peakDeviceUsed ? summary.peakDeviceUsed : summary.peakAllocated;
    if (peak)
        figure.value = qs(formatBytes(*peak));
    if (run.prediction)
        figure.detail = predictedDetail(qs(formatBytes(summary.peakDeviceUsed ? run.prediction->memory.peak : run.prediction->memory.peakAllocated)));
    figure.tip = summary.peakDeviceUsed ? tr("in use as the device shows it") : tr("allocated");
    return figure;
}

FigureView timeFigure(const RunData &run, const Progress &progress, const RunSummary &summary)
{
    if (isTerminal(run.state()) || !progress.remaining)
        return {.label = tr("Time"), .value = qs(formatSeconds(summary.wallSeconds)), .detail = counted(summary.attempts, "%1 attempt", "%1 attempts"),
            .tip = tr("from the first to the last step"), .source = Source::Measured};
    return {.label = tr("Time left"), .value = qs(formatSeconds(*progress.remaining)), .unit = {},
        .detail = tr("%1 so far").arg(qs(formatSeconds(summary.wallSeconds))), .tip = tr("steps left × the median of the last steps"), .source = Source::Predicted};
}

FigureView costFigure(const RunData &run, const RunSummary &summary)
{
    FigureView figure{.label = tr("Cost so far"), .value = kNone, .detail = tr("no price"), .tip = tr("quoted price × wall time"), .source = Source::Quoted};
    if (summary.usdSoFar)
        figure.value = qs(formatUsd(*summary.usdSoFar));
    if (run.prediction && run.prediction->cost.usd)
        figure.detail = predictedDetail(qs(formatUsd(*run.prediction->cost.usd)));
    return figure;
}

QString tokensText(const RunData &run, const Progress &progress)
{
    return tr("%1 tokens").arg(qs(formatCount(static_cast<double>(progress.tokens))))
        + (run.metrics.empty() || !run.metrics.back().mfu ? QString() : tr(", MFU %1 %").arg(*run.metrics.back().mfu * 100, 0, 'f', 1));
}

QString stepsText(const Progress &progress)
{
    return progress.totalSteps ? grouped(progress.step) + QStringLiteral(" / ") + grouped(*progress.totalSteps) : grouped(progress.step);
}

void fillColumns(const RunData &run, RunView &view)
{
    view.steps.reserve(run.metrics.size());
    view.tokensPerSecond.reserve(run.metrics.size());
    view.loss.reserve(run.metrics.size());
    int attempt = run.metrics.empty() ? 0 : run.metrics.front().attempt;
    for (const StepMetrics &step : run.metrics) {
        const auto x = static_cast<double>(step.step);
        if (step.attempt != attempt) {
            attempt = step.attempt;
            view.markers.push_back({x, tr("resumed")});
        }
        view.steps.push_back(x);
        view.tokensPerSecond.push_back(step.tokensPerSecond);
        view.loss.push_back(step.loss);
        if (step.evalLoss) {
            view.evalSteps.push_back(x);
            view.evalLoss.push_back(*step.evalLoss);
        }
    }
}

void fillBands(const RunData &run, RunView &view)
{
    if (!run.prediction)
        return;
    const SpeedPrediction &speed = run.prediction->speed;
    const auto tokens = static_cast<double>(run.prediction->config.tokensPerStep());
    if (speed.tokensPerSecond > 0) {
        view.speedBand = PredictedBand{.middle = speed.tokensPerSecond, .name = tr("predicted")};
        if (speed.stepP10 > 0 && speed.stepP90 > 0) {
            view.speedBand->low = tokens / speed.stepP90;
            view.speedBand->high = tokens / speed.stepP10;
        }
    }
    // A law that expects more than the first step's loss does not hold for so small a model.
    const std::optional<double> expected = run.prediction->cost.expectedLoss;
    if (expected && (run.metrics.empty() || *expected < run.metrics.front().loss))
        view.lossBand = PredictedBand{.middle = *expected, .name = tr("expected at the end")};
}

QString subtitleOf(const RunData &run)
{
    QStringList words;
    if (run.config) {
        const RunConfig &config = *run.config;
        words << (run.prediction && !run.prediction->model.name.empty() ? qs(run.prediction->model.name) : qs(config.model.name));
        words << tr("%1 × %2").arg(config.parallel.gpus).arg(qs(config.gpu));
        words << tr("%1 tokens a step").arg(qs(formatCount(static_cast<double>(config.tokensPerStep()))));
    }
    words << qs(run.paths.directory.string());
    return words.join(QStringLiteral(" · "));
}

} // namespace

QString stateName(RunState state)
{
    switch (state) {
    case RunState::Draft: return tr("Draft");
    case RunState::Queued: return tr("Queued");
    case RunState::Running: return tr("Running");
    case RunState::Stopping: return tr("Stopping");
    case RunState::Succeeded: return tr("Succeeded");
    case RunState::Failed: return tr("Failed");
    case RunState::Cancelled: return tr("Stopped");
    case RunState::TimedOut: return tr("Timed out");
    case RunState::Preempted: return tr("Preempted");
    case RunState::Lost: return tr("Lost");
    case RunState::Unknown: return tr("Unknown");
    }
    return {};
}

Pill::Tone stateTone(RunState state)
{
    switch (state) {
    case RunState::Running: return Pill::Tone::Accent;
    case RunState::Succeeded: return Pill::Tone::Good;
    case RunState::Failed:
    case RunState::Lost: return Pill::Tone::Bad;
    case RunState::Stopping:
    case RunState::TimedOut:
    case RunState::Preempted: return Pill::Tone::Warn;
    default: return Pill::Tone::Neutral;
    }
}

QString shortTime(const std::string &iso8601, std::chrono::system_clock::time_point now)
{
    const QDateTime time = QDateTime::fromString(qs(iso8601), Qt::ISODateWithMs).toLocalTime();
    if (!time.isValid())
        return qs(iso8601);
    const QDateTime today = QDateTime::fromMSecsSinceEpoch(std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
    return time.toString(time.date() == today.date() ? QStringLiteral("HH:mm:ss") : QStringLiteral("yyyy-MM-dd HH:mm"));
}

RunRow runRow(const RunData &run)
{
    const Progress progress = progressOf(run);
    RunRow row{.directory = run.paths.directory, .name = qs(run.name), .state = run.state(), .fraction = progress.fraction, .steps = stepsText(progress)};
    row.tokensPerSecond = row.loss = row.remaining = kNone;
    if (run.metrics.empty())
        return row;
    const StepMetrics &last = run.metrics.back();
    row.speedValue = last.tokensPerSecond;
    row.lossValue = last.loss;
    row.tokensPerSecond = qs(formatCount(last.tokensPerSecond));
    row.loss = std::isfinite(last.loss) ? QString::number(last.loss, 'f', 3) : readingNumber(last.loss);
    if (progress.remaining && !isTerminal(run.state())) {
        row.remainingValue = progress.remaining;
        row.remaining = qs(formatSeconds(*progress.remaining));
    }
    const QDateTime time = QDateTime::fromString(qs(last.time), Qt::ISODateWithMs).toLocalTime();
    row.changed = time.isValid() ? time.toString(QStringLiteral("yyyy-MM-dd HH:mm")) : QString();
    return row;
}

RunView runView(const RunData &run, std::chrono::system_clock::time_point now)
{
    const Progress progress = progressOf(run);
    const RunSummary summary = summaryOf(run);
    RunView view{.directory = run.paths.directory, .name = qs(run.name), .subtitle = subtitleOf(run), .state = run.state(),
        .stateDetail = qs(run.standing.detail), .fraction = progress.fraction};
    view.figures = {
        {.label = tr("Step"), .value = stepsText(progress), .detail = tokensText(run, progress), .tip = tr("finished steps"), .source = Source::Measured},
        speedFigure(run, summary), lossFigure(summary), timeFigure(run, progress, summary), memoryFigure(run, summary), costFigure(run, summary)};
    fillColumns(run, view);
    fillBands(run, view);
    for (const Comparison &comparison : summary.comparisons)
        view.comparisons.push_back(comparisonView(comparison));
    for (auto event = run.events.rbegin(); event != run.events.rend(); ++event)
        view.events.push_back({shortTime(event->time, now), qs(event->kind), qs(event->message)});
    for (const Alert &alert : alertsOf(run, now))
        view.alerts.push_back(capitalised(qs(alert.message)));
    view.configText = qs(run.configText);
    if (run.problemCount > 0)
        view.problems = counted(static_cast<int>(run.problemCount), "%1 line of this run could not be read and was skipped.",
            "%1 lines of this run could not be read and were skipped.");
    return view;
}

} // namespace slipway::ui
