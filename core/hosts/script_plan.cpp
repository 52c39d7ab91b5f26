// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/script_plan.h"

#include <algorithm>

#include "base/text.h"
#include "config/resolve_model.h"
#include "config/settings.h"
#include "frameworks/log_line.h"
#include "hardware/user_prices.h"
#include "hosts/host_text.h"
#include "hosts/script_command.h"
#include "predict/predict.h"

namespace slipway {

namespace {

constexpr std::chrono::seconds kCheckLimit{60};
constexpr std::array<std::string_view, 4> kNeeded{"model", "gpu", "micro_batch", "seq_len"};

const char *const commandCheckScript = R"script(
[ -n "$1" ] || set -- "$HOME" "$2"
cd -- "$1" || { echo "the folder '$1' cannot be entered"; exit 1; }
command -v "$2" > /dev/null || { echo "'$2' is not a program, neither in '$1' nor on PATH"; exit 1; }
echo "$(command -v "$2"), in $(pwd)"
)script";

std::vector<std::string> wordsOf(const RunConfig &config)
{
    const std::vector<std::string> &command = config.training.command;
    return command.size() == 1 ? wordsOfLine(command.front()) : command;
}

// The id of the profile of the configuration's framework. Slipway's own name means a PyTorch loop, since no other
// script is Slipway's trainer.
Result<std::string> profileOf(const RunConfig &config, const Frameworks &frameworks)
{
    if (config.software.empty())
        return std::string("pytorch");
    const Result<FrameworkVersion> version = frameworks.resolve(config.software);
    return version ? Result<std::string>(version->id) : Result<std::string>(version.error());
}

std::optional<int> rankCount(const ReadArgument &argument)
{
    const std::optional<std::int64_t> number = parseInteger(argument.value);
    return number && *number >= 1 && *number <= 65536 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

// The micro-batches of a step, from a batch of all ranks; empty: the batch has no whole number of them.
std::optional<std::int64_t> accumulationOf(const ReadArgument &argument, const RunConfig &config)
{
    const std::optional<ScriptQuantity> quantity = enumFromName<ScriptQuantity>(argument.set);
    const std::optional<std::int64_t> number = parseInteger(argument.value);
    if (!quantity || !number || *number < 1)
        return std::nullopt;
    std::int64_t each = config.parallel.dataParallel();
    if (*quantity == ScriptQuantity::GlobalBatch)
        each *= config.microBatch;
    else if (*quantity == ScriptQuantity::GlobalTokens)
        each *= config.microBatch * config.seqLen;
    else if (*quantity != ScriptQuantity::AllGradAccum)
        return std::nullopt;
    return each > 0 && *number % each == 0 ? std::optional(*number / each) : std::nullopt;
}

// If nothing else is known, each of several ranks has a replica of the model.
void takeRanks(RunConfig &config, const std::set<std::string> &given, int perNode, int nodes)
{
    Parallelism &parallel = config.parallel;
    if (given.count("gpus") == 0 && perNode > 0) {
        parallel.gpus = perNode * std::max(1, nodes);
        parallel.gpusPerNode = perNode;
    }
    if (given.count("parallel") == 0 && parallel.gpus > parallel.modelParallel())
        parallel.kind = ParallelKind::Ddp;
}

std::string flagsOf(const std::vector<std::string> &keys)
{
    std::string text;
    for (const std::string &key : keys)
        text += (text.empty() ? "" : ", ") + findSetting(key)->flag();
    return text;
}

} // namespace

Result<ScriptPlan> planScript(RunConfig config, const std::set<std::string> &given, const Catalogue &catalogue)
{
    if (const Result<void> checked = checkScript(config); !checked)
        return checked.error();
    if (config.software.empty() && config.framework == Framework::Slipway)
        config.software = "pytorch";
    const Result<std::string> profile = profileOf(config, catalogue.frameworks);
    if (!profile)
        return profile.error();
    ScriptPlan plan{.config = std::move(config), .read = {}, .prediction = {}, .noPlan = {}};
    std::set<std::string> known = given;
    int perNode = 0, nodes = 1;
    std::vector<ReadArgument> ofScript; // is no setting
    for (const ReadArgument &argument :
        readArguments(wordsOf(plan.config), catalogue.frameworks.scriptInterfaceOf(*profile).arguments)) {
        if (argument.set == "ranks_per_node" || argument.set == "nodes") {
            const std::optional<int> number = rankCount(argument);
            if (!number)
                continue;
            (argument.set == "nodes" ? nodes : perNode) = *number;
        } else if (enumFromName<ScriptQuantity>(argument.set)) {
            ofScript.push_back(argument);
            continue;
        } else {
            const Setting *setting = findSetting(argument.set);
            RunConfig changed = plan.config;
            if (!setting || given.count(argument.set) > 0 || !setSettingText(*setting, changed, argument.value))
                continue;
            if (argument.set == "model" &&
                !resolveModel(changed.model, catalogue)) // the model is a folder of weights on another host
                continue;
            plan.config = std::move(changed);
            known.insert(argument.set);
        }
        plan.read.push_back(argument);
    }
    takeRanks(plan.config, given, perNode, nodes);
    for (const ReadArgument &argument : ofScript) {
        const std::optional<std::int64_t> accumulation = accumulationOf(argument, plan.config);
        if (!accumulation || !known.insert("grad_accum").second)
            continue;
        plan.config.gradAccum = *accumulation;
        plan.read.push_back(argument);
    }
    std::vector<std::string> missing;
    for (const std::string_view key : kNeeded) {
        if (known.count(std::string(key)) == 0)
            missing.emplace_back(key);
    }
    if (!missing.empty()) {
        plan.noPlan = "no prediction: " + flagsOf(missing) + (missing.size() == 1 ? " is" : " are") +
                      " not known from the command";
    } else if (Result<Prediction> prediction = predict(plan.config, catalogue)) {
        plan.prediction = *std::move(prediction);
    } else {
        plan.noPlan = "no prediction: " + prediction.error().message();
    }
    if (known.count("model") == 0)
        plan.config.model = {.name = std::string(kUnplannedModel)};
    if (known.count("gpu") == 0) // no GPU is checked before the start, and none is requested from Slurm
        plan.config.training.device = DeviceKind::Cpu;
    if (known.count("micro_batch") == 0 || known.count("seq_len") == 0) // tokens must not be counted by default values
        plan.config.microBatch = plan.config.seqLen = 1;
    return plan;
}

std::vector<CommandDifference> commandDifferences(const RunConfig &config, const Frameworks &frameworks)
{
    std::vector<CommandDifference> differences;
    const Result<std::string> profile = profileOf(config, frameworks);
    if (!config.training.runsScript() || !profile)
        return differences;
    ReadArgument ranks;
    std::optional<int> perNode, nodes;
    bool saysNodes = false; // otherwise every node of the run has the same number of ranks
    for (const ReadArgument &argument :
        readArguments(wordsOf(config), frameworks.scriptInterfaceOf(*profile).arguments)) {
        const Setting *setting = findSetting(argument.set);
        RunConfig changed = config;
        if (argument.set == "nodes") {
            saysNodes = true;
            nodes = rankCount(argument);
        } else if (argument.set == "ranks_per_node") {
            perNode = rankCount(argument);
            ranks = argument;
        } else if (const std::optional<std::int64_t> accumulation = accumulationOf(argument, config)) {
            if (*accumulation != config.gradAccum)
                differences.push_back({.said = {argument.flag, "grad_accum", std::to_string(*accumulation)},
                    .planned = std::to_string(config.gradAccum)});
        } else if (setting && setting->type == SettingType::Integer && !setting->runOnly &&
                   setSettingText(*setting, changed, argument.value) && changed != config) {
            differences.push_back({.said = argument, .planned = settingText(*setting, config)});
        }
    }
    if (!perNode || (saysNodes && !nodes)) // the value is a shell variable, or a word such as "auto"
        return differences;
    const int gpus = config.parallel.gpus, onNode = std::min(gpus, config.parallel.gpusPerNode);
    const int said = saysNodes ? *perNode * *nodes : *perNode, planned = saysNodes ? gpus : onNode;
    if (said != planned) {
        ranks.set = planned == gpus ? "gpus" : "gpus_per_node";
        ranks.value = std::to_string(said);
        differences.push_back({.said = ranks, .planned = std::to_string(planned)});
    }
    return differences;
}

Result<ScriptRules> scriptRulesOf(
    const RunConfig &config, const std::optional<Prediction> &prediction, const std::string &noPlan)
{
    if (const Result<void> checked = checkScript(config); !checked)
        return checked.error();
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    const Result<std::string> profile = profileOf(config, catalogue->frameworks);
    if (!profile)
        return profile.error();
    const TrainingChoice &training = config.training;
    ScriptRules rules{.script = catalogue->frameworks.scriptInterfaceOf(*profile),
        .log = training.log,
        .tokensPerStep = {},
        .gpus = config.parallel.gpus,
        .noPlan = noPlan};
    rules.script.arguments.clear();
    rules.script.log.pattern = training.logPattern;
    if (!training.logPattern.empty()) {
        if (const Result<LogPattern> pattern = LogPattern::compile(training.logPattern); !pattern)
            return pattern.error();
    }
    if (config.seqLen > 1) {
        rules.tokensPerStep = config.tokensPerStep();
        rules.seqLen = config.seqLen;
    }
    std::optional<Seconds> limit = training.timeLimit;
    const std::optional<Usd> price = prediction ? prediction->cost.usdPerHour : std::nullopt;
    if (training.stopAtUsd && price && *price > 0)
        limit = std::min(limit.value_or(1e12), *training.stopAtUsd / *price * 3600);
    if (limit)
        rules.limitSeconds = std::max<std::int64_t>(1, static_cast<std::int64_t>(*limit));
    return rules;
}

PreflightCheck commandCheck(Shell &shell, const RunConfig &config)
{
    const bool line = config.training.command.size() == 1 &&
                      config.training.command.front().find_first_of(" \t\n") != std::string::npos;
    const std::string program = line ? "sh" : config.training.command.front();
    const Result<ChildResult> said = shell.run(commandCheckScript, {config.training.workdir, program}, kCheckLimit);
    if (!said)
        return {.what = "command", .detail = said.error().message(), .fault = said.error().fault};
    const std::string text = shownLine(trimmed(said->out));
    if (said->exitStatus != 0)
        return {.what = "command", .detail = text.empty() ? shownLine(trimmed(said->err)) : text};
    return {.what = "command", .passed = true, .detail = text};
}

} // namespace slipway
