// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/calibrate.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "hardware/user_folder.h"
#include "hardware/user_prices.h"
#include "measure/choose_software.h"
#include "measure/log_batch.h"
#include "runs/registry.h"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;
using Observations = std::vector<Observation>;

constexpr std::size_t kProgressParts = 1000;

Result<std::optional<std::vector<Constant>>> wantedOf(const std::string &names)
{
    if (names.empty())
        return std::optional<std::vector<Constant>>();
    std::vector<Constant> wanted;
    for (const std::string_view name : split(names, ',')) {
        const auto constant = enumFromName<Constant>(trimmed(name));
        if (!constant)
            return unknownName("constant", name, namesOf(EnumNames<Constant>::names), "--fit");
        if (std::find(wanted.begin(), wanted.end(), *constant) == wanted.end())
            wanted.push_back(*constant);
    }
    return std::optional(std::move(wanted));
}

bool isTable(const std::string &subject)
{
    std::error_code ignored;
    return fs::is_regular_file(subject, ignored);
}

struct Measurements {
    Observations runs;
    std::vector<GemmTable> gemms;
    std::vector<LeftOutRow> leftOut;
};

Result<void> addSubject(Measurements &measured, const std::string &subject, const Catalogue &catalogue)
{
    if (isTable(subject)) {
        if (const Result<CsvTable> table = readCsv(subject); table && isGemmTable(*table)) {
            Result<std::vector<GemmTable>> gemms = readGemmTables(*table, catalogue);
            if (!gemms)
                return gemms.error();
            for (const GemmTable &each : *gemms)
                addGemms(measured.gemms, each);
            return {};
        }
        const Result<std::vector<MeasuredRow>> rows = readMeasurements(subject, catalogue);
        if (!rows) {
            Error error = rows.error();
            error.accepted += error.accepted.empty() ? "" : "; pass a training log with --log";
            return error;
        }
        Observations runs = observationsOf(*rows, catalogue.rates.productiveTimeFraction);
        std::vector<LeftOutRow> leftOut = leftOutRows(*rows);
        if (runs.empty())
            return Error{
                .what = "no row has a measured speed or peak memory and can be planned" +
                        (leftOut.empty() ? "" : ", such as " + leftOut.front().id + ": " + leftOut.front().why),
                .where = subject,
                .accepted = "a measurement table; slipway validate shows what is wrong with each row"};
        std::move(leftOut.begin(), leftOut.end(), std::back_inserter(measured.leftOut));
        std::move(runs.begin(), runs.end(), std::back_inserter(measured.runs));
        return {};
    }
    const Result<fs::path> directory = Registry().find(subject);
    if (!directory) {
        Error error = directory.error();
        error.accepted += ", or a measurement table's file";
        return error;
    }
    const Result<RunData> run = readRun(*directory);
    if (!run)
        return run.error();
    Result<Observation> observation = observationOf(*run, catalogue);
    if (!observation)
        return observation.error();
    measured.runs.push_back(*std::move(observation));
    return {};
}

std::string logText(const std::string &file, const TrainingLog &log)
{
    const std::string out = log.leftOut > 0 ? fmt::format(", skipped the first {}", log.leftOut) : "";
    const std::string unusable = log.unusable > 0 ? fmt::format(", {} without a usable number", log.unusable) : "";
    return log.speed ? fmt::format("{}: {} lines with '{}'{}{}: {:.6g} {}", file, log.used, log.form, out, unusable,
                           *log.speed, enumName(log.unit))
                     : fmt::format("{}: memory only{}", file, unusable);
}

// Returns a warning, or an empty text if the log does not state another batch than the configuration.
std::string batchWarning(const TrainingLog &log, const std::string &name, const RunConfig &config)
{
    const std::optional<BatchConflict> conflict = batchConflict(log.batch, config);
    if (!conflict)
        return {};
    return fmt::format("{}: the log says {} {} per step, but the configuration has {}; give the run's micro-batch, "
                       "sequence length, accumulation and GPUs, or the constants are wrong",
        name, conflict->logged.size, conflict->logged.inTokens ? "tokens" : "sequences", conflict->planned);
}

// Adds the logs. The i-th configuration printed the i-th log. A single configuration printed all logs.
Result<void> addLogs(Observations &list, const CalibrateOptions &options, const Catalogue &catalogue)
{
    if (options.configs.size() > 1 && options.configs.size() != options.logs.size())
        return Error{.what = fmt::format("{} logs, but {} configurations", options.logs.size(), options.configs.size()),
            .where = "--config",
            .accepted = "one --config for each --log, or one for all of them"};
    for (std::size_t i = 0; i < options.logs.size(); ++i) {
        const std::string &file = options.logs[i];
        const LogGrammar grammar = catalogue.frameworks.scriptInterfaceOf({}).log;
        const Result<TrainingLog> log = file == "-" ? readTrainingLog(std::cin, "standard input", grammar)
                                                    : readTrainingLog(fs::path(file), grammar);
        if (!log)
            return log.error();
        ConfigSource source = options.source;
        if (!options.configs.empty())
            source.file = options.configs[std::min(i, options.configs.size() - 1)];
        const Result<RunConfig> config = configFrom(source);
        if (!config)
            return config.error();
        const std::string name = file == "-" ? "log" : fs::path(file).filename().string();
        Result<Observation> observation = observationOf(*log, name, *config, catalogue);
        if (!observation)
            return placed(observation.error(), source);
        if (!options.json)
            note("slipway: " + logText(name, *log));
        if (const std::string warning = batchWarning(*log, name, observation->resolved.config); !warning.empty())
            note("slipway: " + warning);
        list.push_back(*std::move(observation));
    }
    return {};
}

