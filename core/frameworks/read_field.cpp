// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/read_field.h"

#include <algorithm>

#include "frameworks/read_origin.h"

namespace slipway {

namespace {

// A version among the releases, or a date.
int boundOf(YamlRow &row, const YamlNode &item, std::string_view key, const std::vector<FrameworkRelease> &releases)
{
    const std::string text = row.text(key);
    if (text.empty())
        return 0;
    if (const int day = parseDay(text); day > 0)
        return day;
    const auto found = std::find_if(
        releases.begin(), releases.end(), [&](const FrameworkRelease &release) { return release.version == text; });
    if (found == releases.end()) {
        row.fail(item.line, "'" + std::string(key) + "' is '" + text.substr(0, 40) + "', which is not a listed release",
            "a version under 'releases', or a date YYYY-MM-DD");
        return 0;
    }
    return found->day;
}

int torchBound(YamlRow &row, const YamlNode &item, std::string_view key)
{
    const std::string text = row.text(key);
    const int number = torchVersionNumber(text);
    if (!text.empty() && number == 0)
        row.fail(item.line, "'" + std::string(key) + "' is '" + text.substr(0, 40) + "'", "a version such as \"2.5\"");
    return number;
}

} // namespace

std::vector<FieldCondition> readConditions(YamlRow &row)
{
    std::vector<FieldCondition> conditions;
    const YamlNode *when = row.child("when");
    if (!when)
        return conditions;
    if (when->kind != YamlNode::Kind::Map) {
        row.fail(when->line, "'when' is not a map", "{parallel: ddp}");
        return conditions;
    }
    for (std::size_t i = 0; i < when->keys.size(); ++i) {
        FieldCondition condition{.key = when->keys[i]};
        if (when->items[i].kind == YamlNode::Kind::Scalar)
            condition.accepted.push_back(when->items[i].scalar);
        for (const YamlNode &item : when->items[i].items)
            condition.accepted.push_back(item.scalar);
        if (condition.accepted.empty())
            row.fail(when->keyLines[i], "the condition '" + condition.key + "' has no value", "a value or a list");
        conditions.push_back(std::move(condition));
    }
    return conditions;
}

Result<FrameworkField> readField(
    const YamlNode &item, const std::vector<FrameworkRelease> &releases, const std::string &where)
{
    YamlRow row(item, where);
    FrameworkField field;
    field.key = row.requiredText("set");
    field.value = row.requiredText("to");
    field.when = readConditions(row);
    field.from = boundOf(row, item, "from", releases);
    field.until = boundOf(row, item, "until", releases);
    field.torchFrom = torchBound(row, item, "torch_from");
    field.torchUntil = torchBound(row, item, "torch_until");
    FactOrigin known = readOrigin(row, item.line);
    field.origin = known.kind;
    field.reference = std::move(known.reference);
    field.asOf = std::move(known.asOf);
    field.where = where + ":" + std::to_string(item.line);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return field;
}

Result<std::vector<FrameworkField>> readFields(
    const YamlNode *list, const std::vector<FrameworkRelease> &releases, const std::string &where)
{
    std::vector<FrameworkField> fields;
    if (!list)
        return fields;
    if (list->kind != YamlNode::Kind::Sequence)
        return Error{.what = "'fields' is not a list",
            .where = where + ":" + std::to_string(list->line),
            .accepted = "- {set: KEY, to: VALUE, origin: read, reference: TEXT}"};
    for (const YamlNode &item : list->items) {
        Result<FrameworkField> field = readField(item, releases, where);
        if (!field)
            return field.error();
        fields.push_back(*std::move(field));
    }
    return fields;
}

} // namespace slipway
