// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_follower.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "runs/append_event.h"
#include "runs/follower.h"
#include "runs/tensorboard.h"

namespace slipway {

namespace {

constexpr std::size_t kAtOnce = kMiB; // bytes of the log per read
constexpr std::int64_t kLogHeadBytes = 256, kLogTailBytes = 256;
constexpr int kMostRounds = 64;    // per call
constexpr double kClockStops = 10; // seconds

double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Error cannot(const char *what, const std::filesystem::path &path, int errorNumber)
{
    return {.what = std::string(what) + systemMessage(errorNumber), .where = path.string(), .fault = Fault::Outside};
}

} // namespace

LogFollower::LogFollower(RunPaths paths) : m_paths(std::move(paths)), m_clock(m_paths.directory / "script.times") {}

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
    std::int64_t from = 0, size = 0; // the range of the file that is this log
    std::string head;
};

// The checksum of the bytes before `offset`.
std::uint32_t LogFollower::sumBefore(const Log &log, std::int64_t offset, std::int64_t bytes)
{
    std::string text;
    const int failure = readAt(log.file, log.from + offset - bytes, static_cast<std::size_t>(bytes), text);
    return failure == 0 ? crc32c(text) : 0;
}

// The user's own log may be a symbolic link. A file of the run directory may not.
Result<LogFollower::Log> LogFollower::openLog(const std::filesystem::path &path, std::int64_t from, std::int64_t end)
{
    const bool own = path == m_paths.outLog() || path == keptLogFile(m_paths);
    Result<FileDescriptor> file =
        own ? openPrivateFile(path, O_RDONLY)
            : Result<FileDescriptor>(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
    if (!file)
        return file.error();
    Log log{.path = path, .file = *std::move(file), .status = {}, .from = from, .size = 0, .head = {}};
    if (!log.file || ::fstat(log.file.get(), &log.status) != 0)
        return cannot("cannot be read: ", path, errno);
    log.size = (end < 0 ? log.status.st_size : end) - from;
    const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(log.size, 0, kLogHeadBytes));
    if (const int failure = S_ISREG(log.status.st_mode) ? readAt(log.file, from, most, log.head) : 0; failure != 0)
        return cannot("cannot be read: ", path, failure);
    m_written = static_cast<double>(log.status.st_mtim.tv_sec) + static_cast<double>(log.status.st_mtim.tv_nsec) * 1e-9;
    return log;
}

Result<bool> LogFollower::follow(State &state, bool ended)
{
    if (!m_rules.attached)
        m_clock.poll(); // before the log is opened, so that the log has all bytes that the clock mentions
    m_steps->setState(state.steps);
    for (; state.generation < m_clock.generation(); beginLog(state), ++state.generation) {
        const KeptLog *const kept = m_clock.kept(state.generation);
        bool waits = false;
        if (const Result<bool> more = kept ? takeKept(*kept, state, waits) : false; !more || *more || waits)
            return more;
    }
    const Result<Log> opened = openLog(scriptLogFile(m_paths, m_rules));
    if (!opened || !S_ISREG(opened->status.st_mode))
        return m_rules.attached && !opened ? Result<bool>(opened.error()) : Result<bool>(false); // does not exist yet
    const Log &log = *opened;
    m_times = &m_clock.times();
    if (isNewLog(state, log)) {
        const bool hasOwnClock = !m_rules.attached && !m_rules.log.empty();
        if (hasOwnClock && !ended && !clockStopped())
            return false; // the clock does not cover this log yet
        beginLog(state);
    }
    if (state.offset == log.size && !(ended && (m_steps->state().open || m_steps->state().held)))
        return false;
    recallSteps(state);
    const std::int64_t ready = readyBytes(state, log.size, ended);
    const bool isState = logFormatOf(log.head) == LogFormat::TrainerState;
    Result<Taken> taken = isState ? takeTrainerState(log, ready, state) : takeLog(log, ready, ended, state);
    if (!taken)
        return taken.error();
    if (ended && !taken->more)
        m_steps->finish(taken->steps);
    return keep(*std::move(taken), log, state);
}

// Reads the rest of a log that was overwritten before it was read to its end. Its last line may have been cut.
Result<bool> LogFollower::takeKept(const KeptLog &kept, State &state, bool &waits)
{
    const Result<Log> log = openLog(keptLogFile(m_paths), kept.from, kept.end);
    if (!log || !S_ISREG(log->status.st_mode) || logFormatOf(log->head) == LogFormat::TrainerState)
        return false;
    waits = log->status.st_size < kept.end; // the rest has not been copied from the host yet
    if (waits)
        return false;
    if (isNewLog(state, *log))
        beginLog(state);
    m_times = &kept.times;
    recallSteps(state);
    Result<Taken> taken = takeLog(*log, log->size, false, state);
    return taken ? keep(*std::move(taken), *log, state) : Result<bool>(taken.error());
}

// Starts to read a log from its beginning. The log may repeat steps of the one before.
void LogFollower::beginLog(State &state)
{
    state.offset = state.skip = state.headBytes = state.tailBytes = 0;
    state.longLine = state.damaged = false;
    state.again = true;
    m_steps->beginLog();
    state.steps = m_steps->state();
}

