// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_reader.h"

#include <algorithm>
#include <deque>
#include <fcntl.h>
#include <future>
#include <limits>
#include <sys/stat.h>
#include <utility>

#include "base/control_group.h"
#include "base/file.h"
#include "base/text.h"
#include "predict/predict.h"
#include "runs/metrics_line.h"
#include "runs/progress.h"
#include "runs/registry.h"
#include "runs/remote_run.h"

namespace slipway {

namespace {

constexpr Bytes kMostAtOnce =
    kMiB; // fits the caches, and its memory is used again: clearing fresh pages costs as much as reading
// Of a metrics file. The end is read in larger parts, up to kEnoughEndBytes, until it has the steps whose median is the
// throughput. If it has no step, as after a damage, up to kMostEndBytes are read.
constexpr Bytes kBeginBytes = 64 * kKiB, kEndBytes = 512 * kKiB, kEnoughEndBytes = 8 * kMiB, kMostEndBytes = 32 * kMiB;
constexpr std::size_t kEndSteps = kSpeedSteps + 100; // the first steps of attempts do not count for the throughput

// The time of the last write. Empty if the file does not exist.
std::optional<std::filesystem::file_time_type> writeTime(const std::filesystem::path &path)
{
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(path, failed);
    return failed ? std::nullopt : std::optional(time);
}

std::string nameOf(const RunData &run)
{
    if (run.config && !run.config->training.name.empty())
        return run.config->training.name;
    const std::filesystem::path directory = run.paths.directory.lexically_normal();
    return (directory.has_filename() ? directory : directory.parent_path()).filename().string();
}

// A crash can cut a line. The next attempt then appends to the rest, so that a complete line follows the cut one.
std::string_view behindCutLine(std::string_view line)
{
    const std::size_t begin = line.rfind("{\"v\":");
    return begin == std::string_view::npos || begin == 0 ? std::string_view() : line.substr(begin);
}

} // namespace

// What one thread read from its piece of the lines.
struct RunReader::ReadPiece {
    StepTable metrics;
    bool ordered = true;                      // steps rise, and attempts never decrease
    std::map<std::string, double> evalLosses; // the newest
    std::vector<ReadProblem> problems;        // lines count from 1 within the piece
    std::int64_t lines = 0;
    std::string text; // the text that was read; the next piece reuses its memory
};

RunReader::ReadPiece RunReader::readPiece(std::string bytes)
{
    ReadPiece piece{.text = std::move(bytes)};
    std::string_view text = piece.text;
    StepMetrics row, last{.attempt = std::numeric_limits<int>::min(), .step = std::numeric_limits<std::int64_t>::min()};
    const auto take = [&] {
        piece.ordered = piece.ordered && row.step > last.step && row.attempt >= last.attempt;
        last.step = row.step;
        last.attempt = row.attempt;
        piece.metrics.push_back(row);
        if (!row.evalLosses.empty())
            piece.evalLosses = row.evalLosses;
    };
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        ++piece.lines;
        if (line.empty())
            continue;
        if (readPlainMetrics(line, row)) {
            take();
            continue;
        }
        Result<StepMetrics> metrics = readAnyMetrics(line);
        if (!metrics) {
            piece.problems.push_back({.line = piece.lines, .what = metrics.error().what});
            metrics = stepMetricsFromJson(behindCutLine(line));
        }
        if (metrics) {
            row = *std::move(metrics);
            take();
        }
    }
    return piece;
}

std::optional<std::int64_t> RunData::totalSteps() const
{
    if (!config)
        return std::nullopt;
    if (config->training.steps)
        return config->training.steps;
    if (config->training.runsScript() &&
        !config->tokens) // it trains for its own number of steps, not for a plan's tokens
        return std::nullopt;
    const Tokens perStep = config->tokensPerStep();
    const Tokens budget = config->tokens ? *config->tokens : prediction ? prediction->cost.tokens : 0;
    if (perStep <= 0 || budget <= 0)
        return std::nullopt;
    return ceilDiv(budget, perStep);
}

RunReader::RunReader(std::filesystem::path directory, Extent extent, const ReadLimits &limits)
    : m_run{.paths = {std::move(directory)}},
      m_extent(extent),
      m_limits(limits),
      m_metrics(m_run.paths.metrics()),
      m_events(m_run.paths.events()),
      m_log(m_run.paths.outLog())
{
    m_run.name = nameOf(m_run);
}

