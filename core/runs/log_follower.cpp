// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_follower.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "runs/append_event.h"
#include "runs/follower.h"
#include "runs/tensorboard.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAtOnce = kMiB; // of the log
constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kMostRecalled = 5'000'000; // steps
constexpr int kMostRounds = 64;                  // of one call
constexpr Bytes kLargestState = 4 * kMiB;
constexpr double kClockStops = 10; // seconds

double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Error cannot(const char *what, const std::filesystem::path &path, int errorNumber)
{
    return {.what = std::string(what) + systemMessage(errorNumber), .where = path.string(), .fault = Fault::Outside};
}

// The user's own log may be a link; a file of the run directory may not.
Result<FileDescriptor> openLog(const std::filesystem::path &path, bool own)
{
    if (own)
        return openPrivateFile(path, O_RDONLY);
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
        return cannot("cannot be read: ", path, errno);
    return file;
}

} // namespace

LogFollower::LogFollower(RunPaths paths) : m_paths(std::move(paths)), m_clock(m_paths.directory / "script.times") {}

LogFollower::State LogFollower::readState() const
{
    State state;
    const Result<std::string> text = readPrivateFile(m_paths.directory / "script.state", kLargestState);
    const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(text.error());
    if (!json || !json->is_object())
        return state;
    try { // a key of another type than it was written with
        state.offset = json->value("offset", std::int64_t{0});
        state.inode = json->value("inode", std::uint64_t{0});
        state.metrics = json->value("metrics", std::int64_t{0});
        state.written = json->value("written", 0.0);
        state.longLine = json->value("long_line", false);
        state.skip = json->value("skip", std::int64_t{0});
        state.headBytes = json->value("head_bytes", std::int64_t{0});
        state.headSum = json->value("head_sum", std::uint32_t{0});
        state.generation = json->value("generation", std::int64_t{0});
        state.again = json->value("again", false);
        state.damaged = json->value("damaged", false);
        state.steps = logStepsStateFromJson(json->value("steps", nlohmann::json::object()));
    } catch (const nlohmann::json::exception &) {
        return {};
    }
    return state.offset < 0 || state.metrics < 0 || state.skip < 0 ? State{} : state;
}

