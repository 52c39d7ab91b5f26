// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/liveness.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/read_failures.h"
#include "base/text.h"
#include "runs/remote_run.h"
#include "runs/script_rules.h"

namespace slipway {

namespace {

// The text of a small file without surrounding blanks. Empty if the file is missing, empty or unreadable.
std::string wordOf(const std::filesystem::path &path)
{
    const Result<std::string> text = readPrivateFile(path, 4 * kKiB);
    return text ? std::string(trimmed(*text)) : std::string();
}

std::string hostNameHere()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool isThere(const std::filesystem::path &path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// The folder attempts/N with the highest number. Empty if there is none.
std::filesystem::path lastAttempt(const RunPaths &paths)
{
    std::int64_t last = -1;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(paths.directory / "attempts", failure), end;
        !failure && entry != end; entry.increment(failure))
        last = std::max(last, parseInteger(entry->path().filename().string()).value_or(-1));
    noteReadFailure(paths.directory / "attempts", failure.value());
    return last < 0 ? std::filesystem::path() : paths.directory / "attempts" / std::to_string(last);
}

// The folder that holds the files of the process.
std::filesystem::path processFolder(const RunPaths &paths)
{
    if (!wordOf(paths.processGroup()).empty())
        return paths.directory;
    const std::filesystem::path attempt = lastAttempt(paths);
    return attempt.empty() || wordOf(attempt / "pgid").empty() ? paths.directory : attempt;
}

std::optional<Seconds> attemptAge(const RunPaths &paths)
{
    const std::filesystem::path attempt = lastAttempt(paths);
    std::error_code failure;
    const auto taken = attempt.empty() ? std::filesystem::file_time_type() : last_write_time(attempt, failure);
    if (attempt.empty() || failure)
        return std::nullopt;
    return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - taken).count();
}

// The supervisor if it is alive. It outlives the process group by the short time in which it writes rc.
std::optional<std::int64_t> livingSupervisor(const RunPaths &paths, const LocalMachine &machine)
{
    const std::string text = wordOf(processFolder(paths) / "supervisor");
    const std::vector<std::string_view> fields = split(text, ' ');
    if (fields.size() != 2)
        return std::nullopt;
    const std::optional<std::int64_t> pid = parseInteger(fields[0]);
    return pid && processStartTime(machine, *pid) == std::string(fields[1]) ? pid : std::nullopt;
}

// The run directory in which a supervisor works, which is its working directory, if that is another one than this: this
// one is then a copy, and signals to its process group would end the other run. Empty otherwise.
std::filesystem::path runsElsewhere(
    const RunPaths &paths, const LocalMachine &machine, const std::optional<std::int64_t> &supervisor)
{
    if (!supervisor)
        return {};
    const std::filesystem::path link = machine.proc / std::to_string(*supervisor) / "cwd";
    std::error_code failure;
    const bool here = std::filesystem::equivalent(link, paths.directory, failure);
    if (here || failure)
        return {};
    const std::filesystem::path folder = std::filesystem::read_symlink(link, failure);
    return failure ? std::filesystem::path() : folder;
}

// The meaning of slipway-train's exit status. This is all that is known if the disk was too full for a message.
const char *meaningOf(int exitStatus)
{
    switch (exitStatus) {
    case 3:
        return "memory or disk ran out, or something was not permitted";
    case 4:
        return "another rank failed";
    case 5:
        return "data or a checkpoint is damaged";
    case 6:
        return "diverged: the loss or the gradient norm was not finite";
    default:
        return "";
    }
}

RunStatus endedStatus(int exitStatus, bool stopRequested)
{
    RunStatus status{.state = stateOfExit(exitStatus, stopRequested), .exitStatus = exitStatus, .detail = {}};
    if (exitStatus > 128 && status.state == RunState::Failed) {
        status.detail = "killed by signal " + std::to_string(exitStatus - 128);
        if (exitStatus - 128 == SIGKILL)
            status.detail += "; the system does this when memory runs out";
    } else if (exitStatus == 127) {
        status.detail = "the program could not be started; err.log or out.log says why";
    } else if (status.state == RunState::Failed) {
        status.detail = meaningOf(exitStatus);
    }
    return status;
}

} // namespace

LocalMachine LocalMachine::current()
{
    return {.hostName = hostNameHere(), .bootId = wordOf("/proc/sys/kernel/random/boot_id")};
}

std::optional<ProcessIdentity> readProcessIdentity(const RunPaths &paths)
{
    const std::filesystem::path folder = processFolder(paths);
    const std::optional<std::int64_t> group = parseInteger(wordOf(folder / "pgid"));
    if (!group || *group <= 1)
        return std::nullopt;
    return ProcessIdentity{.processGroup = *group,
        .startTime = wordOf(folder / "starttime"),
        .bootId = wordOf(folder / "boot_id"),
        .hostName = wordOf(folder / "host")};
}