Result<RunChange> RunReader::poll()
{
    std::error_code failed;
    if (!std::filesystem::is_directory(m_run.paths.directory, failed)) {
        return Error{.what = failed ? "cannot be read: " + failed.message() : "is not a run directory",
            .where = m_run.paths.directory.string(),
            .accepted = "a directory that holds run.yaml"};
    }
    RunChange change;
    // The state is read before the files. If the run is seen to have ended, the files thus contain everything that it
    // wrote.
    const RunStatus status = statusOf(m_run.paths);
    change.status = status != m_run.status;
    m_run.status = status;
    readConfig(change);
    readPrediction(change);
    followLog(change);
    if (const Result<void> read = m_extent == Extent::Ends ? readEnds(change) : readMetrics(change); !read)
        return read.error();
    if (const Result<void> read = readEvents(change); !read)
        return read.error();
    if (const Result<void> read = m_extent == Extent::Ends ? Result<void>() : readLog(change); !read)
        return read.error();
    // Nobody completes the last line of a run that has ended.
    const auto reportCutLine = [this](const char *file, const LineFollower &follower, std::int64_t line) {
        const ReadProblem cut{.file = file, .line = line, .what = "the line is cut short"};
        const auto &known = m_run.problems;
        if (!follower.partial().empty() && std::find(known.begin(), known.end(), cut) == known.end())
            addProblem(file, cut.line, cut.what);
    };
    if (isTerminal(status.state) && !change.more) {
        reportCutLine("metrics.jsonl", m_metrics, m_metricsLine + 1);
        reportCutLine("events.jsonl", m_events, m_eventsLine + 1);
    }
    return change;
}

void RunReader::readConfig(RunChange &change)
{
    const auto time = writeTime(m_run.paths.config());
    if (time == m_configTime)
        return;
    m_configTime = time;
    change.config = true;
    const Result<std::string> text = readPrivateFile(m_run.paths.config(), kMiB);
    m_run.configText = text.valueOr({});
    m_run.config = std::nullopt;
    if (!text)
        return addProblem("run.yaml", 0, text.error().what);
    Result<RunConfig> config = readRunConfig(m_run.paths);
    if (config)
        m_run.config = *config;
    else
        addProblem("run.yaml", 0, config.error().message());
    m_run.name = nameOf(m_run);
}

void RunReader::readPrediction(RunChange &change)
{
    const auto time = writeTime(m_run.paths.prediction());
    if (time == m_predictionTime)
        return;
    m_predictionTime = time;
    change.config = true;
    m_run.prediction = std::nullopt;
    const Result<std::string> text = readPrivateFile(m_run.paths.prediction());
    Result<Prediction> prediction = text ? parsePrediction(*text) : text.error();
    if (prediction)
        m_run.prediction = std::move(*prediction);
    else
        addProblem("prediction.json", 0, prediction.error().message());
}

void RunReader::followLog(RunChange &change)
{
    if (!m_script && !hasScriptRules(m_run.paths))
        return;
    if (!m_script)
        m_script.emplace(m_run.paths);
    const Result<bool> more = m_script->poll(isTerminal(m_run.state()));
    if (more)
        change.more = change.more || *more;
    else if (!std::exchange(m_scriptFailed, true))
        addProblem("out.log", 0, more.error().message());
}

void RunReader::forgetMetrics(RunChange &change)
{
    m_run.metrics.clear();
    m_run.superseded.clear();
    m_run.evalLosses.clear();
    m_metricsLine = 0;
    m_metricsFull = m_supersededFull = false;
    change.restarted = change.metrics = true;
    change.metricsFrom = 0;
}

