// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"
#include "runs/loss_text.h"
#include "runs/run_reader.h"

namespace slipway {

namespace {

constexpr auto kPrintEvery = std::chrono::seconds(1);

} // namespace

RunRecord::RunRecord(const RunJob &job, const RunOptions &options, Journal journal)
    : m_job(job),
      m_options(options),
      m_journal(std::move(journal)),
      m_checkpoints(job.paths.checkpoints())
{
    m_checkpoints.removeUnfinished();
}

void RunRecord::say(const std::string &line) const
{
    if (m_options.print)
        m_options.print(line);
}

void RunRecord::warn(const std::string &line) const
{
    if (m_options.warn)
        m_options.warn(line);
}

Result<void> RunRecord::event(std::string kind, const std::string &message, std::int64_t step, std::string_view reason)
{
    return m_journal.event(std::move(kind), message, step, reason);
}

Result<RunPosition> RunRecord::restore(const std::function<void()> &reportProgress)
{
    if (!m_options.resume)
        return RunPosition{};
    const Result<ChosenCheckpoint> restored = m_checkpoints.choose(m_job.model, reportProgress);
    if (!restored)
        return restored.error();
    for (const std::string &reason : restored->passedOver) {
        warn("a damaged checkpoint was skipped: " + reason);
        if (const Result<void> recorded = event("alert", "damaged checkpoint skipped: " + reason, 0); !recorded)
            return recorded.error();
    }
    if (!restored->manifest) {
        warn("there is no checkpoint to resume from: starting at the first step");
        return RunPosition{};
    }
    if (const Result<void> settled = settle(*restored->saved, std::ssize(restored->passedOver)); !settled)
        return settled.error();
    const CheckpointManifest &manifest = *restored->manifest;
    if (manifest.seed != m_job.config.training.seed)
        warn(fmt::format("the seed was {} until step {} and is {} now: the order of the data changes", manifest.seed,
            manifest.step, m_job.config.training.seed));
    return RunPosition{.step = manifest.step, .tokens = manifest.tokens, .samples = manifest.samples, .restored = true};
}

// The earlier process may have ended, or its disk may have been full, after it had written the checkpoint and before it
// had recorded it. Imported weights, which are of step 0, are not an event. Damaged checkpoints do not count among the
// kept.
Result<void> RunRecord::settle(const SavedCheckpoint &saved, std::ptrdiff_t damaged)
{
    const int keep = std::max(m_job.config.training.keepCheckpoints, 1) + static_cast<int>(damaged);
    if (Result<void> published = m_checkpoints.publish(saved.step, keep); !published)
        return published;
    const Result<RunData> run = readRun(m_job.paths.directory, RunReader::Extent::Ends);
    const auto recordsIt = [&](const RunEvent &event) {
        return event.kind == "checkpoint" && event.step == saved.step;
    };
    if (!run || run->events.empty() || saved.step == 0 ||
        std::any_of(run->events.begin(), run->events.end(), recordsIt))
        return {};
    return event("checkpoint", saved.folder.filename().string(), saved.step);
}

Result<void> RunRecord::started(const RunPosition &position)
{
    m_newestStep = position.step;
    const std::string what = fmt::format("{} parameters, {} rank{}, {} tokens per step, {} steps",
        formatCount(static_cast<double>(parameterCount(m_job.model))), m_job.ranks(), m_job.ranks() == 1 ? "" : "s",
        m_job.config.tokensPerStep(), m_job.steps);
    if (position.restored)
        say(fmt::format("resumed after step {}: {}", position.step, what));
    else
        say(what);
    return position.restored ? event("resumed", fmt::format("after step {}", position.step), position.step)
                             : event("started", what, 0);
}

Result<void> RunRecord::outsideMemory(const OutsideMemory &outside)
{
    std::string what = formatBytes(outside.all) + " of the GPU were in use outside the allocator before the first step";
    if (outside.collectives > 0)
        what += ", " + formatBytes(outside.collectives) + " of them for collectives";
    say(what);
    return event("memory", what, m_newestStep);
}

std::string RunRecord::progressLine(const StepMetrics &metrics) const
{
    const double left = static_cast<double>(m_job.steps - metrics.step) * metrics.stepSeconds;
    std::string line = fmt::format("step {}/{}  loss {}", metrics.step, m_job.steps, lossText(metrics.loss));
    if (metrics.evalLoss)
        line += "  evaluation " + lossText(*metrics.evalLoss) + (metrics.evalWeights.empty() ? "" : " (average)");
    for (const auto &[name, loss] : metrics.evalLosses)
        line += "  " + name + " " + lossText(loss);
    return line + fmt::format("  lr {:.2e}  {} tokens/s  {} left", metrics.learningRate,
                      formatCount(metrics.tokensPerSecond), formatSeconds(left));
}

Result<void> RunRecord::step(StepMetrics metrics)
{
    m_newestStep = metrics.step;
    const bool finite = std::isfinite(metrics.loss) && std::isfinite(metrics.gradNorm);
    if (!finite && m_finite) {
        const std::string message = fmt::format("step {}: loss {}, gradient norm {}", metrics.step,
            lossText(metrics.loss, -1), lossText(metrics.gradNorm, -1));
        warn(message);
        if (Result<void> recorded = event("alert", message, metrics.step); !recorded)
            return recorded;
    }
    m_finite = finite;
    const auto now = std::chrono::steady_clock::now();
    if (now - m_printed >= kPrintEvery || metrics.evalLoss || metrics.step == m_job.steps) {
        m_printed = now;
        say(progressLine(metrics));
    }
    return m_journal.write(std::move(metrics));
}

CheckpointManifest RunRecord::manifestOf(const RunPosition &position) const
{
    return {.step = position.step,
        .tokens = position.tokens,
        .samples = position.samples,
        .seed = m_job.config.training.seed,
        .attempt = m_journal.attempt(),
        .configDigest = m_job.configDigest,
        .model = m_job.model};
}

Result<void> RunRecord::checkpointWritten(const SavedCheckpoint &saved)
{
    say(fmt::format("checkpoint {}", saved.folder.filename().string()));
    return event("checkpoint", saved.folder.filename().string(), saved.step);
}

} // namespace slipway
