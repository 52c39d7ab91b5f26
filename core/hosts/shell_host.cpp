// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell_host.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "hosts/local_host.h"
#include "hosts/preflight.h"
#include "hosts/run_copy.h"
#include "hosts/script_plan.h"
#include "runs/registry.h"

namespace slipway {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr auto kAskLimit = 90s;
constexpr Bytes kLargestAnswer = 16 * kMiB;
constexpr std::size_t kRunsAtOnce = 16;
// The limit of one refresh. The rest is copied in the next one.
constexpr auto kCatchUpLimit = 120s;
constexpr int kMostRounds = 100; // requests per run

// Sends a signal only if the group certainly belongs to the run. The directory belongs to this user, and host and boot
// are the same. The leader is the process that was started, or has ended; while the group has members, its number is
// not given away.
const char *const signalScript = R"script(
refuse() { echo "no signal was sent: $1" >&2; exit 3; }
cd -- "$1" || exit 3
[ -O . ] || refuse "the run's directory belongs to another user"
mark=.
last=$(ls attempts 2> /dev/null | grep -x '[0-9]*' | sort -n | tail -n 1)
if [ ! -s pgid ] && [ -n "$last" ] && [ -s "attempts/$last/pgid" ]; then mark=attempts/$last; fi
pid=$(head -c 20 "$mark/pgid") || exit 3
case $pid in '' | *[!0-9]* | 0* | 1) refuse "pgid does not hold the number of a process group" ;; esac
[ "$(cat "$mark/host")" = "$(uname -n)" ] || refuse "it was started on another host than $(uname -n)"
[ "$(cat "$mark/boot_id")" = "$(cat /proc/sys/kernel/random/boot_id)" ] || refuse "the host was restarted since"
if [ -e "/proc/$pid" ]; then
    [ "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)" = "$(cat "$mark/starttime")" ] ||
        refuse "its process group is gone"
    [ -O "/proc/$pid" ] || refuse "its process belongs to another user"
fi
kill -s "$2" -- "-$pid" 2> /dev/null
exit 0
)script";

// An error that names a remedy will not disappear by asking again.
bool worthAskingAgain(const Error &error) { return error.accepted.empty(); }

} // namespace

ShellHost::ShellHost(std::string name, std::unique_ptr<Shell> shell, std::string home, std::vector<std::string> options)
    : m_name(std::move(name)),
      m_shell(std::move(shell)),
      m_home(std::move(home)),
      m_options(std::move(options))
{
}

Result<ChildResult> ShellHost::runWithRetry(const std::string &script, const std::vector<std::string> &arguments)
{
    Result<ChildResult> said = m_shell->run(script, arguments, {kAskLimit, kLargestAnswer});
    for (int again = 0; !said && worthAskingAgain(said.error()) && again < 2; ++again)
        said = m_shell->run(script, arguments, {kAskLimit, kLargestAnswer});
    return said;
}

Result<std::string> ShellHost::ask(
    const std::string &script, const std::vector<std::string> &arguments, const std::string &where)
{
    Result<ChildResult> said = m_shell->run(script, arguments, {kAskLimit, kLargestAnswer});
    if (!said)
        return said.error();
    if (said->exitStatus != 0)
        return Error{.what = said->err, .where = m_name + ":" + where, .fault = Fault::Outside};
    return std::move(said->out);
}

Result<HostProbeResult> ShellHost::probe(const RunConfig &config, const fs::path &directory, Bytes diskNeeded)
{
    HostProbeRequest request{.home = m_home,
        .place = m_shell->isLocal() ? directory.string() : std::string(),
        .diskNeeded = diskNeeded,
        .files = {},
        .slurm = listsPartitions()};
    for (const InputOnHost &file : filesOf(config))
        request.files.push_back(file.path);
    Result<HostProbeResult> answer = probeHost(*m_shell, request);
    if (!answer)
        return answer;
    if (const std::string beside = siblingProgram("slipway-train").string(); m_shell->isLocal() && !beside.empty()) {
        answer->facts.trainer = beside; // built together with this program
        answer->facts.trainerVersion = ownVersion();
    }
    m_facts = answer->facts;
    return answer;
}

Result<HostFacts> ShellHost::facts()
{
    const Result<HostProbeResult> answer = probe({}, Registry::defaultFolder(), 0);
    if (!answer)
        return answer.error();
    return answer->facts;
}