// Reads a long file in pieces on all cores, while further pieces are loaded. The results are used in the order of the
// file.
Result<void> RunReader::readMetrics(RunChange &change)
{
    const std::size_t most = static_cast<std::size_t>(usableThreads()) + 1;
    std::deque<std::future<ReadPiece>> ahead;
    std::string memory;
    const auto takeFirst = [&] {
        ReadPiece piece = ahead.front().get();
        ahead.pop_front();
        memory = std::move(piece.text);
        takeMetrics(std::move(piece), change);
    };
    Result<void> outcome;
    // Lines that are appended during the read are left to the next poll. So a file that grows faster than it is read
    // does not block the reader.
    std::optional<Bytes> wanted;
    for (bool more = true; more;) {
        Result<FollowedBytes> read = m_metrics.pollText(kMostAtOnce, std::exchange(memory, {}));
        if (!read) {
            outcome = read.error();
            break;
        }
        wanted = wanted ? *wanted - kMostAtOnce : std::min(read->left, m_limits.perPoll - kMostAtOnce);
        more = read->more && *wanted > 0 && !m_metricsFull;
        change.more = change.more || (read->more && !more && !m_metricsFull);
        if (read->restarted) {
            ahead.clear();
            forgetMetrics(change);
        }
        if (read->bytes.empty())
            continue;
        const std::launch when = more || !ahead.empty() ? std::launch::async : std::launch::deferred;
        ahead.push_back(
            std::async(when, [text = std::move(read->bytes)]() mutable { return readPiece(std::move(text)); }));
        if (ahead.size() >= most)
            takeFirst();
    }
    while (!ahead.empty())
        takeFirst();
    return outcome;
}

Result<void> RunReader::readEnds(RunChange &change)
{
    const Result<FileDescriptor> file = openPrivateFile(m_run.paths.metrics(), O_RDONLY);
    struct stat status{};
    if (!file || ::fstat(file->get(), &status) != 0)
        return readMetrics(change);
    std::string begin;
    ReadPiece end;
    const auto most = [&end] { return end.metrics.empty() ? kMostEndBytes : kEnoughEndBytes; };
    for (Bytes bytes = kEndBytes; end.metrics.size() < kEndSteps && bytes <= most(); bytes *= 4) {
        if (status.st_size <= bytes + kBeginBytes)
            return readMetrics(change);
        std::string text;
        int failure = begin.empty() ? readAt(*file, 0, static_cast<std::size_t>(kBeginBytes), begin) : 0;
        if (failure == 0)
            failure = readAt(*file, status.st_size - bytes, static_cast<std::size_t>(bytes), text);
        if (failure != 0)
            return Error{.what = "cannot read: " + systemMessage(failure),
                .where = m_run.paths.metrics().string(),
                .fault = Fault::Outside};
        text.erase(0, text.find('\n') + 1);
        end = readPiece(std::move(text));
    }
    // Keeps the first line, and the complete lines of the end.
    m_run.metrics.clear();
    m_run.superseded.clear();
    begin.resize(begin.find('\n') == std::string::npos ? 0 : begin.find('\n') + 1);
    takeMetrics(readPiece(std::move(begin)), change);
    takeMetrics(std::move(end), change);
    change.metricsFrom = 0;
    return {};
}

void RunReader::takeMetrics(ReadPiece piece, RunChange &change)
{
    if (!change.metrics)
        change.metricsFrom = m_run.metrics.size();
    change.metrics = true;
    for (ReadProblem &problem : piece.problems)
        addProblem("metrics.jsonl", m_metricsLine + problem.line, std::move(problem.what));
    m_metricsLine += piece.lines;
    const StepTable &all = m_run.metrics;
    if (!m_metricsFull && all.valuesWith(piece.metrics) > m_limits.values) {
        m_metricsFull = true;
        addProblem("metrics.jsonl", m_metricsLine, "holds more values than fit in memory; later steps are left out");
    }
    if (m_metricsFull)
        return;
    if (!piece.evalLosses.empty())
        m_run.evalLosses = std::move(piece.evalLosses);
    const bool follows =
        all.empty() || piece.metrics.empty() ||
        (piece.metrics.step(0) > all.step(all.size() - 1) && piece.metrics.attempt(0) >= all.attempt(all.size() - 1));
    if (piece.ordered && follows) {
        m_run.metrics.append(piece.metrics);
        return;
    }
    for (const StepMetrics &metrics : piece.metrics)
        addMetrics(metrics, change);
}

