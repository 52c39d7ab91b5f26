// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/attached_host.h"

#include <algorithm>

#include "base/text.h"
#include "hosts/host_text.h"
#include "hosts/run_copy.h"
#include "hosts/script_command.h"
#include "hosts/slurm_state.h"
#include "hosts/ssh_shell.h"
#include "runs/remote_run.h"
#include "runs/script_rules.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "log:", kSlurm = "slurm:";
constexpr std::chrono::seconds kLimit{60};
constexpr Bytes kLogBytesAtOnce = 4 * kMiB;
constexpr int kMostLogRounds = 256; // per refresh
constexpr const char *kCopy = "script.log";

// Only reads. The numbers are printed first, so that no content of the log can be mistaken for them.
const char *const readLogScript = R"script(
from=$2 limit=$3
if [ -d "$1" ]; then file=$(newest_metrics "$1"); else file=$1; fi
if [ -n "$4" ]; then job=$(timeout 8 scontrol -o show job "$4" 2>&1 | head -c 8192); else job=; fi
if [ -f "$file" ] && [ -r "$file" ]; then
    size=$(stat -L -c %s -- "$file") age=$(($(date +%s) - $(stat -L -c %Y -- "$file")))
    count=$((size - from))
    if [ "$count" -lt 0 ]; then from=0 count=$size; fi
    if [ "$count" -gt "$limit" ]; then count=$limit; fi
else
    size=- age=0 count=0
fi
printf '%s %s %s %s\0%s\0' "$size" "$from" "$count" "$age" "$job"
[ "$size" = - ] || tail -c "+$((from + 1))" -- "$file" | head -c "$count"
)script";

std::string readLog() { return std::string(newestMetricsFunction) + readLogScript; }

const char *const showJobScript = R"script(
timeout 30 scontrol -o show job "$1"
)script";

// Slurm does not quote blanks in a path. The path ends where the next field begins.
std::string outputOf(const std::string &line)
{
    constexpr std::string_view kKey = " StdOut=";
    const std::size_t found = line.find(kKey);
    if (found == std::string::npos)
        return "";
    const std::string_view rest = trimmed(std::string_view(line).substr(found + kKey.size()));
    std::size_t end = rest.find('\n');
    for (const std::string_view next : {" Power=", " TresPerNode=", " NtasksPerTRES:", " MailUser=", " StdErr="})
        end = std::min(end, rest.find(next));
    return std::string(rest.substr(0, end));
}

struct Answer {
    bool there = false;
    std::int64_t size = 0, from = 0, age = 0;
    std::string job, bytes;
};

Result<Answer> parseAnswer(const std::string &out)
{
    const Error cut{.what = "its answer is incomplete", .fault = Fault::Outside};
    const std::size_t first = out.find('\0');
    const std::size_t second = first == std::string::npos ? first : out.find('\0', first + 1);
    if (second == std::string::npos)
        return cut;
    const std::vector<std::string_view> words = split(std::string_view(out).substr(0, first), ' ');
    if (words.size() != 4)
        return cut;
    Answer answer{.job = out.substr(first + 1, second - first - 1), .bytes = out.substr(second + 1)};
    if (words[0] == "-")
        return answer;
    const auto size = parseInteger(words[0]), from = parseInteger(words[1]), count = parseInteger(words[2]),
               age = parseInteger(words[3]);
    if (!size || !from || !count || !age || *size < 0 || *from < 0 ||
        static_cast<std::int64_t>(answer.bytes.size()) > *count)
        return cut;
    answer.there = true;
    answer.size = *size;
    answer.from = *from;
    answer.age = std::clamp<std::int64_t>(*age, 0, 100LL * 365 * 86400);
    return answer;
}

// The state that Slurm reports, if it knows the job. Otherwise the growth of the log decides.
RunStatus statusOfLog(const Answer &answer, const std::string &job)
{
    if (!answer.there)
        return {.state = RunState::Unknown, .exitStatus = {}, .detail = "its log is missing or cannot be read"};
    const SlurmJob said = job.empty() ? SlurmJob{} : parseSlurmJob(answer.job, {});
    const std::string name = "attached to job " + job;
    if (said.state == "COMPLETED")
        return {.state = RunState::Succeeded, .exitStatus = {}, .detail = name};
    if (said.state == "RUNNING" || said.state == "COMPLETING")
        return {.state = RunState::Running, .exitStatus = {}, .detail = name};
    if (said.state == "PENDING")
        return {.state = RunState::Queued, .exitStatus = {}, .detail = name};
    if (said.state == "CANCELLED")
        return {.state = RunState::Cancelled, .exitStatus = {}, .detail = name};
    if (said.state == "TIMEOUT")
        return {.state = RunState::TimedOut, .exitStatus = {}, .detail = name};
    if (said.state == "PREEMPTED")
        return {.state = RunState::Preempted, .exitStatus = {}, .detail = name};
    if (said.state == "FAILED" || said.state == "OUT_OF_MEMORY" || said.state == "NODE_FAIL")
        return {.state = RunState::Failed, .exitStatus = {}, .detail = name + ", which Slurm calls " + said.state};
    return attachedStatusFrom(static_cast<Seconds>(answer.age));
}

} // namespace

