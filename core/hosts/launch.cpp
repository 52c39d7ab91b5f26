// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/launch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "config/apply_framework.h"
#include "config/config_io.h"
#include "config/trained_parameters.h"
#include "hosts/run_copy.h"
#include "hosts/script_plan.h"
#include "predict/predict.h"
#include "runs/append_event.h"
#include "runs/log_follower.h"
#include "runs/progress.h"
#include "runs/remote_run.h"
#include "runs/run_reader.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

Error notStarted(const fs::path &directory, const RunStatus &status)
{
    return {.what = "already holds a run, which is " + std::string(enumName(status.state)),
        .where = directory.string(),
        .accepted = "another --run-dir, or `slipway resume`"};
}

Result<fs::path> directoryFor(const RunLaunchRequest &request, const Registry &registry)
{
    if (!request.directory)
        return registry.create(usualRunName(request.config));
    if (const Result<void> made = makePrivateFolder(*request.directory); !made)
        return made.error();
    std::error_code failure;
    const fs::path directory = fs::canonical(*request.directory, failure);
    if (failure)
        return Error{.what = "cannot be read: " + failure.message(),
            .where = request.directory->string(),
            .fault = Fault::Outside};
    return directory;
}

Result<void> writeRunFiles(const RunPaths &paths, const RunConfig &config, const std::optional<Prediction> &prediction,
    const std::optional<ScriptRules> &script)
{
    if (script) {
        if (const Result<void> written = writeScriptRules(paths, *script); !written)
            return written;
    }
    if (prediction) {
        if (const Result<void> written = writePrivateFile(paths.prediction(),
                toJson(*prediction).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
            !written)
            return written;
    }
    return writeRunConfig(paths, config); // last: a directory with run.yaml counts as a run
}

struct WrittenRun {
    RunPaths paths;
    RunConfig config;
};

// Writes a new directory for a run that nobody has started yet, and adds it to the list of runs.
Result<WrittenRun> writeNewRun(const RunLaunchRequest &request, const Registry &registry)
{
    const Result<fs::path> directory = directoryFor(request, registry);
    if (!directory)
        return directory.error();
    WrittenRun written{.paths = {*directory}, .config = request.config};
    // Of two launches into the same folder, one is refused: it would replace the configuration of the other.
    const Result<std::optional<CopyLock>> lock =
        request.directory ? CopyLock::tryAcquire(written.paths, "launch.lock") : std::optional<CopyLock>();
    if (!lock)
        return lock.error();
    std::error_code failure;
    if (request.directory && (!*lock || fs::exists(written.paths.config(), failure)))
        return notStarted(*directory, statusOf(written.paths));
    if (written.config.training.name.empty())
        written.config.training.name = directory->filename().string();
    if (!request.config.training.runsScript()) // other software settles what its configuration leaves open
        settleChoices(written.config);
    std::optional<ScriptRules> script;
    if (request.config.training.runsScript()) {
        Result<ScriptRules> rules = scriptRulesOf(request.config, request.prediction, request.noPlan);
        if (!rules)
            return rules.error();
        script = *std::move(rules);
    }
    if (request.moves.any()) {
        if (const Result<void> kept = writeRunMoves(written.paths, request.moves); !kept)
            return kept.error();
    }
    if (const Result<void> done = writeRunFiles(written.paths, written.config, request.prediction, script); !done) {
        std::error_code ignored;
        if (!request.directory) // it is new, and without run.yaml it holds no run
            fs::remove_all(*directory, ignored);
        return done.error();
    }
    if (const Result<void> added = registry.add(*directory); !added)
        return added.error();
    return written;
}

// For a run on another host, events.jsonl is an exact copy of the host's file, so nothing is appended here. Another
// training script writes no events there, so its events are appended here.
void noteEvent(const RunPaths &paths, int attempt, const char *kind, const std::string &message)
{
    if (!isRemoteRun(paths) || hasScriptRules(paths))
        appendEvent(paths, {.time = utcNow(), .attempt = attempt, .kind = kind, .message = message});
}

Result<void> prepareRun(const RunPaths &paths, const RunConfig &config, Host &host)
{
    return host.prepare({{.config = config, .directory = paths.directory, .predicted = {}}});
}

// Starts a run. The host has been prepared for it.
Result<LaunchedRun> startPrepared(const RunPaths &paths, const RunConfig &config, int attempt, Host &host)
{
    StartRequest request{.directory = paths.directory,
        .command = host.trainerCommand(config, paths.directory, attempt > 0),
        .attempt = attempt};
    if (const Result<ScriptRules> rules = readScriptRules(paths); rules) {
        request.restartCommand = host.trainerCommand(config, paths.directory, true);
        request.stopSignal = rules->script.stop.signal.empty() ? "TERM" : rules->script.stop.signal;
    }
    const Result<Started> started = host.start(request);
    if (!started) {
        noteEvent(paths, attempt, "fault", started.error().message());
        return started.error();
    }
    if (const Result<ScriptRules> rules = readScriptRules(paths); rules && !started->already)
        noteEvent(paths, attempt, attempt > 0 ? "resumed" : "started",
            "the training script was started" + (rules->noPlan.empty() ? "" : "; " + rules->noPlan));
    return LaunchedRun{.directory = paths.directory, .started = *started};
}

Result<LaunchedRun> startAttempt(const RunPaths &paths, const RunConfig &config, int attempt, Host &host)
{
    const Result<void> prepared = prepareRun(paths, config, host);
    return prepared ? startPrepared(paths, config, attempt, host) : Result<LaunchedRun>(prepared.error());
}

// The number of the next attempt: one more than the highest number in use.
int nextAttempt(const RunPaths &paths)
{
    int next = 0;
    std::error_code failure;
    for (fs::directory_iterator entry(paths.directory / "attempts", failure), end; !failure && entry != end;
        entry.increment(failure)) {
        if (const std::optional<std::int64_t> number = parseInteger(entry->path().filename().string());
            number && *number >= next)
            next = static_cast<int>(*number) + 1;
    }
    return next;
}

// The expected size of the next checkpoint: that of the largest existing one.
Bytes largestCheckpoint(const RunPaths &paths)
{
    Bytes most = 0;
    std::error_code failure;
    for (fs::directory_iterator entry(paths.checkpoints(), failure), end; !failure && entry != end;
        entry.increment(failure)) {
        Bytes bytes = 0;
        std::error_code unreadable;
        for (fs::recursive_directory_iterator file(entry->path(), unreadable), last; !unreadable && file != last;
            file.increment(unreadable)) {
            std::error_code vanished;
            const std::uintmax_t size = file->is_regular_file(vanished) ? file->file_size(vanished) : 0;
            bytes += vanished ? 0 : static_cast<Bytes>(size);
        }
        most = std::max(most, bytes);
    }
    return most;
}

} // namespace