// Returns the id of the GPU if all measurements are from one GPU, or otherwise a common name.
std::string defaultName(const Measurements &measured)
{
    std::set<std::string> gpus;
    for (const Observation &run : measured.runs)
        gpus.insert(run.resolved.gpu.id);
    for (const GemmTable &table : measured.gemms)
        gpus.insert(table.gpu);
    return gpus.size() == 1 ? *gpus.begin() : "own-runs";
}

// Returns ", replacing the one of 2026-11-20", or an empty string if no calibration is replaced.
std::string replacedText(const std::string &id)
{
    const Result<fs::path> file = yamlFileFor(userCalibrationFolder(), id);
    const Result<Calibration> former = file ? readCalibration(*file) : Result<Calibration>(file.error());
    return former ? ", replacing the one of " + former->asOf : "";
}

int deliver(
    const CalibrateOptions &options, const CalibrationOutcome &outcome, const std::vector<SoftwareChoice> &software)
{
    const Calibration &calibration = outcome.calibration;
    const bool fitted = !calibration.devices.empty() || !calibration.gemms.empty() || !calibration.software.empty();
    std::string file, replaced;
    if (fitted && !options.dryRun) {
        replaced = replacedText(calibration.id);
        const Result<fs::path> written = writeCalibration(userCalibrationFolder(), calibration);
        if (!written)
            return fail(written.error());
        file = written->string();
    }
    if (options.json) {
        nlohmann::ordered_json json = toJson(outcome);
        json["software"] = toJson(software);
        json["file"] = file.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(file);
        print(dumped(json));
    } else {
        print(toText(outcome));
        if (const std::string said = toText(software); !said.empty())
            print("\n" + said);
        if (!file.empty())
            print("\nSaved as " + file + replaced + ": --calibration " + calibration.id + "\n");
        else if (fitted)
            print("\nNothing was saved (--dry-run).\n");
    }
    if (!fitted)
        note("slipway: no constant was fitted; nothing was saved");
    return fitted ? Done : No;
}

} // namespace

int calibrateConstants(const CalibrateOptions &options)
{
    if (!options.remove.empty()) {
        if (!options.subjects.empty() || !options.logs.empty())
            return fail({.what = "cannot be combined with data to fit",
                .where = "--remove",
                .accepted = "--remove NAME alone"});
        const Result<void> removed = removeUserTable(userCalibrationFolder(), "calibration", options.remove);
        if (!removed) {
            Error error = removed.error();
            error.where = error.where.empty() ? "--remove" : error.where;
            return fail(error);
        }
        note("slipway: the calibration '" + options.remove + "' was deleted");
        return Done;
    }
    if (options.subjects.empty() && options.logs.empty())
        return fail({.what = "no data to fit is given",
            .where = "slipway calibrate",
            .accepted = "a run, a measurement table, a table of GEMM timings, or --log FILE"});
    const auto wanted = wantedOf(options.fit);
    if (!wanted)
        return fail(wanted.error());
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    Measurements measured;
    for (const std::string &subject : options.subjects) {
        if (const Result<void> added = addSubject(measured, subject, *catalogue); !added)
            return fail(added.error());
    }
    if (const Result<void> added = addLogs(measured.runs, options, *catalogue); !added)
        return fail(added.error());

    const CalibrationRequest request{.id = options.name.empty() ? defaultName(measured) : options.name,
        .asOf = utcNow().substr(0, 10),
        .wanted = *wanted,
        .gemms = std::move(measured.gemms),
        .leftOut = std::move(measured.leftOut)};
    if (const Result<fs::path> nameable = yamlFileFor(userCalibrationFolder(), request.id); !nameable)
        return fail({.what = nameable.error().what, .where = "--as", .accepted = nameable.error().accepted});
    const std::vector<SoftwareChoice> software = chooseSoftware(measured.runs, *catalogue);
    if (options.choose)
        measured.runs = withChosenSoftware(std::move(measured.runs), software, *catalogue);
    ProgressLine progress("parts", kProgressParts);
    std::size_t shown = 0;
    Result<CalibrationOutcome> outcome = calibrate(measured.runs, request, *catalogue, [&](double part) {
        for (; shown < static_cast<std::size_t>(part * kProgressParts); ++shown)
            progress.advance();
        return true;
    });
    progress.finish();
    if (outcome) {
        if (options.choose)
            outcome->calibration.software = softwareOfRuns(software);
        return deliver(options, *outcome, software);
    }
    fail(outcome.error());
    return *wanted ? No : BadInput;
}

} // namespace slipway::cli