// Writes the steps and the state. Returns true if there is more to read.
Result<bool> LogFollower::keep(Taken taken, const Log &log, State &state)
{
    const std::optional<std::string> complaint = m_steps->complaint();
    if (!taken.changed && taken.steps.empty() && !complaint)
        return false;
    state.written = m_written;
    state.headBytes = static_cast<std::int64_t>(log.head.size());
    state.headSum = crc32c(log.head);
    state.tailBytes = std::min(kLogTailBytes, state.offset);
    state.tailSum = sumBefore(log, state.offset, state.tailBytes);
    if (const Result<void> written = append(taken.steps, state); !written)
        return written.error();
    state.steps = m_steps->state();
    if (const Result<void> written = writeState(state); !written)
        return written.error();
    if (complaint)
        appendEvent(
            m_paths, {.time = utcNow(), .attempt = state.steps.attempt, .kind = "alert", .message = *complaint});
    return taken.more;
}

// Whether the log was overwritten: it is shorter than what was read, or its first or last read bytes differ.
bool LogFollower::isNewLog(const State &state, const Log &log)
{
    if (state.offset > log.size)
        return true;
    const auto head = static_cast<std::size_t>(std::clamp<std::int64_t>(state.headBytes, 0, kLogHeadBytes));
    if (log.head.size() < head || (head > 0 && crc32c(std::string_view(log.head).substr(0, head)) != state.headSum))
        return true;
    const std::int64_t tail = std::clamp<std::int64_t>(state.tailBytes, 0, std::min(kLogTailBytes, state.offset));
    return tail > 0 && sumBefore(log, state.offset, tail) != state.tailSum;
}

bool LogFollower::clockStopped() const
{
    return secondsNow() - m_written > kClockStops ||
           (m_times->noted() >= 0 && m_written - m_times->notedAt() > kClockStops);
}

// The number of bytes whose time is known. The host notes the size of the log once a second. If this clock has stopped,
// nothing waits for it. An attached log has no clock: the bytes since the last look are spread evenly over the time
// since then.
std::int64_t LogFollower::readyBytes(const State &state, std::int64_t size, bool ended)
{
    if (m_rules.attached) {
        m_clock = LogClock(std::filesystem::path());
        const double before = state.written > 0 ? std::min(state.written, m_written) : m_written;
        m_clock.note(before, before, state.offset);
        m_clock.note(before, m_written, size);
        return size;
    }
    return ended || clockStopped() ? size : std::clamp<std::int64_t>(m_times->noted(), 0, size);
}

// Collects the steps that metrics.jsonl already has, so that a log that was started again does not repeat them. Bytes
// after `state.metrics` do not count.
void LogFollower::recallSteps(const State &state)
{
    if (!state.again || std::exchange(m_recalled, true))
        return;
    std::unordered_map<std::int64_t, double> reported;
    LineFollower metrics(m_paths.metrics());
    std::int64_t end = 0;
    for (bool more = true; more;) {
        const Result<FollowedLines> read = metrics.poll();
        if (!read)
            break;
        for (const std::string &line : read->lines) {
            end += static_cast<std::int64_t>(line.size()) + 1;
            const Result<StepMetrics> step = stepMetricsFromJson(line);
            if (step && end <= state.metrics &&
                (reported.size() < LogSteps::kMostReported || reported.count(step->step) > 0))
                reported[step->step] = step->loss;
        }
        more = read->more && end < state.metrics;
    }
    m_steps->setReportedLosses(std::move(reported));
}

Result<LogFollower::Taken> LogFollower::takeLog(const Log &log, std::int64_t ready, bool ended, State &state)
{
    Taken taken{.steps = {}, .more = true, .changed = false};
    const LogFormat format = logFormatOf(log.head);
    for (int round = 0; taken.more && round < kMostRounds && taken.steps.size() < kStepsAtOnce; ++round) {
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
        if (const int failure = readAt(log.file, log.from + state.offset, count, bytes); failure != 0)
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
        m_steps->takeValues(record, record.time.value_or(m_times->timeOf(end - 1, m_written)), steps);
    state.offset = end;
    state.skip = records.behind;
    if (records.isDamaged && !std::exchange(state.damaged, true))
        appendEvent(m_paths, {.time = utcNow(),
                                 .attempt = m_steps->state().attempt,
                                 .kind = "alert",
                                 .message = "the log cannot be read beyond byte " + std::to_string(end) +
                                            ", because no record begins there. Later steps are missing"});
}

// The file holds all steps so far and is rewritten with each checkpoint. The times of its steps are unknown. New steps
// are spread evenly over the time since the last read.
Result<LogFollower::Taken> LogFollower::takeTrainerState(const Log &log, std::int64_t ready, State &state)
{
    Taken taken;
    const std::int64_t size = log.size;
    if (ready < size || state.offset == size)
        return taken;
    std::string text;
    if (const int failure = readAt(log.file, 0, static_cast<std::size_t>(std::min(size, kLargestTrainerState)), text);
        failure != 0)
        return cannot("cannot be read: ", log.path, failure);
    const Result<std::vector<LoggedValues>> records = trainerStateRecords(text);
    if (!records)
        return taken; // the file is being written
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

// Processes complete lines. An incomplete line waits for its rest, unless it is longer than any line of a log.
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
    if (const std::optional<int> attempt = m_times->attemptAt(offset); attempt && *attempt > m_steps->state().attempt)
        m_steps->beginAttempt(*attempt, steps);
}

// `at` is the offset of the end of the line.
void LogFollower::takeLine(std::string_view line, std::int64_t at, std::vector<StepMetrics> &steps)
{
    beginAttemptAt(at, steps);
    std::string plain;
    if (line.find('\0') != std::string_view::npos) { // UTF-16, as a shell of Windows redirects it
        plain = line.substr(0, 2 * kLongestLogLine);
        std::erase(plain, '\0');
        line = plain;
    }
    m_steps->take(line.substr(0, kLongestLogLine), m_times->timeOf(at, m_written), steps);
}

// Appends after `state.metrics`. Bytes that an interrupted process wrote after its last state are overwritten.
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