std::string usualRunName(const RunConfig &config)
{
    if (!config.training.name.empty())
        return config.training.name;
    const std::string &model = config.model.name;
    std::error_code failure;
    const fs::path file = fs::absolute(model, failure).lexically_normal();
    if (failure || !fs::exists(file, failure))
        return model;
    // The whole path of a model's file would be a long name. A config.json is named by its folder.
    const fs::path &named = file.filename() == "config.json" || !file.has_filename() ? file.parent_path() : file;
    const std::string name = fs::is_directory(named, failure) ? named.filename() : named.stem();
    return name.empty() ? model : name;
}

Bytes checkpointDiskBytes(const Prediction &prediction)
{
    // The master weights and both moments of AdamW in fp32 restore a run bit for bit. The bf16 weights follow from the
    // master weights. With adapters, PEFT saves those only.
    constexpr Bytes kBytesPerParameter = 12;
    return kBytesPerParameter * trainedParameterCount(prediction.config, prediction.model) *
           (prediction.config.training.keepCheckpoints + 1);
}

Result<void> checkBudget(const RunLaunchRequest &request)
{
    const std::optional<Usd> price =
        request.prediction && !request.prediction->cost.relative ? request.prediction->cost.usdPerHour : std::nullopt;
    if (!request.config.training.stopAtUsd || price.value_or(0) > 0)
        return {};
    return Error{.what = "there is no price per hour for '" + request.config.gpu + "' to compare the budget with",
        .where = "--stop-at-usd",
        .accepted = "--prices BOOK with a price in dollars; see slipway catalog prices"};
}