// Reads /proc/PID/stat: "PID (name) S ...". The name may contain spaces and parentheses, so fields are counted from the
// last ')'.
std::optional<std::string> startTimeOfStat(std::string_view stat)
{
    const std::string_view text = trimmed(stat);
    const std::size_t close = text.rfind(')');
    if (close == std::string_view::npos || close + 2 >= text.size())
        return std::nullopt;
    const std::vector<std::string_view> fields = split(text.substr(close + 2), ' ');
    constexpr std::size_t kStartTime = 22 - 3; // the text begins with field 3
    if (fields.size() <= kStartTime || fields[0].empty() || fields[0][0] == 'Z' || fields[0][0] == 'X')
        return std::nullopt;
    return std::string(fields[kStartTime]);
}

std::optional<std::string> processStartTime(const LocalMachine &machine, std::int64_t pid)
{
    return startTimeOfStat(wordOf(machine.proc / std::to_string(pid) / "stat"));
}

Liveness livenessFrom(
    const ProcessIdentity &process, const LocalMachine &machine, const std::optional<std::string> &startTime)
{
    // Processes of another machine cannot be seen, even if its directory can, on a shared file system.
    if (!process.hostName.empty() && process.hostName != machine.hostName)
        return Liveness::Unknown;
    if (process.bootId.empty() || process.startTime.empty() || machine.bootId.empty())
        return Liveness::Unknown;
    if (process.bootId != machine.bootId)
        return Liveness::Gone;
    return startTime == process.startTime ? Liveness::Alive : Liveness::Gone;
}

Liveness livenessOf(const ProcessIdentity &process, const LocalMachine &machine)
{
    return livenessFrom(process, machine, processStartTime(machine, process.processGroup));
}

RunState stateOfExit(int exitStatus, bool stopRequested)
{
    if (exitStatus == 0)
        return RunState::Succeeded;
    if (exitStatus == 128 + SIGINT || exitStatus == 128 + SIGTERM)
        return RunState::Cancelled;
    if (exitStatus == 128 + SIGKILL && stopRequested)
        return RunState::Cancelled;
    if (exitStatus == 124) // as timeout(1) reports it
        return RunState::TimedOut;
    return RunState::Failed;
}

RunStatus statusOf(const RunPaths &paths, const LocalMachine &machine)
{
    if (isRemoteRun(paths))
        return statusOfCopy(paths, std::chrono::system_clock::now());
    if (const Result<ScriptRules> rules = readScriptRules(paths); rules && rules->attached)
        return attachedStatus(paths, std::chrono::system_clock::now());
    // Liveness is read before rc. A run that ends in between is thus reported as ended, not as lost.
    RunFacts facts{.process = readProcessIdentity(paths), .machine = machine};
    facts.liveness = facts.process ? livenessOf(*facts.process, machine) : Liveness::Unknown;
    const std::optional<std::int64_t> supervisor = livingSupervisor(paths, machine);
    facts.supervisorAlive = supervisor.has_value();
    if (const std::optional<std::int64_t> exitStatus = parseInteger(wordOf(paths.exitStatus())))
        facts.exitStatus = static_cast<int>(*exitStatus);
    else if (const auto other = runsElsewhere(paths, machine, supervisor);
        !other.empty() && facts.process && facts.process->bootId == machine.bootId)
        return {
            .state = RunState::Lost, .detail = "this folder is a copy; the run itself is running in " + other.string()};
    facts.stopRequested = isThere(paths.stopRequest());
    facts.attemptAge = attemptAge(paths);
    facts.hasMetrics = isThere(paths.metrics());
    return statusFrom(facts);
}

RunStatus statusFrom(const RunFacts &facts)
{
    if (facts.exitStatus)
        return endedStatus(*facts.exitStatus, facts.stopRequested);
    if (!facts.process) {
        if (facts.attemptAge && std::abs(*facts.attemptAge) > kStartReportLimit)
            return {.state = RunState::Lost, .detail = "its start was interrupted: none of its processes has reported"};
        if (facts.attemptAge)
            return {.state = RunState::Queued, .detail = "the start was requested, and no process has reported yet"};
        if (facts.hasMetrics)
            return {
                .state = RunState::Unknown, .detail = "it was started outside Slipway, so its process is not known"};
        return {.state = RunState::Draft};
    }
    const ProcessIdentity &process = *facts.process;
    const bool finishing = process.bootId == facts.machine.bootId && facts.supervisorAlive;
    if (facts.liveness == Liveness::Alive || (facts.liveness == Liveness::Gone && finishing))
        return {.state = facts.stopRequested ? RunState::Stopping : RunState::Running};
    if (facts.liveness == Liveness::Unknown) {
        if (process.hostName.empty() || process.hostName == facts.machine.hostName)
            return {.state = RunState::Unknown, .detail = "the run folder does not name its process"};
        return {.state = RunState::Unknown,
            .detail = "it was started on " + process.hostName + ", which cannot be reached from here"};
    }
    if (process.bootId != facts.machine.bootId)
        return {.state = RunState::Lost, .detail = "its machine was restarted while it ran"};
    return {.state = RunState::Lost, .detail = "its processes are gone and there is no exit status"};
}

} // namespace slipway
