// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/read_failures.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/listed_run.h"
#include "report/compare_report.h"
#include "report/html.h"
#include "report/report_tables.h"
#include "runs/compare.h"
#include "runs/imported_run.h"
#include "runs/labels.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

Json numberOrNull(const std::optional<double> &value)
{
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json comparisonJson(const RunComparison &comparison, const std::vector<std::filesystem::path> &directories)
{
    Json runs = Json::array(), settings = Json::array(), figures = Json::array();
    for (std::size_t i = 0; i < comparison.names.size(); ++i)
        runs.push_back({{"name", comparison.names[i]}, {"directory", directories[i].string()},
            {"settings_known", static_cast<bool>(comparison.settingsKnown[i])}});
    for (const DifferingSetting &setting : comparison.settings)
        settings.push_back({{"key", setting.key}, {"values", setting.values}});
    for (const ComparedFigure &figure : comparison.figures) {
        Json values = Json::array();
        for (std::size_t i = 0; i < figure.runs.size(); ++i)
            values.push_back({{"measured", numberOrNull(figure.runs[i].measured)},
                {"predicted", numberOrNull(figure.runs[i].predicted)}, {"ratio", numberOrNull(figure.runs[i].ratio())},
                {"to_baseline", numberOrNull(figure.toBaseline[i])}});
        figures.push_back({{"name", figure.name}, {"unit", figure.unit}, {"runs", std::move(values)}});
    }
    return {{"version", 1}, {"runs", runs}, {"baseline", comparison.baseline}, {"settings", settings},
        {"figures", figures}};
}

std::string figureCell(const ComparedFigure &figure, std::size_t run, std::size_t baseline)
{
    const Comparison &value = figure.runs[run];
    std::string text = value.measured ? formatInUnit(value.measured, figure.unit) : "-";
    if (run != baseline && figure.toBaseline[run])
        text += fmt::format(" ({:+.1f} %)", *figure.toBaseline[run] * 100);
    if (const auto ratio = value.ratio())
        text += fmt::format(" [{:.2f}]", *ratio);
    return text;
}

std::string comparisonText(const RunComparison &comparison)
{
    std::vector<std::vector<std::string>> rows{{""}};
    std::vector<bool> right{false};
    for (const std::string &name : comparison.names) {
        rows[0].push_back(name);
        right.push_back(true);
    }
    for (const DifferingSetting &setting : comparison.settings) {
        rows.push_back({setting.key});
        for (const std::string &value : setting.values)
            rows.back().push_back(value.empty() ? "-" : value);
    }
    for (const ComparedFigure &figure : comparison.figures) {
        rows.push_back({figure.name});
        for (std::size_t i = 0; i < figure.runs.size(); ++i)
            rows.back().push_back(figureCell(figure, i, comparison.baseline));
    }
    return settingsSentence(comparison, distinctNames(comparison.names)) + "\n\n" + alignedTable(rows, right) +
           "\nmeasured (difference to " + comparison.names[comparison.baseline] + ") [measured / predicted]\n" +
           speedSentence() + "\n";
}

} // namespace

int label(const LabelOptions &options)
{
    const Registry registry;
    const Result<std::filesystem::path> directory = registry.find(options.run);
    if (!directory)
        return fail(directory.error());
    const Result<RunData> run = readListedRun(registry, options.run, *directory, RunReader::Extent::Ends);
    if (!run)
        return fail(run.error());
    const TrainingChoice launched = run->config ? run->config->training : TrainingChoice{};
    Labels labels = readLabels(run->paths, {launched.tags, launched.notes});
    if (const std::optional<Error> failure = firstReadFailure()) // labels that could not be read would be lost
        return fail(*failure);
    const Labels before = labels;
    labels.tags.insert(labels.tags.end(), options.add.begin(), options.add.end());
    for (const std::string &tag : options.remove)
        std::erase(labels.tags, tag);
    if (options.notes)
        labels.notes = *options.notes;
    if (labels != before) {
        if (const Result<void> written = writeLabels(run->paths, labels); !written)
            return fail(written.error());
        labels = readLabels(run->paths, {});
    }
    if (options.json) {
        print(dumped({{"version", 1}, {"name", run->name}, {"directory", directory->string()}, {"tags", labels.tags},
            {"notes", labels.notes}}));
        return Done;
    }
    std::string tags;
    for (const std::string &tag : labels.tags)
        tags += (tags.empty() ? "" : ", ") + tag;
    print(fmt::format(
        "{}: {}{}{}\n", run->name, tags.empty() ? "no tags" : tags, labels.notes.empty() ? "" : "; ", labels.notes));
    return Done;
}

namespace {

int writeComparison(
    const CompareOptions &options, const RunComparison &comparison, const std::vector<const RunData *> &runs)
{
    const auto write = [](const std::string &file, const std::string &text) {
        return file.empty() ? Result<void>() : writeNamedFile(file, text);
    };
    if (const Result<void> written = write(options.csv, comparisonCsv(comparison)); !written)
        return fail(written.error());
    if (!options.html.empty()) {
        const Result<void> written = write(options.html, reportHtml(comparisonReport(comparison, runs)));
        if (!written)
            return fail(written.error());
    }
    if (options.pdf.empty())
        return Done;
    std::vector<std::string> subjects = options.runs; // the baseline is moved to the front
    std::rotate(subjects.begin(), subjects.begin() + static_cast<std::ptrdiff_t>(comparison.baseline),
        subjects.begin() + static_cast<std::ptrdiff_t>(comparison.baseline) + 1);
    return drawPdf({.kind = "comparison", .subjects = subjects, .file = options.pdf});
}

} // namespace

int compare(const CompareOptions &options)
{
    const Registry registry;
    std::vector<std::filesystem::path> directories;
    std::vector<RunData> read;
    std::optional<std::filesystem::path> baseline;
    if (!options.baseline.empty()) {
        const Result<std::filesystem::path> found = registry.find(options.baseline);
        if (!found)
            return fail(found.error());
        baseline = *found;
    }
    for (const std::string &name : options.runs) {
        const Result<std::filesystem::path> directory = registry.find(name);
        if (!directory)
            return fail(directory.error());
        Result<RunData> run = readListedRun(registry, name, *directory);
        if (!run)
            return fail(run.error());
        directories.push_back(*directory);
        read.push_back(*std::move(run));
    }
    const auto at = baseline ? std::find(directories.begin(), directories.end(), *baseline) : directories.begin();
    if (at == directories.end())
        return fail(
            {.what = "is not one of the compared runs", .where = "--baseline", .accepted = "one of the compared runs"});
    std::vector<const RunData *> runs;
    for (const RunData &run : read)
        runs.push_back(&run);
    const Result<RunComparison> comparison = compareRuns(runs, static_cast<std::size_t>(at - directories.begin()));
    if (!comparison)
        return fail(comparison.error());
    const int written = writeComparison(options, *comparison, runs);
    if (written == Done && (options.json || (options.csv.empty() && options.html.empty() && options.pdf.empty())))
        print(options.json ? dumped(comparisonJson(*comparison, directories)) : comparisonText(*comparison));
    return written;
}

int importExports(const ImportOptions &options)
{
    const Result<std::filesystem::path> made =
        importRun(options.name, {options.files.begin(), options.files.end()}, Registry());
    if (!made)
        return fail(made.error());
    const std::string name = made->filename().string();
    print(options.json ? dumped({{"version", 1}, {"name", name}, {"directory", made->string()}})
                       : "imported: " + name + " in " + made->string() + "\n");
    return Done;
}

} // namespace slipway::cli
