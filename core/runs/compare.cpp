// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/compare.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "config/config_io.h"
#include "runs/imported_run.h"

namespace slipway {

namespace {

std::string shown(const nlohmann::ordered_json &value)
{
    return value.is_null()     ? ""
           : value.is_string() ? value.get<std::string>()
                               : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<DifferingSetting> differingSettings(std::span<const RunData *const> runs)
{
    std::vector<DifferingSetting> settings;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i]->config || isImported(runs[i]->paths))
            continue; // an imported run has no settings
        const nlohmann::ordered_json config = toJson(*runs[i]->config);
        for (const auto &[key, value] : config.items()) {
            if (key == "name" || key == "tags" || key == "notes")
                continue;
            auto row = std::find_if(settings.begin(), settings.end(),
                [&name = key](const DifferingSetting &setting) { return setting.key == name; });
            if (row == settings.end())
                row = settings.insert(settings.end(), {.key = key, .values = std::vector<std::string>(runs.size())});
            row->values[i] = shown(value);
        }
    }
    std::erase_if(settings, [&](const DifferingSetting &setting) {
        const std::string *first = nullptr;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (!runs[i]->config || isImported(runs[i]->paths))
                continue;
            if (first && *first != setting.values[i])
                return false;
            first = &setting.values[i];
        }
        return true;
    });
    return settings;
}

} // namespace

Result<RunComparison> compareRuns(std::span<const RunData *const> runs, std::size_t baseline)
{
    if (runs.size() < 2 || runs.size() > kMostCompared)
        return Error{.what = std::to_string(runs.size()) + " runs cannot be compared",
            .accepted = "2 to " + std::to_string(kMostCompared) + " runs"};
    if (baseline >= runs.size())
        return Error{.what = "the baseline is not one of the runs", .where = "--baseline"};
    RunComparison result{.baseline = baseline, .settings = differingSettings(runs)};
    for (const RunData *run : runs) {
        result.names.push_back(run->name);
        const std::vector<Comparison> figures = summaryOf(*run).comparisons;
        for (std::size_t i = 0; i < figures.size(); ++i) {
            if (result.figures.size() <= i)
                result.figures.push_back({.name = figures[i].name, .unit = figures[i].unit});
            result.figures[i].runs.push_back(figures[i]);
        }
    }
    for (ComparedFigure &figure : result.figures) {
        const std::optional<double> base = figure.runs[baseline].measured;
        for (const Comparison &run : figure.runs)
            figure.toBaseline.push_back(
                base && *base != 0 && run.measured ? std::optional(*run.measured / *base - 1) : std::nullopt);
    }
    std::erase_if(result.figures, [](const ComparedFigure &figure) {
        return std::none_of(
            figure.runs.begin(), figure.runs.end(), [](const Comparison &run) { return run.measured.has_value(); });
    });
    return result;
}

} // namespace slipway
