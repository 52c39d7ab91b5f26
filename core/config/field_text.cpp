// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/field_text.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::string_view kBehindName = "::";

std::string escaped(std::string_view item)
{
    std::string text;
    for (const char c : item) {
        if (c == ',' || c == '\\')
            text += '\\';
        text += c;
    }
    return text;
}

// The weight in "path=0.7": the text after the last '=', if it is a number.
std::optional<double> weightIn(std::string_view item)
{
    const std::size_t at = item.rfind('=');
    return at == std::string_view::npos ? std::nullopt : parseNumber(item.substr(at + 1));
}

// Where the path begins in "wiki::a.bin"; 0 without a name.
std::size_t pathIn(std::string_view item)
{
    const std::size_t at = item.find(kBehindName);
    const bool named = at != std::string_view::npos && (at == 0 || isSetName(item.substr(0, at)));
    return named ? at + kBehindName.size() : 0;
}

} // namespace

bool isSetName(std::string_view name)
{
    constexpr std::size_t kLongest = 40;
    return !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), [](char c) {
        return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-';
    });
}

std::string textsToLine(const std::vector<std::string> &items)
{
    std::string line;
    for (std::size_t i = 0; i < items.size(); ++i)
        line += (i > 0 ? "," : "") + escaped(items[i]);
    return line;
}

Result<std::vector<std::string>> textsFromLine(std::string_view line)
{
    std::vector<std::string> items;
    if (line.empty())
        return items;
    std::string item;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i == line.size() || line[i] == ',') {
            if (item.empty())
                return Error{.what = "the list has an empty item", .accepted = "items separated by commas"};
            items.push_back(std::move(item));
            item.clear();
        } else {
            i += line[i] == '\\' && i + 1 < line.size() ? 1 : 0;
            item += line[i];
        }
    }
    return items;
}

std::string sourcesToLine(const std::vector<DataSource> &sources)
{
    std::vector<std::string> items;
    for (const DataSource &source : sources) {
        const bool shown = source.weight != 1.0 || weightIn(source.path);
        const bool named = !source.name.empty() || pathIn(source.path) > 0;
        const std::string path = named ? source.name + std::string(kBehindName) + source.path : source.path;
        items.push_back(shown ? path + "=" + formatExact(source.weight) : path);
    }
    return textsToLine(items);
}

Result<std::vector<DataSource>> sourcesFromLine(std::string_view line)
{
    const auto items = textsFromLine(line);
    if (!items)
        return items.error();
    std::vector<DataSource> sources;
    for (const std::string &item : *items) {
        const auto weight = weightIn(item);
        const std::size_t path = pathIn(item), end = weight ? item.rfind('=') : item.size();
        sources.push_back({.path = path < end ? item.substr(path, end - path) : std::string(),
            .weight = weight.value_or(1.0),
            .name = path > 0 ? item.substr(0, path - kBehindName.size()) : std::string()});
        if (const Result<void> checked = checkSource(sources.back()); !checked)
            return checked.error();
    }
    return sources;
}

Result<void> checkSource(const DataSource &source)
{
    if (source.path.empty())
        return Error{.what = "the path of a data source is missing", .accepted = "the path of a token file"};
    if (!std::isfinite(source.weight) || source.weight <= 0)
        return Error{.what = "the weight of " + source.path + " is " + formatExact(source.weight),
            .accepted = "a number above 0"};
    if (!source.name.empty() && !isSetName(source.name))
        return Error{.what = "'" + source.name.substr(0, 60) + "' cannot name an evaluation set",
            .accepted = "up to 40 letters, digits, '.', '_' and '-'"};
    return {};
}

std::optional<Seconds> durationFromText(std::string_view text)
{
    double factor = 1;
    switch (text.empty() ? '\0' : text.back()) {
    case 's':
        break;
    case 'm':
        factor = 60;
        break;
    case 'h':
        factor = 3600;
        break;
    case 'd':
        factor = 86400;
        break;
    default:
        return parseNumber(text);
    }
    const auto number = parseNumber(text.substr(0, text.size() - 1));
    return number ? std::optional(*number * factor) : std::nullopt;
}

} // namespace slipway
