// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_config.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/unknown_name.h"
#include "base/yaml.h"
#include "config/config_io.h"
#include "config/settings.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 15> kShared{"model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab",
    "tied", "experts", "experts_per_token", "gpu", "gpus_per_node", "memory_gib", "tp", "prices"};

Error wrong(std::string_view text, std::string_view why, std::string accepted)
{
    return {.what = "'" + std::string(text.substr(0, 60)) + "' " + std::string(why), .accepted = std::move(accepted)};
}

template<typename T>
Result<void> setInteger(T &to, std::string_view text, std::int64_t least, std::int64_t most)
{
    const auto value = parseInteger(text);
    const std::string range = std::to_string(least) + " to " + std::to_string(most);
    if (!value)
        return wrong(text, "is not an integer", range);
    if (*value < least || *value > most)
        return wrong(text, "is out of range", range);
    to = static_cast<T>(*value);
    return {};
}

// An empty text: not set.
Result<void> setInteger(std::optional<std::int64_t> &to, std::string_view text, std::int64_t least, std::int64_t most)
{
    if (text.empty()) {
        to.reset();
        return {};
    }
    std::int64_t value = 0;
    Result<void> set = setInteger(value, text, least, most);
    if (set)
        to = value;
    return set;
}

Result<void> setPositive(std::optional<double> &to, std::string_view text, double most)
{
    if (text.empty()) {
        to.reset();
        return {};
    }
    const auto value = parseNumber(text);
    if (!value || !(*value > 0) || *value > most)
        return wrong(text, value ? "is out of range" : "is not a number", "above 0, to " + formatExact(most));
    to = value;
    return {};
}

Result<void> setStored(StoredType &to, std::string_view text, std::span<const StoredType> accepted)
{
    std::string names;
    for (const StoredType type : accepted) {
        if (enumName(type) == text) {
            to = type;
            return {};
        }
        names += (names.empty() ? "" : ", ") + std::string(enumName(type));
    }
    return wrong(text, "is not one of the types", names);
}

template<typename T>
std::string optionalText(const std::optional<T> &value)
{
    return value ? formatExact(static_cast<double>(*value)) : std::string();
}

constexpr std::int64_t kLongestTokens = 1 << 24;
constexpr std::array kWeightTypes{
    StoredType::Bf16, StoredType::Fp8, StoredType::Int8, StoredType::Int4, StoredType::Fp32};
constexpr std::array kCacheTypes{StoredType::Bf16, StoredType::Fp8, StoredType::Fp32};

using Text = std::string_view;

const std::array kSettings = std::to_array<ServeSetting>({
    {"framework",
        "Serving software to plan for: vllm, tensorrt-llm, llama.cpp, transformers, autoawq, autoawq-gemv, gpt-fast or "
        "slipway",
        "NAME", false,
        [](ServeConfig &c, Text text) -> Result<void> {
            c.framework = std::string(text);
            return {};
        },
        [](const ServeConfig &c) { return c.framework; }},
    {"weights", "Storage of the weights: bf16, fp8, int8, int4 or fp32", "TYPE", false,
        [](ServeConfig &c, Text text) { return setStored(c.weights, text, kWeightTypes); },
        [](const ServeConfig &c) { return std::string(enumName(c.weights)); }},
    {"kv", "Storage of the KV cache: bf16, fp8 or fp32", "TYPE", false,
        [](ServeConfig &c, Text text) { return setStored(c.kv, text, kCacheTypes); },
        [](const ServeConfig &c) { return std::string(enumName(c.kv)); }},
    {"prompt", "Prompt length of a request in tokens", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.prompt, text, 1, kLongestTokens); },
        [](const ServeConfig &c) { return std::to_string(c.prompt); }},
    {"generate", "Tokens to generate per request", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.generate, text, 1, kLongestTokens); },
        [](const ServeConfig &c) { return std::to_string(c.generate); }},
    {"batch", "Batch size: sequences in progress at once", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.batch, text, 1, kMostSequences); },
        [](const ServeConfig &c) { return std::to_string(c.batch); }},
    {"requests_per_s", "Average number of requests per second; simulates requests that arrive at random", "R", false,
        [](ServeConfig &c, Text text) { return setPositive(c.requestsPerSecond, text, 1e6); },
        [](const ServeConfig &c) { return optionalText(c.requestsPerSecond); }},
    {"block", "Tokens per block of the paged KV cache; default: the framework's", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.block, text, 1, 65536); },
        [](const ServeConfig &c) { return optionalText(c.block); }},
    {"contiguous", "Reserve the KV cache of each sequence in one piece, without paging", "BOOL", true,
        [](ServeConfig &c, Text text) -> Result<void> {
            if (text != "true" && text != "false")
                return wrong(text, "is neither true nor false", "true, false");
            c.contiguous = text == "true";
            return {};
        },
        [](const ServeConfig &c) { return std::string(c.contiguous ? "true" : "false"); }},
    {"max_length", "Tokens that a contiguous KV cache reserves per sequence; default: --prompt plus --generate", "N",
        false, [](ServeConfig &c, Text text) { return setInteger(c.maxLength, text, 1, 2 * kLongestTokens); },
        [](const ServeConfig &c) { return optionalText(c.maxLength); }},
    {"ttft", "Target time to first token in seconds; lists the GPUs that meet it", "S", false,
        [](ServeConfig &c, Text text) { return setPositive(c.ttft, text, 1e6); },
        [](const ServeConfig &c) { return optionalText(c.ttft); }},
    {"tpot", "Target time per output token in seconds; lists the GPUs that meet it", "S", false,
        [](ServeConfig &c, Text text) { return setPositive(c.tpot, text, 1e6); },
        [](const ServeConfig &c) { return optionalText(c.tpot); }},
    {"requests", "Requests to simulate with --requests-per-s", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.requests, text, 100, 100'000); },
        [](const ServeConfig &c) { return std::to_string(c.requests); }},
    {"seed", "Random seed of the simulated arrivals", "N", false,
        [](ServeConfig &c, Text text) { return setInteger(c.seed, text, 0, std::numeric_limits<std::int64_t>::max()); },
        [](const ServeConfig &c) { return std::to_string(c.seed); }},
});

