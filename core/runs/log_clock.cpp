// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_clock.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kMostMarks = 5'000'000, kMostGpuSamples = 500'000; // later ones are ignored
constexpr double kSampleHolds = 60;                                      // seconds

// Empty if the driver reports no value ("[N/A]") or an impossible one.
std::optional<double> numberWithin(std::string_view cell, double least, double most)
{
    const std::optional<double> number = parseNumber(trimmed(cell));
    return number && *number >= least && *number <= most ? number : std::nullopt;
}

// Reads a bit mask such as "0x0000000000000004".
std::optional<std::int64_t> bitsOf(std::string_view cell)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 52; // a column holds integers up to this without rounding
    std::string_view digits = trimmed(cell);
    if (!digits.starts_with("0x"))
        return std::nullopt;
    digits.remove_prefix(2);
    std::uint64_t bits = 0;
    const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    const bool whole = failure == std::errc() && rest == digits.data() + digits.size();
    return whole && bits < kMost ? std::optional(static_cast<std::int64_t>(bits)) : std::nullopt;
}

constexpr std::size_t kFewestCells = 5, kMostCells = 8; // per GPU: older runners do not query the clock

GpuSample gpuSampleOf(const std::vector<std::string_view> &cells)
{
    constexpr double kMostWatts = 1e5, kLeastDegrees = -100, kMostDegrees = 300, kMostMib = 1e9, kMostMhz = 1e5;
    const auto within = [&](std::size_t i, double least, double most) {
        return i < cells.size() ? numberWithin(cells[i], least, most) : std::nullopt;
    };
    GpuSample sample{.utilisation = within(1, 0, 100),
        .powerWatts = within(2, 0, kMostWatts),
        .temperatureC = within(3, kLeastDegrees, kMostDegrees),
        .used = {},
        .clockMhz = within(5, 0, kMostMhz),
        .clockMaxMhz = within(6, 1, kMostMhz),
        .throttleReasons = cells.size() == kMostCells ? bitsOf(cells.back()) : std::nullopt};
    if (const auto mib = within(4, 0, kMostMib))
        sample.used = static_cast<Bytes>(*mib) * kMiB;
    return sample;
}

} // namespace

void LogTimes::note(double before, double now, std::int64_t bytes)
{
    if (before <= now && m_marks.size() < kMostMarks && (m_marks.empty() || bytes > m_marks.back().bytes))
        m_marks.push_back({.before = before, .now = now, .bytes = bytes});
}

void LogTimes::beginAttempt(int attempt, std::int64_t bytes)
{
    constexpr std::size_t kMostAttempts = 10'000;
    if (m_begins.size() < kMostAttempts && (m_begins.empty() || attempt > m_begins.back().attempt))
        m_begins.push_back({.attempt = attempt, .bytes = bytes});
}

double LogTimes::timeOf(std::int64_t offset, double otherwise) const
{
    const auto mark = std::upper_bound(
        m_marks.begin(), m_marks.end(), offset, [](std::int64_t at, const Mark &one) { return at < one.bytes; });
    if (mark == m_marks.end())
        return otherwise;
    const std::int64_t from = mark == m_marks.begin() ? 0 : std::prev(mark)->bytes;
    const double part = static_cast<double>(offset + 1 - from) / static_cast<double>(mark->bytes - from);
    return mark->before + (mark->now - mark->before) * std::clamp(part, 0.0, 1.0);
}

std::optional<int> LogTimes::attemptAt(std::int64_t offset) const
{
    std::optional<int> attempt;
    for (const Begin &begin : m_begins) {
        if (begin.bytes <= offset)
            attempt = begin.attempt;
    }
    return attempt;
}

LogTimes LogTimes::next() const
{
    LogTimes next;
    if (!m_begins.empty())
        next.m_begins = {{.attempt = m_begins.back().attempt, .bytes = 0}};
    return next;
}

void LogClock::poll()
{
    for (bool more = true; more;) {
        const Result<FollowedLines> read = m_file.poll();
        if (!read)
            return;
        if (read->restarted) {
            m_times = {};
            m_kept.clear();
            m_keptEnd = 0;
            m_keptMarks = 0;
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
    if ((words.size() == 2 || words.size() == 3) && words[0] == "n") {
        beginLog(words.size() == 3 ? parseInteger(words[2]) : std::nullopt);
    } else if (words.size() == 4 && words[0] == "t") {
        const auto before = parseNumber(words[1]), now = parseNumber(words[2]);
        const auto bytes = parseInteger(words[3]);
        if (before && now && bytes)
            m_times.note(*before, *now, *bytes);
    } else if (words.size() == 3 && words[0] == "a") {
        const auto attempt = parseInteger(words[1]), bytes = parseInteger(words[2]);
        if (attempt && bytes && *attempt >= 0 && *attempt < 1'000'000)
            m_times.beginAttempt(static_cast<int>(*attempt), *bytes);
    }
}

void LogClock::beginLog(std::optional<std::int64_t> keptEnd)
{
    constexpr std::size_t kMostKept = 10'000;
    LogTimes next = m_times.next();
    if (keptEnd && *keptEnd > m_keptEnd) {
        if (m_kept.size() < kMostKept && m_keptMarks < kMostMarks) {
            m_keptMarks += m_times.size();
            m_kept[m_generation] = {.from = m_keptEnd, .end = *keptEnd, .times = std::move(m_times)};
        }
        m_keptEnd = *keptEnd;
    }
    m_times = std::move(next);
    ++m_generation;
}

const KeptLog *LogClock::kept(std::int64_t generation) const
{
    const auto found = m_kept.find(generation);
    return found == m_kept.end() ? nullptr : &found->second;
}

void LogClock::takeGpu(const std::string &line)
{
    const std::size_t end = line.find(' ', 2);
    const auto time = parseNumber(std::string_view(line).substr(2, end == std::string::npos ? end : end - 2));
    if (!time || end == std::string::npos)
        return;
    const std::vector<std::string_view> cells = split(std::string_view(line).substr(end + 1), ',');
    if (cells.size() < kFewestCells || cells.size() > kMostCells)
        return;
    const bool sameTime = !m_gpus.empty() && m_gpus.back().time == *time;
    if (!sameTime && (m_gpus.size() == kMostGpuSamples || (!m_gpus.empty() && *time < m_gpus.back().time)))
        return;
    if (!sameTime)
        m_gpus.push_back({.time = *time, .samples = {}});
    if (m_gpus.back().samples.size() < kMostGpus)
        m_gpus.back().samples.push_back(gpuSampleOf(cells));
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