Result<std::optional<RemoteLog>> remoteLogOf(const std::string &text)
{
    std::error_code ignored;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || text.find('/') < colon || fs::exists(text, ignored))
        return std::optional<RemoteLog>();
    RemoteLog log{.host = text.substr(0, colon), .path = text.substr(colon + 1), .job = {}};
    if (text.starts_with(kSlurm)) {
        const std::size_t last = log.path.rfind(':');
        log.host = last == std::string::npos ? std::string() : log.path.substr(0, last);
        log.job = last == std::string::npos ? log.path : log.path.substr(last + 1);
        log.path.clear();
        if (!isJobId(log.job))
            return Error{.what = "'" + log.job.substr(0, 60) + "' is not the number of a job",
                .where = text.substr(0, 200),
                .accepted = "slurm:JOB, or slurm:ALIAS:JOB"};
    } else if (!isRemotePath(log.path)) {
        return Error{.what = "'" + log.path.substr(0, 200) + "' is not an absolute path",
            .where = text.substr(0, 200),
            .accepted = "HOST:/FOLDER/train.log"};
    }
    return std::optional(log);
}

std::string AttachedHost::nameOf(const RemoteLog &log)
{
    return std::string(kPrefix) + log.host + (log.job.empty() ? "" : "#" + log.job);
}

Result<std::unique_ptr<Host>> AttachedHost::make(const std::string &name)
{
    const std::string rest = name.substr(std::min(name.size(), kPrefix.size()));
    const std::size_t hash = rest.find('#');
    const std::string alias = rest.substr(0, hash), job = hash == std::string::npos ? "" : rest.substr(hash + 1);
    if (!job.empty() && !isJobId(job))
        return Error{.what = "'" + job.substr(0, 60) + "' is not the number of a job", .where = name.substr(0, 200)};
    if (alias.empty() && !job.empty())
        return std::unique_ptr<Host>(new AttachedHost(name, std::make_unique<LocalShell>(), job));
    Result<std::unique_ptr<SshShell>> shell = SshShell::to(alias);
    if (!shell)
        return shell.error();
    return std::unique_ptr<Host>(new AttachedHost(name, *std::move(shell), job));
}

Error AttachedHost::refused() const
{
    return {.what = "only follows the log of a training run that was started without Slipway",
        .where = m_name,
        .accepted = "a host that slipway launch takes"};
}

Preflight AttachedHost::preflight(const RunConfig &, const fs::path &, Bytes)
{
    return {.checks = {{.what = "host", .detail = refused().message()}}, .facts = {}};
}

Result<std::string> AttachedHost::find(const RemoteLog &log)
{
    std::string path = log.path;
    if (!log.job.empty()) {
        const Result<ChildResult> said = m_shell->run(showJobScript, {log.job}, kLimit);
        if (!said)
            return said.error();
        if (said->exitStatus != 0)
            return Error{.what = "Slurm does not show job " + log.job + ": " + shownLine(trimmed(said->err)),
                .where = m_name,
                .accepted = "a job that squeue shows",
                .fault = Fault::Outside};
        path = outputOf(said->out);
        if (!isRemotePath(path))
            return Error{
                .what = "Slurm reports '" + shownLine(path, 200) + "' as the output of job " + log.job + ", not a file",
                .where = m_name,
                .accepted = "slipway attach HOST:/FOLDER/train.log"};
        return path; // the log may appear later
    }
    const Result<ChildResult> said = m_shell->run(readLog(), {path, "0", "0", ""}, kLimit);
    if (!said)
        return said.error();
    const Result<Answer> answer = parseAnswer(said->out);
    if (!answer || !answer->there)
        return Error{
            .what = answer ? "is neither a file that can be read there nor a folder with metrics" : answer.error().what,
            .where = log.host + ":" + path,
            .accepted = "the log file of a training run"};
    return path;
}

Result<bool> AttachedHost::takeOnce(const RunPaths &paths, const std::string &file, RunStatus &status)
{
    const std::int64_t from = wantedFrom(paths, kCopy);
    const Result<ChildResult> said = m_shell->run(
        readLog(), {file, std::to_string(from), std::to_string(kLogBytesAtOnce), m_job}, {kLimit, 2 * kLogBytesAtOnce});
    if (!said)
        return said.error();
    Result<Answer> answer = parseAnswer(said->out);
    if (!answer)
        return answer.error();
    status = statusOfLog(*answer, m_job);
    if (!answer->there)
        return false;
    const Result<TakenParts> taken = takeParts(
        paths, {{.name = kCopy, .size = answer->size, .from = answer->from, .bytes = std::move(answer->bytes)}});
    if (!taken)
        return taken.error();
    // The follower derives from this time when the last lines were written.
    std::error_code ignored;
    fs::last_write_time(
        paths.directory / kCopy, fs::file_time_type::clock::now() - std::chrono::seconds(answer->age), ignored);
    if (!taken->left.empty())
        status.detail += "; " + taken->left;
    return taken->more;
}

Result<void> AttachedHost::refresh(const RunPaths &paths)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    const Result<CopyLock> lock = CopyLock::acquire(paths);
    if (!lock)
        return lock.error();
    KnownStatus known = readKnownStatus(paths).value_or(KnownStatus{});
    RunStatus status;
    for (int round = 0; round < kMostLogRounds; ++round) {
        const Result<bool> more = takeOnce(paths, run->directory, status);
        if (!more && more.error().fault != Fault::Outside)
            return more.error();
        if (!more) {
            known.unreachable = more.error().message();
            return writeKnownStatus(paths, known);
        }
        if (!*more)
            break;
    }
    if (status.state == RunState::Unknown) { // the host answered, but the state is not known
        known.unreachable = status.detail;
        return writeKnownStatus(paths, known);
    }
    return writeKnownStatus(paths, {.status = status, .seen = utcNow()});
}

RunStatus AttachedHost::status(const RunPaths &paths)
{
    if (const Result<void> refreshed = refresh(paths); !refreshed)
        return {.state = RunState::Unknown, .exitStatus = {}, .detail = refreshed.error().message()};
    return statusOfCopy(paths, std::chrono::system_clock::now());
}

} // namespace slipway