Result<void> LogFollower::writeState(const State &state) const
{
    const Json json{{"version", 1}, {"offset", state.offset}, {"inode", state.inode}, {"metrics", state.metrics},
        {"written", state.written}, {"long_line", state.longLine}, {"skip", state.skip},
        {"head_bytes", state.headBytes}, {"head_sum", state.headSum}, {"generation", state.generation},
        {"again", state.again}, {"damaged", state.damaged}, {"steps", toJson(state.steps)}};
    return writePrivateFile(
        m_paths.directory / "script.state", json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<bool> LogFollower::poll(bool ended)
{
    if (!m_steps) {
        const Result<ScriptRules> rules = readScriptRules(m_paths);
        if (!rules)
            return rules.error();
        Result<LogSteps> made = LogSteps::make(*rules);
        if (!made)
            return made.error();
        m_rules = *rules;
        m_steps = *std::move(made);
    }
    const Result<FileDescriptor> lock = openPrivateFile(m_paths.directory / "script.lock", O_RDWR | O_CREAT);
    if (!lock)
        return lock.error();
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0)
        return false;
    State state = readState();
    return follow(state, ended);
}

Result<void> LogFollower::beginLogAgain()
{
    State state = readState();
    return writeState({.metrics = state.metrics, .steps = std::move(state.steps)});
}

struct LogFollower::Log {
    std::filesystem::path path;
    FileDescriptor file;
    struct stat status{};
    std::string head;
};

Result<bool> LogFollower::follow(State &state, bool ended)
{
    if (!m_rules.attached)
        m_clock.poll(); // before the log is opened: what it tells of is there
    Log log{.path = scriptLogFile(m_paths, m_rules), .file = FileDescriptor(), .status = {}, .head = {}};
    Result<FileDescriptor> opened = openLog(log.path, log.path == m_paths.outLog());
    if (!opened || ::fstat(opened->get(), &log.status) != 0 || !S_ISREG(log.status.st_mode))
        return m_rules.attached && !opened ? Result<bool>(opened.error()) : Result<bool>(false); // not there yet
    log.file = *std::move(opened);
    if (const int failure = readAt(log.file, 0, kHeadBytes, log.head); failure != 0)
        return cannot("cannot be read: ", log.path, failure);
    m_written = static_cast<double>(log.status.st_mtim.tv_sec) + static_cast<double>(log.status.st_mtim.tv_nsec) * 1e-9;
    if (isAnew(state, log)) {
        const bool hasOwnClock = !m_rules.attached && !m_rules.log.empty();
        if (hasOwnClock && m_clock.generation() == state.generation && !ended && !clockStopped())
            return false; // its clock has not seen it yet
        state.offset = state.skip = 0;
        state.longLine = state.damaged = false;
        state.steps.columns.clear();
        state.again = true;
        m_recalled = false;
    }
    state.generation = m_clock.generation();
    state.inode = log.status.st_ino;
    m_steps->setState(state.steps);
    if (state.offset == log.status.st_size && !(ended && state.steps.open))
        return false;
    recallSteps(state);
    const std::int64_t ready = readyBytes(state, log.status.st_size, ended);
    const bool isState = logFormatOf(log.head) == LogFormat::TrainerState;
    Result<Taken> taken = isState ? takeTrainerState(log, ready, state) : takeLog(log, ready, ended, state);
    if (!taken)
        return taken.error();
    if (ended && !taken->more && m_steps->state().open)
        m_steps->finish(taken->steps);
    const std::optional<std::string> complaint = m_steps->complaint();
    if (!taken->changed && taken->steps.empty() && !complaint)
        return false;
    state.written = m_written;
    state.headBytes = static_cast<std::int64_t>(log.head.size());
    state.headSum = crc32c(log.head);
    if (const Result<void> written = append(taken->steps, state); !written)
        return written.error();
    state.steps = m_steps->state();
    if (const Result<void> written = writeState(state); !written)
        return written.error();
    if (complaint)
        appendEvent(
            m_paths, {.time = utcNow(), .attempt = state.steps.attempt, .kind = "alert", .message = *complaint});
    return taken->more;
}

// Shorter than what was read, another file, or one that begins otherwise.
bool LogFollower::isAnew(const State &state, const Log &log) const
{
    if (state.offset > log.status.st_size || (state.inode != 0 && state.inode != log.status.st_ino) ||
        (state.offset > 0 && state.generation != m_clock.generation()))
        return true;
    const auto known = static_cast<std::size_t>(std::clamp<std::int64_t>(state.headBytes, 0, kHeadBytes));
    return log.head.size() < known ||
           (known > 0 && crc32c(std::string_view(log.head).substr(0, known)) != state.headSum);
}

bool LogFollower::clockStopped() const
{
    return secondsNow() - m_written > kClockStops ||
           (m_clock.noted() >= 0 && m_written - m_clock.notedAt() > kClockStops);
}

// Lines wait until their time is known: the host notes it once a second. It is not waited for when the clock has
// stopped. A log of somebody else has no clock: what came since the last look is spread over the time between.
std::int64_t LogFollower::readyBytes(const State &state, std::int64_t size, bool ended)
{
    if (m_rules.attached) {
        m_clock = LogClock(std::filesystem::path());
        const double before = state.written > 0 ? std::min(state.written, m_written) : m_written;
        m_clock.note(before, before, state.offset);
        m_clock.note(before, m_written, size);
        return size;
    }
    return ended || clockStopped() ? size : std::clamp<std::int64_t>(m_clock.noted(), 0, size);
}

// What metrics.jsonl has of a log that was written anew is not told again. What stands behind `state.metrics` there
// does not count.
void LogFollower::recallSteps(const State &state)
{
    if (!state.again || std::exchange(m_recalled, true))
        return;
    std::unordered_map<std::int64_t, double> told;
    LineFollower metrics(m_paths.metrics());
    std::int64_t end = 0;
    for (bool more = true; more;) {
        const Result<FollowedLines> read = metrics.poll();
        if (!read)
            break;
        for (const std::string &line : read->lines) {
            end += static_cast<std::int64_t>(line.size()) + 1;
            const Result<StepMetrics> step = stepMetricsFromJson(line);
            if (step && end <= state.metrics && (told.size() < kMostRecalled || told.count(step->step) > 0))
                told[step->step] = step->loss;
        }
        more = read->more && end < state.metrics;
    }
    m_steps->setTold(std::move(told));
}

Result<LogFollower::Taken> LogFollower::takeLog(const Log &log, std::int64_t ready, bool ended, State &state)
{
    Taken taken{.steps = {}, .more = true, .changed = false};
    const LogFormat format = logFormatOf(log.head);
    for (int round = 0; taken.more && round < kMostRounds; ++round) {
        const std::int64_t before = state.offset;
        const bool wasDamaged = state.damaged;
        if (state.skip > 0 && ready > state.offset) {
            const std::int64_t passed = std::min(state.skip, ready - state.offset);
            state.offset += passed;
            state.skip -= passed;
        }
        std::string bytes;
        const auto count = static_cast<std::size_t>(
            std::clamp<std::int64_t>(ready - state.offset, 0, static_cast<std::int64_t>(kAtOnce)));
        if (const int failure = readAt(log.file, state.offset, count, bytes); failure != 0)
            return cannot("cannot be read: ", log.path, failure);
        taken.more = bytes.size() == kAtOnce || state.skip > 0;
        if (format == LogFormat::Lines)
            takeBytes(bytes, ended && !taken.more, state, taken.steps);
        else if (state.skip == 0)
            takeRecords(bytes, format, state, taken.steps);
        taken.changed = taken.changed || state.offset != before || state.damaged != wasDamaged;
        taken.more = taken.more && state.offset != before;
    }
    return taken;
}

void LogFollower::takeRecords(std::string_view bytes, LogFormat format, State &state, std::vector<StepMetrics> &steps)
{
    const LogRecords records = format == LogFormat::TensorBoard
                                   ? tensorBoardRecords(bytes)
                                   : wandbRecords(bytes, state.offset, bytes.size() == kAtOnce);
    const std::int64_t end = state.offset + static_cast<std::int64_t>(records.taken);
    if (records.taken > 0)
        beginAttemptAt(end - 1, steps);
    for (const LoggedValues &record : records.list)
        m_steps->takeValues(record, record.time.value_or(m_clock.timeOf(end - 1, m_written)), steps);
    state.offset = end;
    state.skip = records.behind;
    if (records.isDamaged && !std::exchange(state.damaged, true))
        appendEvent(m_paths, {.time = utcNow(),
                                 .attempt = m_steps->state().attempt,
                                 .kind = "alert",
                                 .message = "the log cannot be read behind its byte " + std::to_string(end) +
                                            ": no record begins there. Later steps are missing"});
}

// The file holds all steps so far, and is written anew with each checkpoint. Nobody knows the times of its steps: those
// that are new are spread over the time since it was read last.
Result<LogFollower::Taken> LogFollower::takeTrainerState(const Log &log, std::int64_t ready, State &state)
{
    Taken taken;
    const std::int64_t size = log.status.st_size;
    if (ready < size || state.offset == size)
        return taken;
    std::string text;
    if (const int failure = readAt(log.file, 0, static_cast<std::size_t>(std::min(size, kLargestTrainerState)), text);
        failure != 0)
        return cannot("cannot be read: ", log.path, failure);
    const Result<std::vector<LoggedValues>> records = trainerStateRecords(text);
    if (!records)
        return taken; // it is being written
    beginAttemptAt(size - 1, taken.steps);
    const std::int64_t last = m_steps->state().last;
    std::int64_t most = last;
    for (const LoggedValues &record : *records)
        most = std::max(most, record.step);
    const double before = state.written > 0 ? std::min(state.written, m_written) : m_written;
    for (const LoggedValues &record : *records) {
        const double part = record.step <= last || most <= last
                                ? 0.0
                                : static_cast<double>(record.step - last) / static_cast<double>(most - last);
        m_steps->takeValues(record, before + (m_written - before) * part, taken.steps);
    }
    m_steps->finish(taken.steps);
    state.offset = size;
    taken.changed = true;
    return taken;
}

// Whole lines are taken; the begin of one without an end waits for the rest, unless it is longer than any line of a
// log.
void LogFollower::takeBytes(std::string_view bytes, bool last, State &state, std::vector<StepMetrics> &steps)
{
    std::size_t begin = 0;
    for (std::size_t end = bytes.find_first_of("\n\r"); end != std::string_view::npos;
        end = bytes.find_first_of("\n\r", begin)) {
        if (!std::exchange(state.longLine, false))
            takeLine(bytes.substr(begin, end - begin), state.offset + static_cast<std::int64_t>(end), steps);
        begin = end + 1;
    }
    const std::string_view rest = bytes.substr(begin);
    const bool tooLong = bytes.size() == kAtOnce && begin == 0;
    if (tooLong || (last && !rest.empty())) {
        if (!state.longLine)
            takeLine(rest, state.offset + static_cast<std::int64_t>(bytes.size()) - 1, steps);
        state.longLine = tooLong;
        begin = bytes.size();
    }
    state.offset += static_cast<std::int64_t>(begin);
}

void LogFollower::beginAttemptAt(std::int64_t offset, std::vector<StepMetrics> &steps)
{
    if (const std::optional<int> attempt = m_clock.attemptAt(offset); attempt && *attempt > m_steps->state().attempt)
        m_steps->beginAttempt(*attempt, steps);
}

// `at`: where the line ends.
void LogFollower::takeLine(std::string_view line, std::int64_t at, std::vector<StepMetrics> &steps)
{
    beginAttemptAt(at, steps);
    std::string plain;
    if (line.find('\0') != std::string_view::npos) { // every second byte of what a shell of Windows redirects
        plain = line.substr(0, 2 * kLongestLogLine);
        std::erase(plain, '\0');
        line = plain;
    }
    m_steps->take(line.substr(0, kLongestLogLine), m_clock.timeOf(at, m_written), steps);
}

// Behind what counts: what a process that broke off had written after its last state is written again.
Result<void> LogFollower::append(std::vector<StepMetrics> &steps, State &state) const
{
    const Result<FileDescriptor> file = openPrivateFile(m_paths.metrics(), O_RDWR | O_CREAT);
    if (!file)
        return file.error();
    struct stat status{};
    if (::fstat(file->get(), &status) != 0)
        return cannot("cannot be read: ", m_paths.metrics(), errno);
    state.metrics = std::min<std::int64_t>(state.metrics, status.st_size);
    if (status.st_size > state.metrics && ::ftruncate(file->get(), state.metrics) != 0)
        return cannot("cannot be written: ", m_paths.metrics(), errno);
    std::string text;
    for (StepMetrics &step : steps) {
        if (const auto time = fromIso8601(step.time))
            step.gpus = m_clock.gpusAt(std::chrono::duration<double>(time->time_since_epoch()).count());
        text += toJsonLine(step) + "\n";
    }
    for (std::string_view left = text; !left.empty();) {
        const ssize_t count = ::pwrite(file->get(), left.data(), left.size(), state.metrics);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return cannot("cannot be written: ", m_paths.metrics(), errno);
        state.metrics += count;
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

} // namespace slipway
