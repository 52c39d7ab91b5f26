// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/run_moves.h"

#include <algorithm>
#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "hosts/launch.h"
#include "hosts/run_copy.h"
#include "runs/append_event.h"
#include "runs/liveness.h"
#include "runs/log_follower.h"
#include "runs/remote_run.h"
#include "runs/script_rules.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostHosts = 64, kMostMoves = 10'000;
constexpr std::int64_t kEventsTail = 256 * kKiB;
constexpr std::chrono::seconds kAgain{60}; // until the hosts are tried again

// The last checkpoint that the run's events mention. Empty if there is none.
std::string reportedCheckpoint(const RunPaths &paths)
{
    const Result<FileDescriptor> file = openPrivateFile(paths.events(), O_RDONLY);
    std::error_code failure;
    const auto size = static_cast<std::int64_t>(fs::file_size(paths.events(), failure));
    std::string text, last;
    if (!file || failure || readAt(*file, std::max<std::int64_t>(0, size - kEventsTail), kEventsTail, text) != 0)
        return last;
    for (const std::string_view line : split(text, '\n')) {
        if (const Result<RunEvent> event = runEventFromJson(line); event && event->kind == "checkpoint")
            last = event->message;
    }
    return last;
}

std::string keptCheckpoint(const RunPaths &paths)
{
    const Result<std::string> text = readPrivateFile(paths.checkpoints() / "latest", 4 * kKiB);
    return text ? std::string(trimmed(*text)) : std::string();
}

// Whether the events mention a checkpoint that is not here.
bool hasNewCheckpoint(const RunPaths &paths)
{
    const std::string reported = reportedCheckpoint(paths);
    return !reported.empty() && reported != keptCheckpoint(paths);
}

// Keeps as many copies as the run itself keeps.
void dropOldCheckpoints(const RunPaths &paths)
{
    const Result<RunConfig> config = readRunConfig(paths);
    const std::size_t most =
        config && config->training.keepCheckpoints > 0 ? static_cast<std::size_t>(config->training.keepCheckpoints) : 1;
    std::vector<fs::path> kept;
    std::error_code failure;
    for (fs::directory_iterator entry(paths.checkpoints(), failure), end; !failure && entry != end;
        entry.increment(failure)) {
        if (entry->path().filename().string().starts_with("step-"))
            kept.push_back(entry->path());
    }
    std::sort(kept.begin(), kept.end()); // the number in a name has leading zeros
    for (std::size_t i = 0; i + most < kept.size(); ++i)
        fs::remove_all(kept[i], failure);
}

// Removes the files that belong to the start on a host. A later start writes them anew.
void forgetHost(const RunPaths &paths)
{
    std::error_code ignored;
    for (const char *name :
        {"remote.json", "standing.json", "rc", "pgid", "starttime", "boot_id", "host", "supervisor", "stop.request"})
        fs::remove(paths.directory / name, ignored);
}

std::optional<RemoteRun> remoteOf(const RunPaths &paths)
{
    const Result<RemoteRun> run = isRemoteRun(paths) ? readRemoteRun(paths) : Result<RemoteRun>(Error{.what = "local"});
    return run ? std::optional(*run) : std::nullopt;
}

std::string fromWhere(const RunPaths &paths, const RunMoves &moves)
{
    std::error_code ignored;
    if (!moves.checkpointsIn.empty())
        return fs::exists(keptScriptCheckpoints(paths), ignored) ? "with the checkpoints that were copied here"
                                                                 : "from its first step, as no checkpoint is here";
    const std::string kept = keptCheckpoint(paths);
    return kept.empty() ? "from its first step, as no checkpoint is here" : "from " + kept;
}

} // namespace

fs::path runMovesFile(const RunPaths &paths) { return paths.directory / "moves.json"; }

Result<RunMoves> readRunMoves(const RunPaths &paths)
{
    std::error_code ignored;
    if (!fs::exists(runMovesFile(paths), ignored))
        return RunMoves{};
    const Result<std::string> text = readPrivateFile(runMovesFile(paths), 4 * kMiB);
    if (!text)
        return text.error();
    const Result<nlohmann::json> json = parseJson(*text);
    const std::string where = runMovesFile(paths).string();
    if (!json || !json->is_object())
        return Error{.what = json ? "is not a JSON object" : json.error().what, .where = where};
    try { // a value may have an unexpected type
        RunMoves moves{.keepCheckpoints = json->value("keep_checkpoints", false),
            .checkpointsIn = json->value("checkpoints_in", std::string()),
            .thenOn = json->value("then_on", std::vector<std::string>()),
            .moves = {}};
        for (const nlohmann::json &one : json->value("moves", nlohmann::json::array()))
            moves.moves.push_back({.time = one.value("time", std::string()),
                .from = one.value("from", std::string()),
                .directory = one.value("directory", std::string()),
                .to = one.value("to", std::string()),
                .why = one.value("why", std::string())});
        return moves;
    } catch (const nlohmann::json::exception &) {
        return Error{.what = "has a value of the wrong type", .where = where};
    }
}

