// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_reader.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <future>
#include <limits>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "predict/predict.h"
#include "runs/metrics_line.h"

namespace slipway {

namespace {

constexpr Bytes kMostAtOnce =
    kMiB; // fits the caches, and its memory is used again: clearing fresh pages costs as much as reading
constexpr Bytes kBeginBytes = 64 * kKiB, kEndBytes = 256 * kKiB; // of the ends of a metrics file: hundreds of steps

// When the file was last written, and nothing where it does not exist.
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

// A crash can cut a line, and the next attempt then appends to what is left of it: the whole line hides behind the cut
// one.
std::string_view behindCutLine(std::string_view line)
{
    const std::size_t begin = line.rfind("{\"v\":");
    return begin == std::string_view::npos || begin == 0 ? std::string_view() : line.substr(begin);
}

} // namespace

// What one thread made of its share of the lines.
struct RunReader::ReadPiece {
    StepTable metrics;
    bool ordered = true;               // steps rise and no attempt follows a later one
    std::vector<ReadProblem> problems; // lines count from 1 within the piece
    std::int64_t lines = 0;
    std::string text; // what was read, as memory for the next piece
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
        Result<StepMetrics> metrics = stepMetricsFromJson(line);
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
    const Tokens perStep = config->tokensPerStep();
    const Tokens budget = config->tokens ? *config->tokens : prediction ? prediction->cost.tokens : 0;
    if (perStep <= 0 || budget <= 0)
        return std::nullopt;
    return ceilDiv(budget, perStep);
}

RunReader::RunReader(std::filesystem::path directory, Extent extent)
    : m_run{.paths = {std::move(directory)}},
      m_extent(extent),
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
    // First the state, then the files: what a run wrote before it ended is in when it is seen to have ended.
    const RunStanding standing = standingOf(m_run.paths);
    change.standing = standing != m_run.standing;
    m_run.standing = standing;
    readConfig(change);
    readPrediction(change);
    if (const Result<void> read = m_extent == Extent::Ends ? readEnds(change) : readMetrics(change); !read)
        return read.error();
    if (const Result<void> read = readEvents(change); !read)
        return read.error();
    if (const Result<void> read = m_extent == Extent::Ends ? Result<void>() : readLog(change); !read)
        return read.error();
    return change;
}

void RunReader::readConfig(RunChange &change)
{
    const auto time = writeTime(m_run.paths.config());
    if (time == m_configTime)
        return;
    m_configTime = time;
    change.config = true;
    const Result<std::string> text = readFile(m_run.paths.config());
    m_run.configText = text.valueOr({});
    m_run.config = std::nullopt;
    if (!text)
        return addProblem("run.yaml", 0, text.error().what);
    Result<RunConfig> config = readRunConfig(m_run.paths.config());
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
    const Result<std::string> text = readFile(m_run.paths.prediction());
    const nlohmann::json json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    Result<Prediction> prediction = predictionFromJson(json);
    if (prediction)
        m_run.prediction = std::move(*prediction);
    else
        addProblem("prediction.json", 0, prediction.error().message());
}

// A long file in pieces, read on all cores while the next ones are fetched; taken in the file's order.
Result<void> RunReader::readMetrics(RunChange &change)
{
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency()) + 1;
    std::deque<std::future<ReadPiece>> ahead;
    std::string memory;
    const auto takeFirst = [&] {
        ReadPiece piece = ahead.front().get();
        ahead.pop_front();
        memory = std::move(piece.text);
        takeMetrics(std::move(piece), change);
    };
    Result<void> outcome;
    for (bool more = true; more;) {
        Result<FollowedBytes> read = m_metrics.pollText(kMostAtOnce, std::move(memory));
        if (!read) {
            outcome = read.error();
            break;
        }
        more = read->more;
        if (read->restarted) {
            ahead.clear();
            m_run.metrics.clear();
            m_run.superseded.clear();
            m_metricsLine = 0;
            change.restarted = change.metrics = true;
            change.metricsFrom = 0;
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
    std::error_code failed;
    const auto size = static_cast<Bytes>(std::filesystem::file_size(m_run.paths.metrics(), failed));
    if (failed || size <= kEndBytes + kBeginBytes)
        return readMetrics(change);
    std::ifstream file(m_run.paths.metrics(), std::ios::binary);
    std::string begin(static_cast<std::size_t>(kBeginBytes), '\0'), end(static_cast<std::size_t>(kEndBytes), '\0');
    file.read(begin.data(), kBeginBytes);
    file.seekg(size - kEndBytes);
    file.read(end.data(), kEndBytes);
    end.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad())
        return Error{.what = "cannot be read", .where = m_run.paths.metrics().string(), .fault = Fault::Outside};
    // The first line, and the whole ones of the end.
    m_run.metrics.clear();
    m_run.superseded.clear();
    begin.resize(begin.find('\n') == std::string::npos ? 0 : begin.find('\n') + 1);
    end.erase(0, end.find('\n') + 1);
    end.resize(end.rfind('\n') == std::string::npos ? 0 : end.rfind('\n') + 1);
    takeMetrics(readPiece(begin + end), change);
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
    for (bool more = true; more;) {
        const Result<FollowedLines> read = m_events.poll(kMostAtOnce);
        if (!read)
            return read.error();
        more = read->more;
        if (read->restarted) {
            m_run.events.clear();
            m_eventsLine = 0;
            change.events = true;
        }
        for (const std::string &line : read->lines) {
            ++m_eventsLine;
            if (line.empty())
                continue;
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
    Result<FollowedBytes> read = m_log.poll(kMostAtOnce);
    if (!read)
        return read.error();
    change.log = !read->bytes.empty();
    change.logText = std::move(read->bytes);
    return {};
}

void RunReader::addMetrics(const StepMetrics &metrics, RunChange &change)
{
    StepTable &all = m_run.metrics;
    // The file is written in order: an earlier attempt that still writes after a later one began has lost its say.
    if (!all.empty() && metrics.attempt < all.attempt(all.size() - 1)) {
        m_run.superseded.push_back(metrics);
        return;
    }
    if (!all.empty() && metrics.step <= all.step(all.size() - 1)) {
        const std::size_t repeated = all.firstNotBefore(metrics.step);
        change.metricsFrom = std::min(change.metricsFrom, repeated);
        for (std::size_t i = repeated; i < all.size(); ++i)
            m_run.superseded.push_back(all[i]);
        all.truncate(repeated);
    }
    all.push_back(metrics);
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
    if (const Result<RunChange> read = reader.poll(); !read)
        return read.error();
    return std::move(reader).run();
}

std::string lastErrors(const RunPaths &paths, std::size_t lines)
{
    std::ifstream file(paths.errLog(), std::ios::binary | std::ios::ate);
    const auto size = static_cast<Bytes>(file ? static_cast<std::streamoff>(file.tellg()) : 0);
    std::string text(static_cast<std::size_t>(std::clamp<Bytes>(size, 0, kBeginBytes)), '\0');
    file.seekg(size - static_cast<Bytes>(text.size()));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    const std::string_view all = trimmed(text);
    std::size_t begin = all.size();
    for (std::size_t line = 0; line < lines && begin != std::string_view::npos && begin > 0; ++line)
        begin = all.rfind('\n', begin - 1);
    return std::string(begin == std::string_view::npos || begin == 0 ? all : all.substr(begin + 1));
}

} // namespace slipway
