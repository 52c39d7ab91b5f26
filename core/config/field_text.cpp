// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/field_text.h"

#include <cmath>

#include "base/text.h"

namespace slipway {

namespace {

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

// "path=0.7": where the part behind the last '=' is a number, it is the weight.
std::optional<double> weightIn(std::string_view item)
{
    const std::size_t at = item.rfind('=');
    return at == std::string_view::npos ? std::nullopt : parseNumber(item.substr(at + 1));
}

} // namespace

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
        items.push_back(shown ? source.path + "=" + formatExact(source.weight) : source.path);
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
        sources.push_back(
            weight ? DataSource{.path = item.substr(0, item.rfind('=')), .weight = *weight} : DataSource{.path = item});
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