Result<void> checkRunsAtOnce(std::size_t runs, const Host &host)
{
    if (runs <= 1 || host.supportsStartAll())
        return {};
    return Error{.what = "launches one run at a time, not " + std::to_string(runs),
        .where = host.name(),
        .accepted = "slurm: or slurm:ALIAS, where they become a job array"};
}

Result<LaunchedRun> launchRun(const RunLaunchRequest &request, Host &host, const Registry &registry)
{
    if (const Result<void> budget = checkBudget(request); !budget)
        return budget.error();
    if (request.config.training.runsScript()) { // before anything is written
        const Result<ScriptRules> rules = scriptRulesOf(request.config, request.prediction, request.noPlan);
        if (!rules)
            return rules.error();
    }
    if (const Result<void> moves = checkRunMoves(request.moves, host.name(), request.config); !moves)
        return moves.error();
    const Bytes diskNeeded = request.prediction ? checkpointDiskBytes(*request.prediction) : 0;
    const Preflight preflight =
        host.preflight(request.config, request.directory.value_or(registry.folder()), diskNeeded);
    if (!preflight.passed(request.policy))
        return Error{.what = "not started.\n" + preflight.failures(), .fault = preflight.fault()};
    std::error_code ignored;
    if (request.directory && fs::exists(RunPaths{*request.directory}.config(), ignored))
        return notStarted(*request.directory, statusOf({*request.directory}));

    const Result<WrittenRun> written = writeNewRun(request, registry);
    if (!written)
        return written.error();
    return startAttempt(written->paths, written->config, 0, host);
}

Preflight preflightOf(const std::vector<RunLaunchRequest> &requests, Host &host, const Registry &registry)
{
    const auto peak = [](const RunLaunchRequest &request) {
        return request.prediction ? request.prediction->memory.peak : 0;
    };
    std::vector<const RunLaunchRequest *> asked; // for each set of files, the request with the largest peak memory
    Bytes disk = 0;
    for (const RunLaunchRequest &request : requests) {
        disk += request.prediction ? checkpointDiskBytes(*request.prediction) : 0;
        const TrainingChoice &files = request.config.training;
        const auto same = std::find_if(asked.begin(), asked.end(), [&](const RunLaunchRequest *one) {
            const TrainingChoice &other = one->config.training;
            return other.data == files.data && other.evalData == files.evalData && other.tokenizer == files.tokenizer;
        });
        if (same == asked.end())
            asked.push_back(&request);
        else if (peak(request) > peak(**same))
            *same = &request;
    }
    Preflight all;
    for (const RunLaunchRequest *request : asked) {
        Preflight one = host.preflight(request->config, registry.folder(), disk);
        all.facts = one.facts;
        for (PreflightCheck &check : one.checks) {
            if (std::none_of(all.checks.begin(), all.checks.end(), [&](const PreflightCheck &known) {
                    return known.what == check.what && known.detail == check.detail;
                }))
                all.checks.push_back(std::move(check));
        }
    }
    return all;
}