Preflight ShellHost::preflight(const RunConfig &config, const fs::path &directory, Bytes diskNeeded)
{
    Preflight preflight;
    const Result<HostProbeResult> answer = probe(config, directory, diskNeeded);
    if (!answer) {
        preflight.checks.push_back({.what = "host", .detail = answer.error().message(), .fault = answer.error().fault});
        return preflight;
    }
    const HostFacts &facts = answer->facts;
    preflight.facts = facts;
    preflight.checks.push_back({.what = "host",
        .passed = true,
        .detail = fmt::format("{}@{}, {}, {} cores, {}", facts.user, facts.hostName, facts.system, facts.cores,
            formatBytes(facts.memory))});
    if (config.training.runsScript()) {
        preflight.checks.push_back(commandCheck(*m_shell, config));
        preflight.checks.push_back(diskCheck(facts, 0, 0));
        preflight.checks.push_back(clockCheck(facts));
        if (isPlanned(config))
            addChecks(config, facts, preflight);
        return preflight;
    }
    if (std::optional<PreflightCheck> simulated = frameworkCheck(config))
        preflight.checks.push_back(*std::move(simulated));
    preflight.checks.push_back(trainerCheck(facts, trainerToCopy()));
    std::vector<InputOnHost> files = filesOf(config);
    if (files.empty())
        preflight.checks.push_back({.what = "data",
            .detail = "no token file is given. Set --data to a file that slipway-train tokenize wrote"});
    Bytes toCopy = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        files[i].there = i < answer->fileSizes.size() ? answer->fileSizes[i] : std::nullopt;
        if (files[i].there)
            m_inputsOnHost[files[i].path] = *files[i].there;
        preflight.checks.push_back(dataCheck(files[i]));
        toCopy += files[i].toCopy() ? *files[i].here : 0;
    }
    if (!m_shell->isLocal())
        preflight.checks.push_back(copyCheck(facts));
    preflight.checks.push_back(diskCheck(facts, diskNeeded, toCopy));
    preflight.checks.push_back(clockCheck(facts));
    addChecks(config, facts, preflight);
    return preflight;
}

Result<Started> ShellHost::start(const StartRequest &request)
{
    const RunPaths paths{request.directory};
    Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    run->trainer = request.command.empty() ? std::string() : request.command.front();
    if (const Result<void> written = writeRemoteRun(paths, *run); !written)
        return written.error();
    // The known state if the reply is lost. The number is claimed here, too, so that a later attempt takes the next
    // one.
    const KnownStatus before = readKnownStatus(paths).value_or(KnownStatus{});
    const KnownStatus asked{
        .status = {.state = RunState::Queued, .exitStatus = {}, .detail = "the start was requested"}, .seen = utcNow()};
    std::error_code failure;
    const fs::path taken = paths.directory / "attempts" / std::to_string(request.attempt);
    if (const Result<void> made = makePrivateFolder(m_shell->isLocal() ? taken.parent_path() : taken); !made)
        return made.error();
    if (const Result<void> written = writeKnownStatus(paths, asked); !written)
        return written.error();
    StartRequest there = request;
    there.directory = run->directory;
    Result<Started> started = startOnHost(there, request.directory);
    if (!started) {
        const Error &error = started.error();
        if (!worthAskingAgain(error)) { // the start was refused, so nothing runs
            if (!m_shell->isLocal())
                fs::remove(taken, failure);
            [[maybe_unused]] const Result<void> written = writeKnownStatus(paths, before);
            return error;
        }
        KnownStatus lost = asked;
        lost.unreachable = error.message();
        [[maybe_unused]] const Result<void> written = writeKnownStatus(paths, lost);
        return Error{.what = "the start was not confirmed: " + error.what +
                             ". `slipway watch` shows whether it runs, once the host answers",
            .where = error.where,
            .fault = Fault::Outside};
    }
    return started;
}

struct ShellHost::Followed {
    RunPaths paths;
    RemoteRun run;
    CopyLock lock;
    KnownStatus known;
    int rounds = 0; // requests in this refresh
};

Result<void> ShellHost::refresh(const RunPaths &paths)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    Result<CopyLock> lock = CopyLock::acquire(paths);
    if (!lock)
        return lock.error();
    std::vector<Followed> one;
    one.push_back({.paths = paths,
        .run = *run,
        .lock = std::move(*lock),
        .known = readKnownStatus(paths).value_or(KnownStatus{})});
    const std::vector<Error> errors = refreshLocked(std::move(one));
    return errors.empty() ? Result<void>() : Result<void>(errors.front());
}