Result<void> writeRunMoves(const RunPaths &paths, const RunMoves &moves)
{
    Json done = Json::array();
    for (const RunMove &move : moves.moves)
        done.push_back({{"time", move.time}, {"from", move.from}, {"directory", move.directory}, {"to", move.to},
            {"why", move.why}});
    const Json json{{"v", 1}, {"keep_checkpoints", moves.keepCheckpoints}, {"checkpoints_in", moves.checkpointsIn},
        {"then_on", moves.thenOn}, {"moves", done}};
    return writePrivateFile(runMovesFile(paths), json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> checkRunMoves(const RunMoves &moves, const std::string &host, const RunConfig &config)
{
    if (!moves.any())
        return {};
    if (moves.thenOn.size() > kMostHosts)
        return Error{.what = "names " + std::to_string(moves.thenOn.size()) + " hosts",
            .where = "--then-on",
            .accepted = "at most " + std::to_string(kMostHosts)};
    if (host.find(',') != std::string::npos)
        return Error{.what = "is not valid for a run on several machines",
            .where = moves.thenOn.empty() ? "--keep-checkpoints-here" : "--then-on",
            .accepted = "--on with one host"};
    for (const std::string &name : moves.thenOn) {
        if (const Result<std::unique_ptr<Host>> made = makeHost(name); !made)
            return Error{.what = made.error().what, .where = "--then-on " + name, .accepted = made.error().accepted};
    }
    if (config.training.runsScript() && moves.checkpointsIn.empty())
        return Error{.what = "needs the folder into which the script writes its checkpoints",
            .where = moves.thenOn.empty() ? "--keep-checkpoints-here" : "--then-on",
            .accepted = "--checkpoints-in FOLDER, from workdir"};
    return {};
}

std::optional<std::string> hostLostReason(const RunPaths &paths, std::chrono::system_clock::time_point now)
{
    const RunStatus status = statusOf(paths);
    if (status.state == RunState::Preempted || status.state == RunState::Lost)
        return std::string(enumName(status.state)) + (status.detail.empty() ? "" : ": " + status.detail);
    if (status.state != RunState::Unknown || !isRemoteRun(paths))
        return std::nullopt;
    const std::optional<KnownStatus> known = readKnownStatus(paths);
    const auto seen = known ? fromIso8601(known->seen) : std::nullopt;
    if (!known || known->unreachable.empty() || !seen || now - *seen < kHostTimeout)
        return std::nullopt;
    return "lost: no answer for " + formatSeconds(std::chrono::duration<double>(now - *seen).count()) + ": " +
           known->unreachable;
}

Result<bool> keepCheckpoint(const RunPaths &paths, const RunMoves &moves, Host &host)
{
    if (!moves.checkpointsIn.empty()) {
        const Result<RunConfig> config = readRunConfig(paths);
        return config ? host.fetchFolder(paths, config->training.workdir, moves.checkpointsIn)
                      : Result<bool>(config.error());
    }
    if (!hasNewCheckpoint(paths))
        return false;
    const Result<void> fetched = host.fetch(paths, FetchScope::WithCheckpoint);
    if (fetched)
        dropOldCheckpoints(paths);
    return fetched ? Result<bool>(true) : Result<bool>(fetched.error());
}

void RunKeeper::keep(const fs::path &directory, const RunMoves &moves, Kept &kept) const
{
    const auto now = std::chrono::steady_clock::now();
    if (kept.copy.valid()) {
        if (kept.copy.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
            return;
        const Result<bool> came = kept.copy.get();
        kept.problem = came ? "" : "no checkpoint was copied here: " + came.error().message();
        kept.nextCopy = now + m_every;
    }
    if (now < kept.nextCopy || (moves.checkpointsIn.empty() && !hasNewCheckpoint({directory})))
        return;
    kept.copy = std::async(std::launch::async, [directory, moves]() -> Result<bool> {
        const Result<std::unique_ptr<Host>> host = hostOfRun(directory);
        return host ? keepCheckpoint({directory}, moves, **host) : Result<bool>(host.error());
    });
}

RunKeeper::Outcome RunKeeper::update(const fs::path &directory)
{
    const RunPaths paths{directory};
    Result<RunMoves> moves = readRunMoves(paths);
    if (!moves)
        return {.problem = moves.error().message()};
    if (!moves->any())
        return {};
    Kept &kept = m_runs[directory];
    const std::optional<std::string> why = hostLostReason(paths, std::chrono::system_clock::now());
    if (!why || moves->thenOn.empty()) {
        if (statusOf(paths).state != RunState::Unknown)
            keep(directory, *moves, kept);
        return {.movedTo = {}, .waits = false, .problem = kept.problem};
    }
    if (std::chrono::steady_clock::now() < kept.nextMove)
        return {.movedTo = {}, .waits = true, .problem = kept.problem};
    if (kept.copy.valid())
        (void)kept.copy.get(); // otherwise two hosts would write the copy at once
    const Result<std::optional<CopyLock>> lock = CopyLock::tryAcquire(paths, "move.lock");
    if (!lock || !*lock) // another program is moving it
        return {.movedTo = {}, .waits = true, .problem = lock ? "" : lock.error().message()};
    Outcome outcome = move(paths, *std::move(moves), *why);
    kept.problem = outcome.problem;
    kept.nextMove = std::chrono::steady_clock::now() + kAgain;
    return outcome;
}

RunKeeper::Outcome RunKeeper::move(const RunPaths &paths, RunMoves moves, const std::string &why)
{
    const Result<RunConfig> config = readRunConfig(paths);
    if (!config)
        return {.movedTo = {}, .waits = true, .problem = config.error().message()};
    const std::optional<RemoteRun> before = remoteOf(paths);
    const std::optional<KnownStatus> status = readKnownStatus(paths);
    if (!before ||
        (status && status->unreachable.empty())) { // it still answers: looks once more for a newer checkpoint
        if (const Result<std::unique_ptr<Host>> old = hostOfRun(paths.directory))
            (void)keepCheckpoint(paths, moves, **old);
    }
    std::string problem;
    for (std::size_t i = 0; i < moves.thenOn.size(); ++i) {
        const std::string name = moves.thenOn[i];
        const Result<std::unique_ptr<Host>> host = makeHost(name);
        if (!host) {
            problem += (problem.empty() ? "" : "; ") + host.error().message();
            continue;
        }
        const Preflight preflight = (*host)->preflight(*config, paths.directory, 0);
        if (!preflight.passed(PreflightPolicy::IgnorePredictions)) {
            problem += (problem.empty() ? "" : "; ") + name + ": " + preflight.failures();
            continue;
        }
        forgetHost(paths);
        const Result<LaunchedRun> started = continueRun(paths, *config, moves.checkpointsIn, **host,
            "it was " + why + "; it continues on " + name + " " + fromWhere(paths, moves));
        const std::optional<KnownStatus> after = readKnownStatus(paths);
        if (!started && !(after && !after->unreachable.empty())) { // the start was refused, so nothing runs
            if (before) [[maybe_unused]]
                const Result<void> back = writeRemoteRun(paths, *before);
            if (status) [[maybe_unused]]
                const Result<void> back = writeKnownStatus(paths, *status);
            problem += (problem.empty() ? "" : "; ") + name + ": " + started.error().message();
            continue;
        }
        if (moves.moves.size() < kMostMoves)
            moves.moves.push_back({.time = utcNow(),
                .from = before ? before->host : "local",
                .directory = before ? before->directory : paths.directory.string(),
                .to = name,
                .why = why});
        moves.thenOn.erase(moves.thenOn.begin() + static_cast<std::ptrdiff_t>(i));
        const Result<void> written = writeRunMoves(paths, moves);
        return {.movedTo = name, .waits = false, .problem = written ? "" : written.error().message()};
    }
    return {
        .movedTo = {}, .waits = true, .problem = "no host could continue the run, which was " + why + ". " + problem};
}

std::string RunKeeper::finish()
{
    std::string problem;
    for (auto &[directory, kept] : m_runs) {
        if (!kept.copy.valid())
            continue;
        if (const Result<bool> came = kept.copy.get(); !came)
            problem = "no checkpoint was copied here: " + came.error().message();
    }
    return problem;
}

} // namespace slipway
