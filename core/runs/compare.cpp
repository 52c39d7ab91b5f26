// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/compare.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

bool hasSettings(const RunData &run) { return run.config && !isImported(run.paths); }

std::vector<DifferingSetting> differingSettings(std::span<const RunData *const> runs, const std::vector<bool> &known)
{
    std::vector<DifferingSetting> settings;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!known[i])
            continue;
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
            if (!known[i])
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

std::string settingsSentence(const RunComparison &comparison, const std::vector<std::string> &names)
{
    std::vector<std::string> unknown;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!comparison.settingsKnown[i])
            unknown.push_back(names[i]);
    }
    const std::size_t known = names.size() - unknown.size(), differ = comparison.settings.size();
    const char *runs = unknown.empty() ? "The runs" : "The other runs";
    std::string text;
    if (differ > 0)
        text = fmt::format("{} differ in {} setting{}.", runs, differ, differ == 1 ? "" : "s");
    else if (known > 1)
        text = fmt::format("{} have the same settings.", runs);
    if (unknown.empty())
        return text;
    return fmt::format(
        "The settings of {} are not known.{}{}", fmt::join(unknown, ", "), text.empty() ? "" : " ", text);
}

Result<RunComparison> compareRuns(std::span<const RunData *const> runs, std::size_t baseline)
{
    if (runs.size() < 2 || runs.size() > kMostCompared)
        return Error{.what = std::to_string(runs.size()) + " runs cannot be compared",
            .accepted = "2 to " + std::to_string(kMostCompared) + " runs"};
    if (baseline >= runs.size())
        return Error{.what = "the baseline is not one of the runs", .where = "--baseline"};
    RunComparison result{.baseline = baseline};
    for (const RunData *run : runs)
        result.settingsKnown.push_back(hasSettings(*run));
    result.settings = differingSettings(runs, result.settingsKnown);
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
