// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/journal.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "runs/follower.h"

namespace slipway {

namespace {

// The number of the attempt that began at byte `since`: one more than the highest number in the lines before, and not
// less than the numbers in the lines after, which belong to the attempt itself. Lines that cannot be parsed are
// ignored, because readers report them.
template<typename Parse>
int attemptAt(const std::filesystem::path &path, Parse parse, std::int64_t since)
{
    int next = 0;
    std::int64_t at = 0;
    LineFollower follower(path);
    for (bool more = true; more;) {
        const Result<FollowedLines> read = follower.poll();
        if (!read)
            return next;
        more = read->more;
        for (const std::string &line : read->lines) {
            if (const auto entry = parse(line))
                next = std::max(next, entry->attempt + (at >= since ? 0 : 1));
            at += static_cast<std::int64_t>(line.size()) + 1;
        }
    }
    return next;
}

int attemptOf(const RunPaths &paths, const JournalEnd &since)
{
    return std::max(attemptAt(paths.events(), runEventFromJson, since.events),
        attemptAt(paths.metrics(), stepMetricsFromJson, since.metrics));
}

std::int64_t sizeOf(const std::filesystem::path &path)
{
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(path, missing);
    return missing ? 0 : static_cast<std::int64_t>(size);
}

} // namespace

JournalEnd JournalEnd::of(const RunPaths &paths) { return {sizeOf(paths.metrics()), sizeOf(paths.events())}; }

Result<Journal> Journal::open(const RunPaths &paths)
{
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    return openAs(paths, attemptOf(paths, {kAll, kAll}));
}

Result<Journal> Journal::openAfter(const RunPaths &paths, const JournalEnd &since)
{
    return openAs(paths, attemptOf(paths, since));
}

Result<Journal> Journal::openAs(const RunPaths &paths, int attempt)
{
    Result<AppendFile> metrics = AppendFile::open(paths.metrics());
    if (!metrics)
        return metrics.error();
    Result<AppendFile> events = AppendFile::open(paths.events());
    if (!events)
        return events.error();
    return Journal(std::move(*metrics), std::move(*events), attempt);
}

Result<void> Journal::write(StepMetrics metrics)
{
    metrics.attempt = m_attempt;
    metrics.time = utcNow();
    return m_metrics.append(toJsonLine(metrics));
}

Result<void> Journal::event(
    std::string kind, std::string message, std::optional<std::int64_t> step, std::string_view reason)
{
    return m_events.append(toJsonLine(RunEvent{.time = utcNow(),
        .attempt = m_attempt,
        .kind = std::move(kind),
        .message = std::move(message),
        .step = step,
        .reason = std::string(reason)}));
}

bool hasSteps(const RunPaths &paths)
{
    std::error_code ignored;
    const auto size = std::filesystem::file_size(paths.metrics(), ignored);
    return (!ignored && size > 0) || std::filesystem::exists(paths.checkpoints() / "latest", ignored);
}

} // namespace slipway
