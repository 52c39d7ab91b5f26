// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/framework_profile.h"

#include <algorithm>

#include "base/user_folders.h"
#include "base/yaml_files.h"
#include "base/yaml_row.h"
#include "frameworks/read_field.h"
#include "frameworks/read_script_interface.h"
#include "frameworks/read_torch_changes.h"

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
        const int day = parseDay(releases->items[i].scalar);
        if (day == 0 || (!profile.releases.empty() && day < profile.releases.back().day))
            return row.fail(releases->keyLines[i],
                "'" + releases->keys[i] + "' has " + (day == 0 ? "no date" : "a date before the release above it"),
                "YYYY-MM-DD, oldest first");
        profile.releases.push_back({releases->keys[i], day});
    }
}

Result<FrameworkProfile> profileOf(const YamlNode &file, const std::string &where)
{
    YamlRow row(file, where);
    FrameworkProfile profile{.id = row.requiredText("id"), .title = row.requiredText("title"), .where = where};
    profile.aliases = row.texts("aliases");
    profile.inherits = row.text("inherits");
    profile.package = row.text("package");
    profile.versionIsTorch = row.boolean("version_is_torch", false);
    profile.isUnknown = row.boolean("stands_for_unknown", false);
    profile.measuredOn = row.texts("measured_on");
    readReleases(row, profile);
    const YamlNode *fields = row.child("fields");
    Result<ScriptInterface> trainer = readScriptInterface(row, where);
    if (!trainer)
        return trainer.error();
    profile.script = *std::move(trainer);
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    Result<std::vector<FrameworkField>> read = readFields(fields, profile.releases, where);
    if (!read)
        return read.error();
    profile.fields = *std::move(read);
    return profile;
}

// A file whose fields hold for whole engines, with versions of PyTorch as dates, or which says what these versions
// changed.
Result<void> addEngineFile(Frameworks &frameworks, const std::filesystem::path &path)
{
    const Result<YamlNode> file = readYaml(path);
    if (!file)
        return file.error();
    YamlRow row(*file, path.string());
    const YamlNode *list = row.child("fields"), *changes = row.child("torch_changes");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    if (const Result<void> added = addTorchChanges(frameworks, changes, path.string()); !added)
        return added.error();
    Result<std::vector<FrameworkField>> fields = readFields(list, {}, path.string());
    if (!fields)
        return fields.error();
    frameworks.ofEngines.insert(frameworks.ofEngines.end(), fields->begin(), fields->end());
    return {};
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
                .where = profile.where,
                .accepted = "the id of a framework, which slipway catalog frameworks lists"};
    }
    return {};
}

} // namespace

Result<void> addFrameworks(Frameworks &frameworks, const std::filesystem::path &folder)
{
    for (const std::filesystem::path &path : yamlFiles(folder)) {
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
    for (const std::filesystem::path &path : yamlFiles(folder / "engines")) {
        if (const Result<void> read = addEngineFile(frameworks, path); !read)
            return read.error();
    }
    return frameworks;
}

std::filesystem::path userFrameworkFolder() { return userConfigPath("frameworks"); }

} // namespace slipway
