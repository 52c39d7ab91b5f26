// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/attach_run.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "hosts/script_plan.h"
#include "predict/predict.h"
#include "runs/append_event.h"
#include "runs/run_directory.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

Result<fs::path> logToRead(const fs::path &log)
{
    std::error_code failure;
    const fs::path path = fs::canonical(log, failure);
    if (failure || !fs::is_regular_file(path, failure))
        return Error{.what = failure ? "cannot be read: " + failure.message() : "is not a file",
            .where = log.string(),
            .accepted = "the log file of a training on this machine"};
    const Result<FileDescriptor> opened = openPrivateFile(path, 0);
    return opened ? Result<fs::path>(path) : Result<fs::path>(opened.error());
}

} // namespace

Result<AttachedRun> attachRun(const fs::path &log, RunConfig config, const std::set<std::string> &given,
    const Catalogue &catalogue, const Registry &registry)
{
    const Result<fs::path> path = logToRead(log);
    if (!path)
        return path.error();
    config.training.log = path->string();
    config.training.command = {"attached"}; // stands for a command that is not known
    if (config.training.name.empty())
        config.training.name = path->stem().string();
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
        return writeRunConfig(paths, plan->config); // last: a directory with it is a run
    };
    if (const Result<void> written = write(); !written) {
        std::error_code ignored;
        fs::remove_all(*directory, ignored); // it is new, and no run yet
        return written.error();
    }
    appendEvent(
        paths, {.time = utcNow(),
                   .kind = "started",
                   .message = "attached to " + path->string() + (plan->noPlan.empty() ? "" : "; " + plan->noPlan)});
    return AttachedRun{.directory = *directory, .log = path->string(), .noPlan = plan->noPlan};
}

} // namespace slipway