Result<std::vector<LaunchedRun>> launchAll(
    const std::vector<RunLaunchRequest> &requests, Host &host, const Registry &registry)
{
    if (const Result<void> atOnce = checkRunsAtOnce(requests.size(), host); !atOnce)
        return atOnce.error();
    for (const RunLaunchRequest &request : requests) {
        if (const Result<void> budget = checkBudget(request); !budget)
            return budget.error();
    }
    const Preflight preflight = preflightOf(requests, host, registry);
    if (!preflight.passed(requests.front().policy))
        return Error{.what = "not started.\n" + preflight.failures(),
            .where = requests.front().config.training.name,
            .fault = preflight.fault()};
    std::vector<PlannedRun> planned;
    for (const RunLaunchRequest &request : requests) {
        const Result<WrittenRun> written = writeNewRun(request, registry);
        if (!written)
            return written.error();
        planned.push_back({.config = written->config, .directory = written->paths.directory, .predicted = {}});
    }
    if (const Result<void> prepared = host.prepare(planned); !prepared)
        return prepared.error();
    std::vector<LaunchedRun> runs;
    std::vector<StartRequest> starts;
    for (const PlannedRun &run : planned) {
        starts.push_back(
            {.directory = run.directory, .command = host.trainerCommand(run.config, run.directory, false)});
        runs.push_back({.directory = run.directory, .started = {}});
    }
    const Result<std::vector<Started>> started = host.startAll(starts);
    if (!started)
        return started.error();
    for (std::size_t i = 0; i < runs.size(); ++i)
        runs[i].started = (*started)[i];
    return runs;
}

Result<LaunchedRun> resumeRun(const fs::path &directory, Host &host)
{
    if (const Result<void> refreshed = host.refresh({directory}); !refreshed)
        return refreshed.error();
    const Result<RunData> run = readRun(directory);
    if (!run)
        return run.error();
    const RunPaths &paths = run->paths;
    if (run->state() == RunState::Unknown)
        return Error{.what = "it cannot be determined whether the run is still running: " + run->status.detail,
            .where = directory.string(),
            .fault = Fault::Outside};
    if (run->state() != RunState::Draft && !isTerminal(run->state()))
        return Error{.what = "is " + std::string(enumName(run->state())),
            .where = directory.string(),
            .accepted = "a run that has ended"};
    if (!run->config)
        return Error{.what = "has no readable configuration: " +
                             (run->problems.empty() ? "run.yaml is missing" : run->problems.front().what),
            .where = directory.string()};
    const Progress progress = progressOf(*run);
    if (run->state() == RunState::Succeeded && progress.totalSteps && progress.step >= *progress.totalSteps)
        return Error{.what = "has finished all of its " + std::to_string(progress.step) + " steps",
            .where = directory.string(),
            .accepted = "a higher `steps` in its run.yaml, then resume"};

    const Preflight preflight = host.preflight(*run->config, directory, largestCheckpoint(paths));
    if (!preflight.passed(PreflightPolicy::IgnorePredictions)) // a run that has already run may run again
        return Error{.what = "not started.\n" + preflight.failures(), .fault = preflight.fault()};
    return startAttempt(paths, *run->config, nextAttempt(paths), host);
}

Result<LaunchedRun> continueRun(
    const RunPaths &paths, const RunConfig &config, const std::string &folder, Host &host, const std::string &message)
{
    const int attempt = nextAttempt(paths);
    if (const Result<void> prepared = prepareRun(paths, config, host); !prepared)
        return prepared.error();
    if (const Result<ScriptRules> rules = readScriptRules(paths); rules && !rules->log.empty()) {
        // Its log is a different file on the new host. What was read of the earlier log is kept.
        std::error_code ignored;
        fs::remove(paths.directory / "script.log", ignored);
        fs::remove(paths.directory / "script.times", ignored);
        fs::remove(keptLogFile(paths), ignored);
        if (const Result<void> again = LogFollower(paths).beginLogAgain(); !again)
            return again.error();
    }
    // The event belongs to the attempt that has ended. The trainer derives its attempt number from earlier events.
    appendEvent(paths, {.time = utcNow(), .attempt = std::max(0, attempt - 1), .kind = "moved", .message = message});
    if (const Result<void> brought = host.uploadRun(paths, config, folder); !brought)
        return brought.error();
    return startPrepared(paths, config, attempt, host);
}

} // namespace slipway