Result<void> RunReader::readEvents(RunChange &change)
{
    Bytes left = m_limits.perPoll - kMostAtOnce;
    for (bool more = true; more; left -= kMostAtOnce) {
        const Result<FollowedLines> read = m_events.poll(kMostAtOnce);
        if (!read)
            return read.error();
        more = read->more && left > 0 && !m_eventsFull;
        change.more = change.more || (read->more && !more && !m_eventsFull);
        if (read->restarted) {
            m_run.events.clear();
            m_eventsLine = m_eventBytes = 0;
            m_eventsFull = false;
            change.events = true;
        }
        for (const std::string &line : read->lines) {
            ++m_eventsLine;
            if (line.empty() || m_eventsFull)
                continue;
            m_eventBytes += static_cast<Bytes>(line.size());
            if (m_run.events.size() == m_limits.events || m_eventBytes > m_limits.eventBytes) {
                m_eventsFull = true;
                addProblem("events.jsonl", m_eventsLine, "holds more events than are kept; later ones are left out");
                continue;
            }
            Result<RunEvent> event = runEventFromJson(line);
            if (!event) {
                addProblem("events.jsonl", m_eventsLine, event.error().what);
                event = runEventFromJson(behindCutLine(line));
            }
            if (event)
                m_run.events.push_back(std::move(*event));
            change.events = true;
        }
    }
    return {};
}

Result<void> RunReader::readLog(RunChange &change)
{
    Result<FollowedBytes> read = m_log.pollEnd(kMostAtOnce);
    if (!read)
        return read.error();
    change.log = !read->bytes.empty();
    if (read->skipped > 0)
        change.logText = "[" + formatBytes(read->skipped) + " of the log are left out here]\n";
    change.logText += read->bytes;
    return {};
}

void RunReader::addMetrics(const StepMetrics &metrics, RunChange &change)
{
    StepTable &all = m_run.metrics;
    // The file is written in order. If an earlier attempt still writes after a later one began, its rows do not count.
    if (!all.empty() && metrics.attempt < all.attempt(all.size() - 1)) {
        supersede(metrics);
        return;
    }
    if (!all.empty() && metrics.step <= all.step(all.size() - 1)) {
        const std::size_t repeated = all.firstNotBefore(metrics.step);
        change.metricsFrom = std::min(change.metricsFrom, repeated);
        for (std::size_t i = repeated; i < all.size(); ++i)
            supersede(all[i]);
        all.truncate(repeated);
    }
    all.push_back(metrics);
}

void RunReader::supersede(const StepMetrics &metrics)
{
    if (m_run.superseded.size() < m_limits.superseded)
        return m_run.superseded.push_back(metrics);
    if (!std::exchange(m_supersededFull, true))
        addProblem("metrics.jsonl", m_metricsLine, "repeats more steps than are kept of earlier attempts");
}

void RunReader::addProblem(const char *file, std::int64_t line, std::string what)
{
    ++m_run.problemCount;
    if (m_run.problems.size() < kMostProblems)
        m_run.problems.push_back({.file = file, .line = line, .what = std::move(what)});
}

Result<RunData> readRun(const std::filesystem::path &directory, RunReader::Extent extent)
{
    RunReader reader(directory, extent);
    for (bool more = true; more;) {
        const Result<RunChange> read = reader.poll();
        if (!read)
            return read.error();
        more = read->more;
    }
    return std::move(reader).run();
}

std::string lastErrors(const RunPaths &paths, std::size_t lines)
{
    const std::optional<NodesEnded> ended = readNodesEnded(paths);
    const RunPaths part = ended ? pathsOfNode(paths, ended->node) : paths;
    const Result<FileDescriptor> file =
        openPrivateFile(hasScriptRules(paths) ? part.outLog() : part.errLog(), O_RDONLY);
    struct stat status{};
    std::string text;
    if (file && ::fstat(file->get(), &status) == 0)
        (void)readAt(*file, std::max<std::int64_t>(0, status.st_size - kBeginBytes),
            static_cast<std::size_t>(kBeginBytes), text);
    const std::string_view all = trimmed(text);
    std::size_t begin = all.size();
    for (std::size_t line = 0; line < lines && begin != std::string_view::npos && begin > 0; ++line)
        begin = all.rfind('\n', begin - 1);
    return std::string(begin == std::string_view::npos || begin == 0 ? all : all.substr(begin + 1));
}

} // namespace slipway
