// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/framework_profile.h"

#include <algorithm>
#include <system_error>

#include "base/user_folders.h"
#include "base/yaml_row.h"
#include "frameworks/read_trainer_interface.h"

namespace slipway {

namespace {

constexpr std::size_t kMostProfiles = 1000;

void readReleases(YamlRow &row, FrameworkProfile &profile)
{
    const YamlNode *releases = row.child("releases");
    if (!releases)
        return;
    if (releases->kind != YamlNode::Kind::Map)
        return row.fail(releases->line, "'releases' is not a map", "\"4.46\": 2024-10-24");
    for (std::size_t i = 0; i < releases->keys.size(); ++i) {
        const int day = dayOf(releases->items[i].scalar);
        if (day == 0 || (!profile.releases.empty() && day < profile.releases.back().day))
            return row.fail(releases->keyLines[i],
                "'" + releases->keys[i] + "' has " + (day == 0 ? "no date" : "a date before the release above it"),
                "YYYY-MM-DD, oldest first");
        profile.releases.push_back({releases->keys[i], day});
    }
}

// A version among the releases, or a date.
int boundOf(YamlRow &row, const YamlNode &item, std::string_view key, const FrameworkProfile &profile)
{
    const std::string text = row.text(key);
    if (text.empty())
        return 0;
    if (const int day = dayOf(text); day > 0)
        return day;
    const auto found = std::find_if(profile.releases.begin(), profile.releases.end(),
        [&](const FrameworkRelease &release) { return release.version == text; });
    if (found == profile.releases.end()) {
        row.fail(item.line, "'" + std::string(key) + "' is '" + text.substr(0, 40) + "', which is not a listed release",
            "a version under 'releases', or a date YYYY-MM-DD");
        return 0;
    }
    return found->day;
}

int torchBound(YamlRow &row, const YamlNode &item, std::string_view key)
{
    const std::string text = row.text(key);
    const int number = torchNumber(text);
    if (!text.empty() && number == 0)
        row.fail(item.line, "'" + std::string(key) + "' is '" + text.substr(0, 40) + "'", "a version such as \"2.5\"");
    return number;
}

std::vector<FieldCondition> conditionsOf(YamlRow &row)
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

Result<FrameworkField> fieldOf(const YamlNode &item, const FrameworkProfile &profile, const std::string &where)
{
    YamlRow row(item, where);
    FrameworkField field;
    field.key = row.requiredText("set");
    field.value = row.requiredText("to");
    field.when = conditionsOf(row);
    field.from = boundOf(row, item, "from", profile);
    field.until = boundOf(row, item, "until", profile);
    field.torchFrom = torchBound(row, item, "torch_from");
    field.torchUntil = torchBound(row, item, "torch_until");
    row.requiredText("origin");
    field.origin = row.choice("origin", FieldOrigin::Assumed);
    field.reference = row.requiredText("reference");
    field.asOf = row.text("as_of");
    field.where = where + ":" + std::to_string(item.line);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return field;
}

Result<FrameworkProfile> profileOf(const YamlNode &file, const std::string &where)
{
    YamlRow row(file, where);
    FrameworkProfile profile{.id = row.requiredText("id"), .title = row.requiredText("title")};
    profile.aliases = row.texts("aliases");
    profile.inherits = row.text("inherits");
    profile.package = row.text("package");
    profile.versionIsTorch = row.truth("version_is_torch", false);
    profile.isUnknown = row.truth("stands_for_unknown", false);
    profile.measuredOn = row.texts("measured_on");
    readReleases(row, profile);
    const YamlNode *fields = row.child("fields");
    Result<TrainerInterface> trainer = readTrainerInterface(row, where);
    if (!trainer)
        return trainer.error();
    profile.trainer = *std::move(trainer);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    if (fields && fields->kind != YamlNode::Kind::Sequence)
        return Error{.what = "'fields' is not a list",
            .where = where + ":" + std::to_string(fields->line),
            .accepted = "- {set: KEY, to: VALUE, origin: read, reference: TEXT}"};
    for (const YamlNode &item : fields ? fields->items : std::vector<YamlNode>()) {
        Result<FrameworkField> field = fieldOf(item, profile, where);
        if (!field)
            return field.error();
        profile.fields.push_back(*std::move(field));
    }
    return profile;
}

// Each parent is there, and none is its own.
Result<void> checkLineage(const Frameworks &frameworks)
{
    for (const FrameworkProfile &profile : frameworks.profiles) {
        if (profile.inherits.empty())
            continue;
        const auto line = frameworks.lineage(profile.id);
        if (!frameworks.find(profile.inherits) || line.size() > frameworks.profiles.size())
            return Error{.what = "the framework '" + profile.id + "' inherits '" + profile.inherits + "', which " +
                                 (frameworks.find(profile.inherits) ? "inherits it" : "is not there"),
                .where = "frameworks"};
    }
    return {};
}

} // namespace

Result<void> addFrameworks(Frameworks &frameworks, const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
        entry.increment(failure)) {
        if (entry->path().extension() == ".yaml")
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path &path : files) {
        const Result<YamlNode> file = readYaml(path);
        if (!file)
            return file.error();
        Result<FrameworkProfile> profile = profileOf(*file, path.string());
        if (!profile)
            return profile.error();
        if (frameworks.profiles.size() >= kMostProfiles)
            return Error{.what = "too many frameworks", .where = folder.string(), .accepted = "at most 1000 files"};
        const auto same = std::find_if(frameworks.profiles.begin(), frameworks.profiles.end(),
            [&](const FrameworkProfile &known) { return known.id == profile->id; });
        if (same != frameworks.profiles.end())
            *same = *std::move(profile);
        else
            frameworks.profiles.push_back(*std::move(profile));
    }
    return checkLineage(frameworks);
}

Result<Frameworks> readFrameworks(const std::filesystem::path &folder)
{
    Frameworks frameworks;
    const Result<void> added = addFrameworks(frameworks, folder);
    if (!added)
        return added.error();
    if (frameworks.profiles.empty())
        return Error{.what = "has no frameworks", .where = folder.string()};
    return frameworks;
}

std::filesystem::path userFrameworkFolder() { return userConfigPath("frameworks"); }

} // namespace slipway