std::string keyOf(std::string_view keyOrFlag)
{
    std::string key(keyOrFlag.starts_with("--") ? keyOrFlag.substr(2) : keyOrFlag);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

std::string flagOf(std::string_view key)
{
    std::string flag = "--" + std::string(key);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

bool isShared(std::string_view key) { return std::find(kShared.begin(), kShared.end(), key) != kShared.end(); }

std::vector<std::string> knownKeys()
{
    std::vector<std::string> keys(kShared.begin(), kShared.end());
    for (const ServeSetting &setting : kSettings)
        keys.emplace_back(setting.key);
    return keys;
}

} // namespace

std::string ServeSetting::flag() const { return flagOf(key); }

std::span<const ServeSetting> serveSettings() { return kSettings; }
std::span<const std::string_view> sharedSettingKeys() { return kShared; }

std::string serveSettingText(const ServeConfig &config, std::string_view key)
{
    if (isShared(key))
        return settingText(*findSetting(key), config.run);
    const auto setting =
        std::find_if(kSettings.begin(), kSettings.end(), [&](const ServeSetting &each) { return each.key == key; });
    return setting == kSettings.end() ? std::string() : setting->text(config);
}

Result<void> setServeSetting(ServeConfig &config, std::string_view keyOrFlag, std::string_view text)
{
    const std::string key = keyOf(keyOrFlag);
    if (isShared(key)) {
        const std::array change{std::pair<std::string, std::string>(key, text)};
        Result<RunConfig> changed = applySettings(config.run, change);
        if (!changed)
            return changed.error();
        config.run = *std::move(changed);
        return {};
    }
    const auto setting =
        std::find_if(kSettings.begin(), kSettings.end(), [&](const ServeSetting &each) { return each.key == key; });
    if (setting == kSettings.end())
        return unknownName("key", key, knownKeys(), {});
    if (const Result<void> set = setting->set(config, text); !set)
        return Error{.what = set.error().what, .where = flagOf(key), .accepted = set.error().accepted};
    return {};
}

Result<ServeConfig> parseServeConfig(std::string_view yaml, const std::string &where)
{
    const Result<YamlNode> tree = parseYaml(yaml, where);
    if (!tree)
        return tree.error();
    if (tree->kind != YamlNode::Kind::Map && tree->kind != YamlNode::Kind::Null)
        return Error{.what = "is not a configuration",
            .where = where + ":" + std::to_string(tree->line),
            .accepted = "lines of the form key: value"};
    ServeConfig config;
    // The model first: choosing one drops the sizes that were changed about another.
    for (const bool model : {true, false}) {
        for (std::size_t i = 0; i < tree->keys.size(); ++i) {
            const std::string &key = tree->keys[i];
            if ((key == "model") != model)
                continue;
            const std::string place = where + ":" + std::to_string(tree->items[i].line);
            if (tree->items[i].kind != YamlNode::Kind::Scalar)
                return Error{.what = key + ": is not a single value", .where = place, .accepted = "key: value"};
            if (const Result<void> set = setServeSetting(config, key, tree->items[i].scalar); !set)
                return Error{.what = key + ": " + set.error().what, .where = place, .accepted = set.error().accepted};
        }
    }
    return config;
}

Result<ServeConfig> readServeConfig(const std::filesystem::path &path)
{
    const Result<std::string> text = readYamlText(path);
    if (!text)
        return text.error();
    Result<ServeConfig> config = parseServeConfig(*text, path.string());
    if (!config)
        return config;
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
    config->run = withPathsFrom(std::move(config->run), (failure ? path : absolute).parent_path());
    return config;
}

nlohmann::ordered_json toJson(const ServeConfig &config)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const std::string_view key : kShared)
        json[std::string(key)] = settingJson(*findSetting(key), config.run);
    for (const ServeSetting &setting : kSettings) {
        const std::string text = setting.text(config);
        const auto number = parseNumber(text);
        nlohmann::ordered_json &value = json[std::string(setting.key)];
        if (text == "true" || text == "false")
            value = text == "true";
        else if (const auto integer = parseInteger(text))
            value = *integer;
        else if (number)
            value = *number;
        else if (!text.empty())
            value = text;
    }
    return json;
}

} // namespace slipway
