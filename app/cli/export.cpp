// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/unknown_name.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "config/apply_framework.h"
#include "config/config_io.h"
#include "hardware/user_prices.h"
#include "hosts/export_files.h"
#include "hosts/shell_quote.h"
#include "predict/predict.h"
#include "runs/registry.h"
#include "runs/run_reader.h"
#include "runs/tensorboard.h"

namespace slipway::cli {

namespace {

// Writes the TensorBoard event file of a run. The folder may exist, because TensorBoard shows several runs below one
// folder.
int exportTensorboard(const ExportOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.source.file);
    if (!directory)
        return fail(directory.error());
    const Result<RunData> run = readRun(*directory);
    if (!run)
        return fail(run.error());
    const Result<std::filesystem::path> file = writeTensorboard(
        *run, options.folder.empty() ? directory->filename().string() + "-tensorboard" : options.folder);
    if (!file)
        return fail(file.error());
    print(file->string() + "\nTo view it: tensorboard --logdir " + shellQuoted(file->parent_path().string()) + "\n");
    return Done;
}

} // namespace

int exportFiles(const ExportOptions &options)
{
    namespace fs = std::filesystem;
    if (options.target == "tensorboard")
        return exportTensorboard(options);
    const std::optional<ExportTarget> target = enumFromName<ExportTarget>(options.target);
    if (!target) {
        std::vector<std::string> targets = namesOf(EnumNames<ExportTarget>::names);
        targets.emplace_back("tensorboard");
        return fail(unknownName("kind", options.target, targets, "--to"));
    }
    Result<Planned> planned = planFrom(options.source);
    if (!planned)
        return fail(planned.error());
    auto &[config, catalogue, prediction] = *planned;
    if (!config.training.runsScript())
        settleChoices(config);
    if (config.training.name.empty())
        config.training.name = fs::path(options.source.file).stem().string();

    const Result<ExportedFile> file = exportedFile(config, prediction, *target, nodeBundle());
    if (!file)
        return fail(file.error());
    const fs::path folder = options.folder.empty() ? fs::path(folderName(config.training.name) + "-" + options.target)
                                                   : fs::path(options.folder);
    std::error_code failure;
    if (!fs::create_directory(folder, failure))
        return fail({.what = failure ? "cannot be created: " + failure.message() : "exists already",
            .where = folder.string(),
            .accepted = "a new folder: --out DIR",
            .fault = failure ? Fault::Outside : Fault::Input});
    for (const Result<void> &written : {writeRunConfig(folder / "run.yaml", file->config),
             writeNamedFile(folder / "prediction.json", dumped(toJson(prediction))),
             writeNamedFile(folder / file->name, file->text)}) {
        if (!written)
            return fail(written.error());
    }
    print((folder / file->name).string() + "\n" + file->hint + "\n");
    return Done;
}

} // namespace slipway::cli
