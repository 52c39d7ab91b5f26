// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/journal.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace slipway {

namespace {

// One more than the highest of the lines before `since`, and than none of those after it, which are of the attempt
// itself; lines that do not read are left to those who report them.
template<typename Parse>
int attemptAt(const std::filesystem::path &path, Parse parse, const std::optional<std::string> &since)
{
    int next = 0;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (const auto entry = parse(line))
            next = std::max(next, entry->attempt + (since && entry->time >= *since ? 0 : 1));
    }
    return next;
}

int attemptOf(const RunPaths &paths, const std::optional<std::string> &since)
{
    return std::max(
        attemptAt(paths.events(), runEventFromJson, since), attemptAt(paths.metrics(), stepMetricsFromJson, since));
}

} // namespace

Result<Journal> Journal::open(const RunPaths &paths) { return openAs(paths, attemptOf(paths, std::nullopt)); }
Result<Journal> Journal::openAfter(const RunPaths &paths, const std::string &since)
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

Result<void> Journal::event(std::string kind, std::string message, std::optional<std::int64_t> step)
{
    return m_events.append(toJsonLine(RunEvent{
        .time = utcNow(), .attempt = m_attempt, .kind = std::move(kind), .message = std::move(message), .step = step}));
}

bool hasSteps(const RunPaths &paths)
{
    std::error_code ignored;
    const auto size = std::filesystem::file_size(paths.metrics(), ignored);
    return (!ignored && size > 0) || std::filesystem::exists(paths.checkpoints() / "latest", ignored);
}

} // namespace slipway
