// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "cli/script_source.h"
#include "hardware/user_prices.h"
#include "hosts/attach_run.h"
#include "hosts/shell_quote.h"
#include "runs/registry.h"

namespace slipway::cli {

int attach(const AttachOptions &options)
{
    if (options.json && !options.detach)
        return fail({.what = "is valid only with --detach", .where = "--json"});
    Result<RunConfig> config = configFrom(options.source);
    if (!config)
        return fail(config.error());
    const std::set<std::string> given = keysOf(options.source);
    if (given.count("gpu") > 0)
        knowProcessor(*config);
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<AttachedRun> attached = attachRun(options.log, *std::move(config), given, *catalogue, Registry());
    if (!attached)
        return fail(placed(attached.error(), options.source));
    if (!attached->noPlan.empty())
        note("slipway: " + attached->noPlan);
    const std::string name = attached->directory.filename().string();
    if (options.json)
        print(dumped(nlohmann::ordered_json{
            {"version", 1}, {"name", name}, {"directory", attached->directory.string()}, {"log", attached->log}}));
    else
        print(fmt::format("attached: {} follows {}\n", name, attached->log));
    if (options.detach && !options.json)
        print("`slipway watch " + shellQuoted(name) + "` shows the run\n");
    return options.detach ? Done : followRun(attached->directory);
}

} // namespace slipway::cli
