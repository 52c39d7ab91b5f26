// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hosts/refresh_runs.h"
#include "runs/progress.h"
#include "runs/registry.h"
#include "runs/remote_run.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

Json finiteOrNull(std::optional<double> value)
{
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json runJson(const KnownRun &known, const RunData &run)
{
    const Progress progress = progressOf(run);
    const RunSummary summary = summaryOf(run);
    Json object{{"name", known.name}, {"directory", known.directory.string()}, {"state", enumName(run.state())}, {"detail", run.standing.detail}};
    object["as_of"] = run.standing.asOf.empty() ? Json(nullptr) : Json(run.standing.asOf);
    const Result<RemoteRun> remote = isRemoteRun(run.paths) ? readRemoteRun(run.paths) : Result<RemoteRun>(RemoteRun{.host = "local", .directory = {}, .trainer = {}, .options = {}});
    object["host"] = remote ? remote->host : "";
    object["exit_status"] = run.standing.exitStatus ? Json(*run.standing.exitStatus) : Json(nullptr);
    object["attempts"] = summary.attempts;
    object["step"] = progress.step;
    object["total_steps"] = progress.totalSteps ? Json(*progress.totalSteps) : Json(nullptr);
    object["tokens"] = progress.tokens;
    object["remaining_s"] = finiteOrNull(isTerminal(run.state()) ? std::nullopt : progress.remaining);
    object["loss"] = finiteOrNull(run.metrics.empty() ? std::nullopt : std::optional(run.metrics.back().loss));
    object["lowest_loss"] = finiteOrNull(summary.lowestLoss);
    object["tokens_per_s"] = finiteOrNull(summary.steadyTokensPerSecond);
    object["predicted_tokens_per_s"] = run.prediction ? Json(run.prediction->speed.tokensPerSecond) : Json(nullptr);
    object["peak_allocated_bytes"] = summary.peakAllocated ? Json(*summary.peakAllocated) : Json(nullptr);
    object["usd"] = finiteOrNull(summary.usdSoFar);
    object["last_time"] = summary.lastTime;
    object["problems"] = run.problemCount;
    return object;
}

std::vector<std::string> runRow(const KnownRun &known, const RunData &run)
{
    const Progress progress = progressOf(run);
    const RunSummary summary = summaryOf(run);
    const std::string step = progress.totalSteps ? fmt::format("{}/{}", progress.step, *progress.totalSteps) : std::to_string(progress.step);
    const bool left = progress.remaining && !isTerminal(run.state());
    return {known.name, std::string(enumName(run.state())), step, run.metrics.empty() ? "" : fmt::format("{:.4f}", run.metrics.back().loss),
        summary.steadyTokensPerSecond ? formatCount(*summary.steadyTokensPerSecond) : "", left ? formatSeconds(*progress.remaining) : "", summary.lastTime};
}

} // namespace

int runs(const RunsOptions &options)
{
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows{{"name", "state", "step", "loss", "tokens/s", "left", "last step"}};
    const Registry registry;
    std::vector<std::filesystem::path> directories;
    for (const KnownRun &known : registry.list())
        directories.push_back(known.directory);
    for (const Error &error : refreshRuns(directories))
        note(error.message());
    for (const KnownRun &known : registry.list()) {
        const Result<RunData> run = readRun(known.directory);
        if (!run) {
            note(run.error().message());
            continue;
        }
        if (options.json)
            list.push_back(runJson(known, *run));
        else
            rows.push_back(runRow(known, *run));
    }
    if (options.json)
        print(Json{{"version", 1}, {"runs", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    else if (rows.size() > 1)
        print(alignedTable(rows, {false, false, true, true, true, true, false}));
    else
        note("no runs in " + registry.folder().string() + "; `slipway launch FILE` starts one");
    return Done;
}

} // namespace slipway::cli
