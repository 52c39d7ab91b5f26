// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/script_rules.h"

#include <array>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "runs/liveness.h"
#include "runs/remote_run.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json;

constexpr Seconds kQuietIsOver = 600; // an attached run may have ended after so long without a new line

Json grammarJson(const LogGrammar &grammar)
{
    Json forms = Json::array();
    for (const LogForm &form : grammar.forms)
        forms.push_back({{"words", form.words}, {"is", enumName(form.is)}, {"scale", form.scale},
            {"beside", form.beside}, {"without", form.without}});
    return {{"forms", forms}, {"multi_line", grammar.multiLine}, {"step_from_bar", grammar.stepFromBar},
        {"pattern", grammar.pattern}};
}

LogGrammar grammarFrom(const ReadJson &json)
{
    LogGrammar grammar{.forms = {},
        .multiLine = json.value("multi_line", false),
        .stepFromBar = json.value("step_from_bar", false),
        .pattern = json.value("pattern", std::string())};
    for (const ReadJson &one : json.value("forms", ReadJson::array())) {
        const auto is = enumFromName<LogQuantity>(one.value("is", std::string()));
        LogForm form{.words = one.value("words", std::string()),
            .is = is.value_or(LogQuantity::Ignored),
            .scale = one.value("scale", 0.0),
            .beside = one.value("beside", std::string()),
            .without = one.value("without", std::string())};
        if (is && !form.words.empty())
            grammar.forms.push_back(std::move(form));
    }
    return grammar;
}

} // namespace

std::filesystem::path scriptRulesFile(const RunPaths &paths) { return paths.directory / "script.json"; }

bool hasScriptRules(const RunPaths &paths)
{
    std::error_code ignored;
    return std::filesystem::exists(scriptRulesFile(paths), ignored);
}

Result<ScriptRules> readScriptRules(const RunPaths &paths)
{
    const Result<std::string> text = readPrivateFile(scriptRulesFile(paths), kMiB);
    if (!text)
        return text.error();
    const Result<ReadJson> json = parseJson(*text);
    const std::string where = scriptRulesFile(paths).string();
    if (!json || !json->is_object() || json->value("version", ReadJson()) != 1)
        return Error{.what = json ? "has an unknown version" : json.error().what, .where = where};
    try { // a value may have an unexpected type
        ScriptRules rules{.script = {.log = grammarFrom(json->value("grammar", ReadJson::object())),
                              .stop = {.signal = json->value("stop_signal", std::string()),
                                  .waitSeconds = json->value("stop_wait_s", 0)},
                              .resumeArguments = json->value("resume_arguments", std::vector<std::string>()),
                              .arguments = {}},
            .log = json->value("log", std::string()),
            .attached = json->value("attached", false),
            .tokensPerStep = {},
            .seqLen = json->value("seq_len", std::int64_t{0}),
            .gpus = json->value("gpus", 1),
            .limitSeconds = json->value("limit_s", std::int64_t{0}),
            .noPlan = json->value("no_plan", std::string())};
        if (const auto tokens = json->find("tokens_per_step"); tokens != json->end() && tokens->is_number())
            rules.tokensPerStep = tokens->get<Tokens>();
        return rules;
    } catch (const ReadJson::exception &) {
        return Error{.what = "has a value of the wrong type", .where = where};
    }
}

Result<void> writeScriptRules(const RunPaths &paths, const ScriptRules &rules)
{
    Json json{{"version", 1}, {"attached", rules.attached}, {"log", rules.log}, {"seq_len", rules.seqLen},
        {"gpus", rules.gpus}, {"limit_s", rules.limitSeconds}, {"no_plan", rules.noPlan},
        {"stop_signal", rules.script.stop.signal}, {"stop_wait_s", rules.script.stop.waitSeconds},
        {"resume_arguments", rules.script.resumeArguments}, {"grammar", grammarJson(rules.script.log)}};
    json["tokens_per_step"] = rules.tokensPerStep ? Json(*rules.tokensPerStep) : Json(nullptr);
    return writePrivateFile(scriptRulesFile(paths), json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::filesystem::path scriptLogFile(const RunPaths &paths, const ScriptRules &rules)
{
    if (rules.log.empty())
        return paths.outLog();
    if (!rules.attached || isRemoteRun(paths))
        return paths.directory / "script.log";
    std::error_code failure;
    const std::filesystem::path log(rules.log);
    return std::filesystem::is_directory(log, failure) ? newestMetricsIn(log) : log;
}

std::filesystem::path newestMetricsIn(const std::filesystem::path &folder)
{
    namespace fs = std::filesystem;
    constexpr int kDepth = 3, kMostEntries = 100'000;
    constexpr std::size_t kKinds = 4;
    std::array<std::pair<fs::path, fs::file_time_type>, kKinds> newest;
    std::error_code failure;
    int entries = 0;
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure), end;
        !failure && entry != end && entries < kMostEntries; entry.increment(failure), ++entries) {
        if (entry.depth() >= kDepth)
            entry.disable_recursion_pending();
        const std::string name = entry->path().filename().string();
        const std::size_t kind = name.starts_with("events.out.tfevents.") ? 0
                                 : name.ends_with(".wandb")               ? 1
                                 : name == "metrics.csv"                  ? 2
                                 : name == "trainer_state.json"           ? 3
                                                                          : kKinds;
        std::error_code ignored;
        if (kind == kKinds || !entry->is_regular_file(ignored))
            continue;
        const fs::file_time_type time = entry->last_write_time(ignored);
        if (!ignored && (newest[kind].first.empty() || time > newest[kind].second))
            newest[kind] = {entry->path(), time};
    }
    for (const auto &[path, time] : newest) {
        if (!path.empty())
            return path;
    }
    return {};
}

RunStatus attachedStatus(const RunPaths &paths, std::chrono::system_clock::time_point now)
{
    const Result<ScriptRules> rules = readScriptRules(paths);
    std::error_code failure;
    const std::filesystem::path log = rules ? scriptLogFile(paths, *rules) : std::filesystem::path();
    const auto written = std::filesystem::last_write_time(log, failure);
    if (failure)
        return {.state = RunState::Unknown,
            .exitStatus = {},
            .detail = "its log " + log.string() + " cannot be read: " + failure.message()};
    const auto age = now - std::chrono::file_clock::to_sys(written);
    return attachedStatusFrom(std::chrono::duration<double>(age).count());
}

RunStatus attachedStatusFrom(Seconds quiet)
{
    if (quiet < kQuietIsOver)
        return {.state = RunState::Running, .exitStatus = {}, .detail = "attached to its log"};
    return {.state = RunState::Unknown,
        .exitStatus = {},
        .detail = "attached to its log, which has not grown for " + formatSeconds(quiet)};
}

} // namespace slipway
