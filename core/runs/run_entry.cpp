// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_entry.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_values.h"
#include "base/text.h"
#include "runs/imported_run.h"
#include "runs/remote_run.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> finite(const std::optional<double> &value)
{
    return value && std::isfinite(*value) ? value : std::nullopt;
}

template<typename T>
void take(const nlohmann::json &object, const char *key, T &into)
{
    if (const auto found = object.find(key); found != object.end() && !found->is_null())
        into = found->get<T>();
}

template<typename T>
void take(const nlohmann::json &object, const char *key, std::optional<T> &into)
{
    if (const auto found = object.find(key); found != object.end() && !found->is_null())
        into = found->get<T>();
}

} // namespace

double RunEntry::fraction() const
{
    return totalSteps && *totalSteps > 0
               ? std::clamp(static_cast<double>(step) / static_cast<double>(*totalSteps), 0.0, 1.0)
               : 0.0;
}

RunEntry entryOf(const std::string &name, const RunData &run)
{
    const Progress progress = progressOf(run);
    const RunSummary summary = summaryOf(run);
    RunEntry entry{.name = name,
        .title = run.name,
        .directory = run.paths.directory,
        .status = run.status,
        .attempts = summary.attempts,
        .step = progress.step,
        .totalSteps = progress.totalSteps,
        .tokens = summary.tokensKnown() ? std::optional(progress.tokens) : std::nullopt,
        .lowestLoss = finite(summary.lowestLoss),
        .tokensPerSecond = finite(summary.steadyTokensPerSecond),
        .peakAllocated = summary.peakAllocated,
        .usd = finite(summary.usdSoFar),
        .lastTime = summary.lastTime,
        .problems = run.problemCount};
    if (!isTerminal(run.state()))
        entry.remaining = finite(progress.remaining);
    if (!run.metrics.empty())
        entry.loss = finite(run.metrics.back().loss);
    entry.finalLoss = entry.loss ? summary.finalLoss : std::nullopt;
    if (run.prediction)
        entry.predictedTokensPerSecond = run.prediction->speed.tokensPerSecond;
    entry.imported = isImported(run.paths);
    if (isRemoteRun(run.paths)) {
        const Result<RemoteRun> remote = readRemoteRun(run.paths);
        entry.host = remote ? remote->host : "";
    }
    Labels launched;
    if (run.config) {
        launched = {run.config->training.tags, run.config->training.notes};
        if (!entry.imported) {
            entry.model = run.prediction && !run.prediction->model.name.empty() ? run.prediction->model.name
                                                                                : run.config->model.name;
            entry.gpu = run.config->gpu;
            entry.gpus = run.config->parallel.gpus;
        }
    }
    entry.labels = readLabels(run.paths, launched);
    return entry;
}

bool RunFilter::matches(const RunEntry &entry) const
{
    if (!states.empty() && std::find(states.begin(), states.end(), entry.status.state) == states.end())
        return false;
    for (const std::string &tag : tags) {
        if (std::find(entry.labels.tags.begin(), entry.labels.tags.end(), tag) == entry.labels.tags.end())
            return false;
    }
    std::string all = entry.name + '\n' + entry.title + '\n' + entry.labels.notes + '\n' + entry.model + '\n' +
                      entry.gpu + '\n' + entry.host + '\n' + std::string(enumName(entry.status.state));
    for (const std::string &tag : entry.labels.tags)
        all += '\n' + tag;
    all = toLower(all);
    const std::string wanted = toLower(text);
    for (const std::string_view word : split(wanted, ' ')) {
        if (!word.empty() && all.find(word) == std::string::npos)
            return false;
    }
    return true;
}

nlohmann::ordered_json toJson(const RunEntry &entry)
{
    return {{"name", entry.name}, {"title", entry.title}, {"directory", entry.directory.string()},
        {"state", enumName(entry.status.state)}, {"detail", entry.status.detail},
        {"as_of", entry.status.asOf.empty() ? Json(nullptr) : Json(entry.status.asOf)}, {"host", entry.host},
        {"exit_status", orNull(entry.status.exitStatus)}, {"attempts", entry.attempts}, {"step", entry.step},
        {"total_steps", orNull(entry.totalSteps)}, {"tokens", orNull(entry.tokens)},
        {"remaining_s", orNull(entry.remaining)}, {"loss", orNull(entry.loss)}, {"final_loss", orNull(entry.finalLoss)},
        {"lowest_loss", orNull(entry.lowestLoss)}, {"tokens_per_s", orNull(entry.tokensPerSecond)},
        {"predicted_tokens_per_s", orNull(entry.predictedTokensPerSecond)},
        {"peak_allocated_bytes", orNull(entry.peakAllocated)}, {"usd", orNull(entry.usd)},
        {"last_time", entry.lastTime}, {"model", entry.model}, {"gpu", entry.gpu}, {"gpus", entry.gpus},
        {"imported", entry.imported}, {"tags", entry.labels.tags}, {"notes", entry.labels.notes},
        {"problems", entry.problems}};
}

std::string toJsonText(const RunEntry &entry)
{
    return toJson(entry).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RunEntry> runEntryFromJson(const std::string &text)
{
    const Result<nlohmann::json> object = parseJson(text);
    if (!object || !object->is_object())
        return std::nullopt;
    RunEntry entry;
    try {
        std::string directory, state;
        take(*object, "name", entry.name);
        take(*object, "title", entry.title);
        take(*object, "directory", directory);
        take(*object, "state", state);
        take(*object, "detail", entry.status.detail);
        take(*object, "as_of", entry.status.asOf);
        take(*object, "host", entry.host);
        take(*object, "exit_status", entry.status.exitStatus);
        take(*object, "attempts", entry.attempts);
        take(*object, "step", entry.step);
        take(*object, "total_steps", entry.totalSteps);
        take(*object, "tokens", entry.tokens);
        take(*object, "remaining_s", entry.remaining);
        take(*object, "loss", entry.loss);
        take(*object, "final_loss", entry.finalLoss);
        take(*object, "lowest_loss", entry.lowestLoss);
        take(*object, "tokens_per_s", entry.tokensPerSecond);
        take(*object, "predicted_tokens_per_s", entry.predictedTokensPerSecond);
        take(*object, "peak_allocated_bytes", entry.peakAllocated);
        take(*object, "usd", entry.usd);
        take(*object, "last_time", entry.lastTime);
        take(*object, "model", entry.model);
        take(*object, "gpu", entry.gpu);
        take(*object, "gpus", entry.gpus);
        take(*object, "imported", entry.imported);
        take(*object, "tags", entry.labels.tags);
        take(*object, "notes", entry.labels.notes);
        take(*object, "problems", entry.problems);
        const auto known = enumFromName<RunState>(state);
        if (!known)
            return std::nullopt;
        entry.status.state = *known;
        entry.directory = directory;
    } catch (const nlohmann::json::exception &) { // a value of an unexpected type: the entry is damaged
        return std::nullopt;
    }
    return entry;
}

} // namespace slipway
