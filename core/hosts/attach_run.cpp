// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/attach_run.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "hosts/attached_host.h"
#include "hosts/script_plan.h"
#include "predict/predict.h"
#include "runs/append_event.h"
#include "runs/remote_run.h"
#include "runs/run_directory.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

Result<fs::path> logToRead(const fs::path &log)
{
    std::error_code failure;
    const fs::path path = fs::canonical(log, failure);
    const bool isFolder = !failure && fs::is_directory(path, failure);
    const fs::path file = isFolder ? newestMetricsIn(path) : path;
    if (failure || !fs::is_regular_file(file, failure))
        return Error{.what = isFolder  ? "holds no file with metrics"
                             : failure ? "cannot be read: " + failure.message()
                                       : "is not a file",
            .where = log.string(),
            .accepted =
                "the log file of a training on this machine, or a folder with " + std::string(kMetricsFilesText)};
    const Result<FileDescriptor> opened = openPrivateFile(file, 0);
    return opened ? Result<fs::path>(path) : Result<fs::path>(opened.error());
}

// The place of the log. If it is on another host, also the host's name.
struct FoundLog {
    std::string path, host;
    std::string name; // the name that the run gets
};

Result<FoundLog> findLog(const std::string &log)
{
    const Result<std::optional<RemoteLog>> remote = remoteLogOf(log);
    if (!remote)
        return remote.error();
    if (!*remote) {
        const Result<fs::path> path = logToRead(log);
        return path ? Result<FoundLog>(FoundLog{.path = path->string(), .host = {}, .name = path->stem().string()})
                    : Result<FoundLog>(path.error());
    }
    FoundLog found{.path = {}, .host = AttachedHost::nameOf(**remote), .name = {}};
    const Result<std::unique_ptr<Host>> host = AttachedHost::make(found.host);
    if (!host)
        return host.error();
    Result<std::string> path = static_cast<AttachedHost &>(**host).find(**remote);
    if (!path)
        return path.error();
    found.path = *std::move(path);
    found.name = (*remote)->job.empty() ? fs::path(found.path).stem().string() : "job-" + (*remote)->job;
    return found;
}

Result<void> writeRemote(const RunPaths &paths, const FoundLog &log)
{
    if (log.host.empty())
        return {};
    if (const Result<void> written =
            writeRemoteRun(paths, {.host = log.host, .directory = log.path, .trainer = {}, .options = {}});
        !written)
        return written;
    return writeKnownStatus(paths,
        {.status = {.state = RunState::Running, .exitStatus = {}, .detail = "attached to its log"}, .seen = utcNow()});
}

} // namespace

Result<AttachedRun> attachRun(const std::string &log, RunConfig config, const std::set<std::string> &given,
    const Catalogue &catalogue, const Registry &registry)
{
    const Result<FoundLog> found = findLog(log);
    if (!found)
        return found.error();
    config.training.log = found->path;
    config.training.command = {"attached"}; // a placeholder: the command is not known
    if (config.training.name.empty())
        config.training.name = found->name;
    Result<ScriptPlan> plan = planScript(std::move(config), given, catalogue);
    if (!plan)
        return plan.error();
    Result<ScriptRules> rules = scriptRulesOf(plan->config, plan->prediction, plan->noPlan);
    if (!rules)
        return rules.error();
    rules->attached = true;
    const Result<fs::path> directory = registry.create(plan->config.training.name);
    if (!directory)
        return directory.error();
    const RunPaths paths{*directory};
    const auto write = [&]() -> Result<void> {
        if (const Result<void> written = writeScriptRules(paths, *rules); !written)
            return written;
        if (plan->prediction) {
            const std::string text =
                toJson(*plan->prediction).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
            if (const Result<void> written = writePrivateFile(paths.prediction(), text + "\n"); !written)
                return written;
        }
        if (const Result<void> written = writeRemote(paths, *found); !written)
            return written;
        return writeRunConfig(paths, plan->config); // last: a directory with run.yaml counts as a run
    };
    if (const Result<void> written = write(); !written) {
        std::error_code ignored;
        fs::remove_all(*directory, ignored); // it is new and holds no run yet
        return written.error();
    }
    const std::string shownLog = found->host.empty() ? found->path : log;
    appendEvent(paths, {.time = utcNow(),
                           .kind = "started",
                           .message = "attached to " + shownLog + (plan->noPlan.empty() ? "" : "; " + plan->noPlan)});
    return AttachedRun{.directory = *directory, .log = shownLog, .noPlan = plan->noPlan};
}

} // namespace slipway
