// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/config_io.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "config/settings.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

// YAML's scalars have no types: they stay texts, which the settings' own types then read.
Json jsonOf(const YamlNode &node)
{
    switch (node.kind) {
    case YamlNode::Kind::Null:
        return nullptr;
    case YamlNode::Kind::Scalar:
        return node.scalar;
    case YamlNode::Kind::Sequence: {
        Json list = Json::array();
        for (const YamlNode &item : node.items)
            list.push_back(jsonOf(item));
        return list;
    }
    case YamlNode::Kind::Map:
        break;
    }
    Json object = Json::object();
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const auto weight = node.keys[i] == "weight" ? parseNumber(node.items[i].scalar) : std::nullopt;
        object[node.keys[i]] = weight ? Json(*weight) : jsonOf(node.items[i]);
    }
    return object;
}

std::string placeOf(const std::string &where, int line) { return where + ":" + std::to_string(line); }

std::string yamlValue(const Setting &setting, const RunConfig &config)
{
    if (setting.type == SettingType::Text)
        return yamlScalar(settingText(setting, config));
    if (setting.type != SettingType::Texts && setting.type != SettingType::Sources)
        return settingText(setting, config);
    std::string list;
    for (const Json &item : settingJson(setting, config)) {
        list += list.empty() ? "" : ", ";
        if (item.is_string())
            list += yamlScalar(item.get<std::string>());
        else
            list += "{path: " + yamlScalar(item["path"].get<std::string>()) +
                    ", weight: " + formatExact(item["weight"].get<double>()) +
                    (item.contains("name") ? ", name: " + yamlScalar(item["name"].get<std::string>()) : "") + "}";
    }
    return "[" + list + "]";
}

// Whether `model` is a file or the folder of a Hugging Face model. Otherwise it is a name of the catalogue, which may
// also contain a slash.
bool namesAFile(const std::string &model, const std::filesystem::path &folder)
{
    std::error_code failure;
    return model.ends_with(".yaml") || model.ends_with(".yml") || model.ends_with(".json") ||
           (!model.empty() && std::filesystem::exists(folder / model / "config.json", failure));
}

void takeFrom(const std::filesystem::path &folder, std::string &path)
{
    if (!path.empty() && std::filesystem::path(path).is_relative())
        path = (folder / path).lexically_normal().string();
}

} // namespace

Result<RunConfig> parseRunConfig(std::string_view yaml, const std::string &where)
{
    const Result<YamlNode> tree = parseYaml(yaml, where);
    if (!tree)
        return tree.error();
    if (tree->kind != YamlNode::Kind::Map && tree->kind != YamlNode::Kind::Null)
        return Error{.what = "is not a configuration",
            .where = placeOf(where, tree->line),
            .accepted = "lines of the form key: value"};
    RunConfig config;
    for (std::size_t i = 0; i < tree->keys.size(); ++i) {
        const std::string &key = tree->keys[i];
        const Setting *setting = findSetting(key);
        if (!setting || setting->key != key)
            return unknownSetting(key, placeOf(where, tree->keyLines[i]));
        if (const Result<void> set = setSettingJson(*setting, config, jsonOf(tree->items[i])); !set)
            return Error{.what = key + ": " + set.error().what,
                .where = placeOf(where, tree->items[i].line),
                .accepted = set.error().accepted};
    }
    return config;
}

Result<RunConfig> readRunConfig(const std::filesystem::path &path)
{
    const Result<std::string> text = readYamlText(path);
    if (!text)
        return text.error();
    Result<RunConfig> config = parseRunConfig(*text, path.string());
    if (!config)
        return config;
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
    return withPathsFrom(*std::move(config), (failure ? path : absolute).parent_path());
}

Error withFileLocation(Error error, const std::filesystem::path &file)
{
    const Setting *setting = error.where.starts_with("--") ? findSetting(error.where) : nullptr;
    if (!setting)
        return error;
    const Result<YamlNode> tree = readYaml(file);
    if (!tree)
        return error;
    const auto key = std::find(tree->keys.begin(), tree->keys.end(), setting->key);
    if (key == tree->keys.end())
        return error;
    error.what = *key + ": " + error.what;
    error.where = placeOf(file.string(), tree->keyLines[static_cast<std::size_t>(key - tree->keys.begin())]);
    return error;
}

std::string toYaml(const RunConfig &config)
{
    std::string yaml;
    std::optional<SettingGroup> group;
    for (const Setting &setting : settings()) {
        const std::string value = yamlValue(setting, config);
        if (value.empty() || (setting.isFrameworkOption() && isDefault(setting, config)))
            continue;
        if (group != setting.group)
            yaml += (group ? "\n# " : "# ") + std::string(enumName(setting.group)) + "\n";
        group = setting.group;
        yaml += std::string(setting.key) + ": " + value + "  # " + std::string(setting.help) + "\n";
    }
    return yaml;
}

Result<void> writeRunConfig(const std::filesystem::path &path, const RunConfig &config)
{
    return writeNamedFile(path, toYaml(config));
}

nlohmann::ordered_json toJson(const RunConfig &config)
{
    Json json = Json::object();
    for (const Setting &setting : settings())
        json[std::string(setting.key)] = settingJson(setting, config);
    return json;
}

Result<RunConfig> runConfigFromJson(const nlohmann::ordered_json &json, const std::string &where)
{
    if (!json.is_object())
        return Error{.what = "is not a configuration", .where = where, .accepted = "a JSON object of settings"};
    RunConfig config;
    for (const auto &[key, value] : json.items()) {
        const Setting *setting = findSetting(key);
        if (!setting || setting->key != key)
            return unknownSetting(key, where);
        if (const Result<void> set = setSettingJson(*setting, config, value); !set)
            return Error{.what = key + ": " + set.error().what, .where = where, .accepted = set.error().accepted};
    }
    return config;
}

RunConfig withPathsFrom(RunConfig config, const std::filesystem::path &folder)
{
    for (DataSource &source : config.training.data)
        takeFrom(folder, source.path);
    for (DataSource &source : config.training.evalData)
        takeFrom(folder, source.path);
    takeFrom(folder, config.training.tokenizer);
    takeFrom(folder, config.training.workdir);
    if (namesAFile(config.model.name, folder))
        takeFrom(folder, config.model.name);
    return config;
}

} // namespace slipway
