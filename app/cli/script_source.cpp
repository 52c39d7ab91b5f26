// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/script_source.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/yaml.h"
#include "cli/console.h"
#include "hardware/user_prices.h"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

// Returns the name of the script, or of the program if there is no script.
std::string nameOf(const std::vector<std::string> &command)
{
    const std::vector<std::string> words = command.size() == 1 ? wordsOfLine(command.front()) : command;
    for (const std::string &word : words) {
        if (word.ends_with(".py") || word.ends_with(".sh"))
            return fs::path(word).stem().string();
    }
    return words.empty() ? "run" : fs::path(words.front()).filename().string();
}

// Returns the folder in which a script runs on this machine: the folder of its configuration file, or the current
// folder if there is no file.
std::string folderOf(const ConfigSource &source)
{
    std::error_code failure;
    const fs::path file = source.file.empty() ? fs::path() : fs::absolute(source.file, failure).parent_path();
    return file.empty() ? fs::current_path(failure).string() : file.string();
}

} // namespace

std::set<std::string> keysOf(const ConfigSource &source)
{
    std::set<std::string> keys;
    for (const auto &[key, text] : source.settings)
        keys.insert(key);
    if (source.file.empty())
        return keys;
    if (const Result<YamlNode> tree = readYaml(source.file))
        keys.insert(tree->keys.begin(), tree->keys.end());
    return keys;
}

Result<ScriptPlan> scriptPlanFrom(const LaunchOptions &options, RunConfig config)
{
    if (config.training.workdir.empty() && options.host == "local")
        config.training.workdir = folderOf(options.source);
    if (config.training.name.empty())
        config.training.name = options.source.file.empty() ? nameOf(config.training.command)
                                                           : fs::path(options.source.file).stem().string();
    const std::set<std::string> given = keysOf(options.source);
    if (given.count("gpu") > 0)
        knowProcessor(config);
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    Result<ScriptPlan> plan = planScript(std::move(config), given, *catalogue);
    if (!plan)
        return Error{.what = plan.error().what,
            .where = placed(plan.error(), options.source).where,
            .accepted = plan.error().accepted,
            .fault = plan.error().fault};
    std::string read;
    for (const ReadArgument &argument : plan->read)
        read += fmt::format("{}{} {} ({})", read.empty() ? "" : ", ", argument.set, argument.value, argument.flag);
    if (!read.empty())
        note("slipway: read from the command: " + read);
    if (plan->prediction) {
        for (const CommandDifference &one : commandDifferences(plan->config, catalogue->frameworks))
            note(fmt::format("warning: the command sets {} to {} ({}), but the plan assumes {}", one.said.set,
                one.said.value, one.said.flag, one.planned));
    }
    if (!plan->noPlan.empty())
        note("slipway: " + plan->noPlan);
    return plan;
}

} // namespace slipway::cli
