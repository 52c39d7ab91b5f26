// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_clock.h"

#include <algorithm>

#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kMostMarks = 5'000'000, kMostSamples = 500'000; // later ones are left out
constexpr double kSampleHolds = 60;                                   // seconds

} // namespace

void LogClock::poll()
{
    for (bool more = true; more;) {
        const Result<FollowedLines> read = m_file.poll();
        if (!read)
            return;
        if (read->restarted) {
            m_marks.clear();
            m_begins.clear();
            m_gpus.clear();
            m_generation = 0;
        }
        for (const std::string &line : read->lines)
            take(line);
        more = read->more;
    }
}

void LogClock::take(const std::string &line)
{
    if (line.starts_with("g "))
        return takeGpu(line);
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() == 2 && words[0] == "n") {
        ++m_generation;
        m_marks.clear();
        if (!m_begins.empty())
            m_begins = {{.attempt = m_begins.back().attempt, .bytes = 0}};
    } else if (words.size() == 4 && words[0] == "t") {
        const auto before = parseNumber(words[1]), now = parseNumber(words[2]);
        const auto bytes = parseInteger(words[3]);
        if (before && now && bytes)
            note(*before, *now, *bytes);
    } else if (words.size() == 3 && words[0] == "a") {
        const auto attempt = parseInteger(words[1]), bytes = parseInteger(words[2]);
        constexpr std::size_t kMostAttempts = 10'000;
        if (attempt && bytes && *attempt >= 0 && *attempt < 1'000'000 && m_begins.size() < kMostAttempts &&
            (m_begins.empty() || *attempt > m_begins.back().attempt))
            m_begins.push_back({.attempt = static_cast<int>(*attempt), .bytes = *bytes});
    }
}

void LogClock::note(double before, double now, std::int64_t bytes)
{
    if (before <= now && m_marks.size() < kMostMarks && (m_marks.empty() || bytes > m_marks.back().bytes))
        m_marks.push_back({.before = before, .now = now, .bytes = bytes});
}

void LogClock::takeGpu(const std::string &line)
{
    const std::size_t end = line.find(' ', 2);
    const auto time = parseNumber(std::string_view(line).substr(2, end == std::string::npos ? end : end - 2));
    if (!time || end == std::string::npos)
        return;
    const std::vector<std::string_view> cells = split(std::string_view(line).substr(end + 1), ',');
    if (cells.size() != 5)
        return;
    const auto number = [&cells](std::size_t i) { return parseNumber(trimmed(cells[i])); };
    const bool sameTime = !m_gpus.empty() && m_gpus.back().time == *time;
    if (!sameTime && (m_gpus.size() == kMostSamples || (!m_gpus.empty() && *time < m_gpus.back().time)))
        return;
    if (!sameTime)
        m_gpus.push_back({.time = *time, .samples = {}});
    GpuSample sample{.utilisation = number(1), .powerWatts = number(2), .temperatureC = number(3), .used = {}};
    if (const auto mib = number(4); mib && *mib >= 0 && *mib < 1e9)
        sample.used = static_cast<Bytes>(*mib) * kMiB;
    if (m_gpus.back().samples.size() < kMostGpus)
        m_gpus.back().samples.push_back(sample);
}

double LogClock::timeOf(std::int64_t offset, double otherwise) const
{
    const auto mark = std::upper_bound(
        m_marks.begin(), m_marks.end(), offset, [](std::int64_t at, const Mark &one) { return at < one.bytes; });
    if (mark == m_marks.end())
        return otherwise;
    const std::int64_t from = mark == m_marks.begin() ? 0 : std::prev(mark)->bytes;
    const double part = static_cast<double>(offset + 1 - from) / static_cast<double>(mark->bytes - from);
    return mark->before + (mark->now - mark->before) * std::clamp(part, 0.0, 1.0);
}

std::optional<int> LogClock::attemptAt(std::int64_t offset) const
{
    std::optional<int> attempt;
    for (const Begin &begin : m_begins) {
        if (begin.bytes <= offset)
            attempt = begin.attempt;
    }
    return attempt;
}

std::vector<GpuSample> LogClock::gpusAt(double time) const
{
    const auto after =
        std::upper_bound(m_gpus.begin(), m_gpus.end(), time, [](double at, const Gpus &one) { return at < one.time; });
    if (after == m_gpus.begin() || time - std::prev(after)->time > kSampleHolds)
        return {};
    return std::prev(after)->samples;
}

} // namespace slipway
