// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/config_source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "config/config_io.h"
#include "config/settings.h"
#include "hardware/processor_rates.h"
#include "hardware/user_prices.h"
#include "predict/predict.h"

namespace slipway::cli {

namespace {

// Sets DDP if several data-parallel ranks are requested by flags alone and no flag chooses a parallelism strategy.
void shareByDefault(RunConfig &config, const ConfigSource &source)
{
    Parallelism &p = config.parallel;
    const bool said = std::any_of(
        source.settings.begin(), source.settings.end(), [](const auto &given) { return given.first == "parallel"; });
    if (source.file.empty() && !said && p.kind == ParallelKind::None && p.gpus > std::int64_t{p.tp} * p.pp * p.cp)
        p.kind = ParallelKind::Ddp;
}

} // namespace

Result<RunConfig> configFrom(const ConfigSource &source)
{
    RunConfig config;
    if (!source.file.empty()) {
        Result<RunConfig> read = readRunConfig(source.file);
        if (!read && (source.file == "true" || source.file == "false")) // follows a flag that takes no value
            return Error{.what = "is read as a configuration file",
                .where = "'" + source.file + "'",
                .accepted = "--some-flag=" + source.file};
        if (!read)
            return read.error();
        config = std::move(*read);
    }
    Result<RunConfig> changed = applySettings(std::move(config), source.settings);
    if (!changed)
        return changed;
    config = std::move(*changed);
    shareByDefault(config, source);
    // Relative paths from flags are based on the current folder. The file's own paths are already absolute.
    std::error_code failure;
    const std::filesystem::path here = std::filesystem::current_path(failure);
    return failure ? config : withPathsFrom(std::move(config), here);
}

void knowProcessor(const RunConfig &config)
{
    if (config.gpu == "cpu")
        measureProcessorOnce([](std::string_view text) {
            std::fprintf(stderr, "slipway: %.*s\n", static_cast<int>(text.size()), text.data());
        });
}

Result<Planned> planFrom(const ConfigSource &source)
{
    Result<RunConfig> config = configFrom(source);
    if (!config)
        return config.error();
    knowProcessor(*config);
    Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    Result<Prediction> prediction = predict(*config, *catalogue);
    if (!prediction)
        return placed(prediction.error(), source);
    return Planned{*std::move(config), *std::move(catalogue), *std::move(prediction)};
}

Error placed(const Error &error, const ConfigSource &source)
{
    const Setting *setting = findSetting(error.where);
    const auto byFlag = [setting](const auto &given) { return setting && given.first == setting->key; };
    if (source.file.empty() || std::any_of(source.settings.begin(), source.settings.end(), byFlag))
        return error;
    return withFileLocation(error, source.file);
}

} // namespace slipway::cli
