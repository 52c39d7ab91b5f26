// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/serve_sweep.h"
#include "config/config_io.h"
#include "hardware/user_prices.h"
#include "serve/serve_prediction.h"

namespace slipway::cli {

namespace {

Result<ServeConfig> serveConfigFrom(const ServePlanOptions &options)
{
    ServeConfig config;
    if (!options.file.empty()) {
        Result<ServeConfig> read = readServeConfig(options.file);
        if (!read)
            return read;
        config = *std::move(read);
    }
    // The model is set first, because choosing a model resets the sizes that were changed.
    for (const bool model : {true, false}) {
        for (const auto &[key, text] : options.settings) {
            if ((key == "model") != model)
                continue;
            if (const Result<void> set = setServeSetting(config, key, text); !set)
                return set.error();
        }
    }
    std::error_code failure;
    const std::filesystem::path here = std::filesystem::current_path(failure);
    if (!failure)
        config.run = withPathsFrom(std::move(config.run), here);
    return config;
}

} // namespace

int servePlan(const ServePlanOptions &options)
{
    const Result<ServeConfig> config = serveConfigFrom(options);
    if (!config)
        return fail(config.error());
    knowProcessor(config->run);
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<Frameworks> frameworks = loadServingFrameworks();
    if (!frameworks)
        return fail(frameworks.error());
    if (!options.grid.empty())
        return sweepServers(*config, options, *catalogue, *frameworks);
    const Result<ServePrediction> prediction = predictServing(*config, *catalogue, *frameworks);
    if (!prediction)
        return fail(prediction.error());
    print(options.json ? dumped(toJson(*prediction)) : toText(*prediction));
    return options.check && prediction->verdict == Verdict::Oom ? No : Done;
}

} // namespace slipway::cli
