// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/read_failures.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "base/user_folders.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hosts/refresh_runs.h"
#include "report/runs_csv.h"
#include "runs/loss_text.h"
#include "runs/run_index.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

// Returns an error if the folder exists but cannot be read. A folder that does not exist yet holds no runs.
Result<void> readable(const std::filesystem::path &folder)
{
    if (folder.empty())
        return noUserFolder();
    std::error_code failed;
    const std::filesystem::directory_iterator entries(folder, failed);
    if (failed && failed != std::errc::no_such_file_or_directory)
        return Error{.what = "cannot be read: " + failed.message(), .where = folder.string(), .fault = Fault::Outside};
    return {};
}

Result<RunFilter> filterOf(const RunsOptions &options)
{
    RunFilter filter{.text = options.words, .tags = options.tags};
    for (const std::string &name : options.states) {
        const auto state = enumFromName<RunState>(name);
        if (!state)
            return unknownName("state", name, namesOf(EnumNames<RunState>::names), "--state");
        filter.states.push_back(*state);
    }
    return filter;
}

// Sorts by loss in ascending order, or by speed or cost in descending order. Runs without a value come last.
Result<void> sortBy(std::vector<RunEntry> &runs, const std::string &key)
{
    const auto by = [&runs](auto value, double sign) {
        std::stable_sort(runs.begin(), runs.end(), [&](const RunEntry &a, const RunEntry &b) {
            const std::optional<double> left = value(a), right = value(b);
            return left && right ? sign * *left < sign * *right : left.has_value() && !right;
        });
    };
    if (key == "name")
        std::stable_sort(
            runs.begin(), runs.end(), [](const RunEntry &a, const RunEntry &b) { return a.name < b.name; });
    else if (key == "loss")
        by([](const RunEntry &run) { return run.finalLoss; }, 1);
    else if (key == "speed")
        by([](const RunEntry &run) { return run.tokensPerSecond; }, -1);
    else if (key == "cost")
        by([](const RunEntry &run) { return run.usd; }, -1);
    else if (key != "changed")
        return Error{.what = "cannot sort runs by '" + key + "'",
            .where = "--sort",
            .accepted = "changed, name, loss, speed, cost"};
    return {};
}

std::vector<std::string> tableRow(const RunEntry &run)
{
    const std::string step =
        run.totalSteps ? fmt::format("{}/{}", run.step, *run.totalSteps) : std::to_string(run.step);
    std::string tags;
    for (const std::string &tag : run.labels.tags)
        tags += (tags.empty() ? "" : ", ") + tag;
    return {run.name, std::string(enumName(run.status.state)), step,
        run.finalLoss  ? lossText(*run.finalLoss)
        : run.step > 0 ? "NaN"
                       : "",
        run.tokensPerSecond ? formatCount(*run.tokensPerSecond) : "",
        run.remaining ? formatSeconds(*run.remaining) : "", run.usd ? formatUsd(*run.usd) : "", run.lastTime, tags};
}

// Returns an error if a file could not be read, because the printed output is then incomplete.
int asComplete()
{
    const std::optional<Error> failure = firstReadFailure();
    return failure ? fail(*failure) : static_cast<int>(Done);
}

} // namespace

int runs(const RunsOptions &options)
{
    const Result<RunFilter> filter = filterOf(options);
    if (!filter)
        return fail(filter.error());
    const Registry registry;
    if (const Result<void> read = readable(registry.folder()); !read)
        return fail(read.error());
    std::vector<std::filesystem::path> directories;
    for (const KnownRun &known : registry.list())
        directories.push_back(known.directory);
    for (const Error &error : RunRefresher().refresh(directories))
        note(error.message());
    RunIndex index{registry};
    if (index.inMemory())
        note(index.problem());
    std::vector<RunEntry> list = options.rebuild ? index.rebuild() : index.list();
    const bool any = !list.empty();
    std::erase_if(list, [&](const RunEntry &run) { return !filter->matches(run); });
    if (const Result<void> sorted = sortBy(list, options.sortBy); !sorted)
        return fail(sorted.error());
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, runsCsv(list)); !written)
            return fail(written.error());
    }
    if (options.json) {
        Json array = Json::array();
        for (const RunEntry &run : list) {
            Json object = toJson(run);
            Json alerts = Json::array();
            for (const AlertRow &row : index.alerts(run.directory))
                alerts.push_back({{"kind", enumName(row.alert.kind)}, {"since", row.since}, {"until", row.until},
                    {"step", row.alert.step}, {"message", row.alert.message}});
            object["alerts"] = std::move(alerts);
            array.push_back(std::move(object));
        }
        print(dumped({{"version", 1}, {"runs", array}}));
        return asComplete();
    }
    if (!any)
        note("no runs in " + registry.folder().string() + "; `slipway launch FILE` launches one");
    else if (list.empty())
        note("no run matches; `slipway runs` lists all runs");
    if (list.empty())
        return asComplete();
    std::vector<std::vector<std::string>> rows{
        {"name", "state", "step", "loss", "tokens/s", "left", "cost", "last step", "tags"}};
    for (const RunEntry &run : list)
        rows.push_back(tableRow(run));
    print(alignedTable(rows, {false, false, true, true, true, true, true, false, false}));
    return asComplete();
}

} // namespace slipway::cli