std::vector<Error> ShellHost::refreshAll(const std::vector<fs::path> &directories)
{
    std::vector<Error> errors;
    std::vector<Followed> runs;
    for (const fs::path &directory : directories) {
        const RunPaths paths{directory};
        const Result<RemoteRun> run = readRemoteRun(paths);
        Result<std::optional<CopyLock>> lock = CopyLock::tryAcquire(paths);
        if (!run || !lock) {
            errors.push_back(run ? lock.error() : run.error());
            continue;
        }
        if (*lock) // otherwise another process refreshes it now
            runs.push_back({.paths = paths,
                .run = *run,
                .lock = std::move(**lock),
                .known = readKnownStatus(paths).value_or(KnownStatus{})});
    }
    const std::vector<Error> more = refreshLocked(std::move(runs));
    errors.insert(errors.end(), more.begin(), more.end());
    return errors;
}

std::vector<Error> ShellHost::refreshLocked(std::vector<Followed> runs)
{
    std::vector<Error> errors;
    const auto note = [&errors](const Result<void> &done) {
        if (!done)
            errors.push_back(done.error());
    };
    const auto until = std::chrono::steady_clock::now() + kCatchUpLimit;
    while (!runs.empty()) {
        const auto asked = static_cast<std::ptrdiff_t>(std::min(runs.size(), kRunsAtOnce));
        std::vector<RunQuery> queries;
        for (auto run = runs.begin(); run != runs.begin() + asked; ++run) {
            queries.push_back({.directory = run->run.directory, .files = {}, .job = jobQuery(run->run.directory)});
            if (!m_shell->isLocal())
                queries.back().files = wantedParts(run->paths);
        }
        const Result<std::vector<RunQueryResult>> results = queryRuns(*m_shell, queries);
        if (!results) { // the other runs of this host would wait just as long
            for (Followed &run : runs) {
                run.known.unreachable = results.error().message();
                note(writeKnownStatus(run.paths, run.known));
            }
            return errors;
        }
        std::vector<Followed> left(std::make_move_iterator(runs.begin() + asked), std::make_move_iterator(runs.end()));
        for (std::size_t i = 0; i < results->size(); ++i) {
            const Result<bool> more = take(runs[i], (*results)[i]);
            if (!more)
                errors.push_back(more.error());
            else if (*more && ++runs[i].rounds < kMostRounds && std::chrono::steady_clock::now() < until)
                left.push_back(std::move(runs[i]));
            else if (*more) { // its files grow faster than they are copied, or the sizes are wrong
                runs[i].known.seen = utcNow();
                note(writeKnownStatus(runs[i].paths, runs[i].known));
            }
        }
        runs = std::move(left);
    }
    return errors;
}

Result<bool> ShellHost::take(Followed &run, const RunQueryResult &result)
{
    std::string left;
    if (!m_shell->isLocal()) {
        Result<TakenParts> parts = takeParts(run.paths, result.files);
        if (!parts)
            return parts.error();
        if (parts->more) // an end is reported only after everything before it has been copied
            return true;
        left = std::move(parts->left);
        if (const Result<void> taken = copyLaunchFiles(run.paths, result.facts); !taken)
            return taken.error();
    }
    KnownStatus now{.status = judge(result, run.known), .seen = utcNow(), .clockSkew = result.clockSkew};
    if (now.status.state == RunState::Unknown &&
        !isTerminal(run.known.status.state)) { // the host answered, but the state is not known
        now.unreachable = now.status.detail;
        now.status = run.known.status;
        now.seen = run.known.seen;
    }
    if (now.status.state == RunState::Draft && run.known.status.state != RunState::Draft) {
        // The start was requested, but nothing of it exists on the host. The request may still be on its way; after the
        // limit, it is lost.
        const auto asked = fromIso8601(run.known.seen);
        if (asked && std::chrono::system_clock::now() - *asked < std::chrono::duration<double>(kStartReportLimit))
            return false;
        now.status = {.state = RunState::Lost, .exitStatus = {}, .detail = "its start was interrupted"};
    }
    if (!left.empty())
        now.status.detail += (now.status.detail.empty() ? "" : "; ") + left;
    const Result<void> written = writeKnownStatus(run.paths, now);
    return written ? Result<bool>(false) : Result<bool>(written.error());
}

RunStatus ShellHost::status(const RunPaths &paths)
{
    if (const Result<void> refreshed = refresh(paths); !refreshed)
        return {.state = RunState::Unknown, .exitStatus = {}, .detail = refreshed.error().message()};
    return statusOfCopy(paths, std::chrono::system_clock::now());
}

Result<void> ShellHost::requestStop(const RunPaths &paths)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    return writeRemoteFiles({{.directory = run->directory, .name = "stop.request", .text = utcNow() + "\n"}});
}

Result<void> ShellHost::signalGroup(const RunPaths &paths, int signalNumber)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    const Result<std::string> sent = ask(signalScript, {run->directory, std::to_string(signalNumber)}, run->directory);
    return sent ? Result<void>() : Result<void>(sent.error());
}

} // namespace slipway
