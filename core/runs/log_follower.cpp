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

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAtOnce = kMiB; // of the log
constexpr int kMostRounds = 64;       // of one call
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
        state.steps = logStepsStateFromJson(json->value("steps", nlohmann::json::object()));
    } catch (const nlohmann::json::exception &) {
        return {};
    }
    return state.offset < 0 || state.metrics < 0 ? State{} : state;
}

Result<void> LogFollower::writeState(const State &state) const
{
    const Json json{{"version", 1}, {"offset", state.offset}, {"inode", state.inode}, {"metrics", state.metrics},
        {"written", state.written}, {"long_line", state.longLine}, {"steps", toJson(state.steps)}};
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
    state.offset = 0;
    state.inode = 0;
    state.written = 0;
    state.longLine = false;
    return writeState(state);
}

Result<bool> LogFollower::follow(State &state, bool ended)
{
    const std::filesystem::path path = scriptLogFile(m_paths, m_rules);
    const Result<FileDescriptor> log = openLog(path, path == m_paths.outLog());
    struct stat status{};
    if (!log || ::fstat(log->get(), &status) != 0 || !S_ISREG(status.st_mode))
        return m_rules.attached && !log ? Result<bool>(log.error()) : Result<bool>(false); // it is not there yet
    if (state.offset > status.st_size || (state.inode != 0 && state.inode != status.st_ino)) {
        state.offset = 0; // it was written anew; what it tells again counts over what it told
        state.longLine = false;
    }
    state.inode = status.st_ino;
    m_steps->setState(state.steps);
    if (state.offset == status.st_size && !(ended && state.steps.open))
        return false;
    m_written = static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
    const std::int64_t ready = readyBytes(state, status.st_size, ended);
    std::vector<StepMetrics> steps;
    bool more = true, changed = false;
    for (int round = 0; more && round < kMostRounds; ++round) {
        std::string bytes;
        const auto count = static_cast<std::size_t>(
            std::clamp<std::int64_t>(ready - state.offset, 0, static_cast<std::int64_t>(kAtOnce)));
        if (const int failure = readAt(*log, state.offset, count, bytes); failure != 0)
            return cannot("cannot be read: ", path, failure);
        more = bytes.size() == kAtOnce;
        const std::int64_t before = state.offset;
        takeBytes(bytes, ended && !more, state, steps);
        changed = changed || state.offset != before;
        more = more && state.offset != before;
    }
    const bool open = m_steps->state().open.has_value();
    if (ended && !more && open)
        m_steps->finish(steps);
    const std::optional<std::string> complaint = m_steps->complaint();
    if (!changed && steps.empty() && !complaint)
        return false;
    state.written = m_written;
    if (const Result<void> written = append(steps, state); !written)
        return written.error();
    state.steps = m_steps->state();
    if (const Result<void> written = writeState(state); !written)
        return written.error();
    if (complaint)
        appendEvent(
            m_paths, {.time = utcNow(), .attempt = state.steps.attempt, .kind = "alert", .message = *complaint});
    return more;
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
    m_clock.poll();
    const bool stopped =
        secondsNow() - m_written > kClockStops || (m_clock.noted() >= 0 && m_written - m_clock.notedAt() > kClockStops);
    return ended || stopped ? size : std::clamp<std::int64_t>(m_clock.noted(), 0, size);
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

// `at`: where the line ends.
void LogFollower::takeLine(std::string_view line, std::int64_t at, std::vector<StepMetrics> &steps)
{
    if (const std::optional<int> attempt = m_clock.attemptAt(at); attempt && *attempt > m_steps->state().attempt)
        m_steps->beginAttempt(*attempt, steps);
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
