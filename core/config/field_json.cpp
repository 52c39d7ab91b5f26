// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/field_json.h"

#include "config/field_text.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

Result<DataSource> sourceFromJson(const Json &item, const std::string &name)
{
    DataSource source{.path = {}, .name = name};
    if (item.is_string())
        source.path = item.get<std::string>();
    else if (!item.is_object())
        return Error{.what = "the list has an item that is not a data source",
            .accepted = "a path, or a map of path and weight"};
    else {
        for (const auto &[key, part] : item.items()) {
            if (key == "path" && part.is_string())
                source.path = part.get<std::string>();
            else if (key == "weight" && part.is_number())
                source.weight = part.get<double>();
            else if (key == "name" && part.is_string() && name.empty())
                source.name = part.get<std::string>();
            else
                return Error{.what = "a data source cannot have '" + key.substr(0, 60) + "'",
                    .accepted = "path (text), weight (number) and, of evaluation data, name (text)"};
        }
    }
    if (const Result<void> checked = checkSource(source); !checked)
        return checked.error();
    return source;
}

} // namespace

Result<std::vector<std::string>> textsFromJson(const Json &value)
{
    std::vector<std::string> items;
    for (const Json &item : value) {
        if (!item.is_string() || item.get_ref<const std::string &>().empty())
            return Error{.what = "the list has an item that is not a string", .accepted = "a list of strings"};
        items.push_back(item.get<std::string>());
    }
    return items;
}

Result<std::vector<std::string>> pairsFromJson(const Json &value)
{
    std::vector<std::string> items;
    for (const auto &[key, part] : value.items()) {
        if (!part.is_string() && !part.is_number() && !part.is_boolean())
            return Error{.what = "'" + key.substr(0, 60) + "' is not a plain value", .accepted = "NAME: VALUE"};
        items.push_back(key + "=" + (part.is_string() ? part.get<std::string>() : part.dump()));
    }
    return items;
}

Result<std::vector<DataSource>> sourcesFromJson(const Json &value, const std::string &name)
{
    std::vector<DataSource> sources;
    const auto add = [&](Result<std::vector<DataSource>> more) -> Result<void> {
        if (!more)
            return more.error();
        sources.insert(sources.end(), more->begin(), more->end());
        return {};
    };
    if (value.is_object() && !value.contains("path")) {
        for (const auto &[key, set] : value.items()) {
            if (!name.empty() || !isSetName(key))
                return Error{.what = "'" + key.substr(0, 60) + "' cannot name an evaluation set",
                    .accepted = "up to 40 letters, digits, '.', '_' and '-'"};
            if (const Result<void> added = add(sourcesFromJson(set, key)); !added)
                return added.error();
        }
        return sources;
    }
    for (const Json &item : value.is_array() ? value : Json::array({value})) {
        Result<DataSource> source = sourceFromJson(item, name);
        if (!source)
            return source.error();
        sources.push_back(*std::move(source));
    }
    return sources;
}

} // namespace slipway
