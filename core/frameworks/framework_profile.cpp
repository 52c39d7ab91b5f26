// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/framework_profile.h"

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "base/unknown_name.h"
#include "frameworks/framework_versions.h"

namespace slipway {

namespace {

std::string plainName(std::string_view name)
{
    std::string plain = toLower(trimmed(name));
    std::replace_if(plain.begin(), plain.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
    return plain;
}

} // namespace

int parseDay(std::string_view text)
{
    const std::vector<std::string_view> parts = split(trimmed(text), '-');
    if (parts.size() < 2 || parts.size() > 3)
        return 0;
    const auto year = parseInteger(parts[0]), month = parseInteger(parts[1]),
               day = parts.size() == 3 ? parseInteger(parts[2]) : std::optional<std::int64_t>(0);
    if (!year || !month || !day || *year < 2000 || *year > 2100 || *month < 1 || *month > 12 || *day < 0 || *day > 31)
        return 0;
    return static_cast<int>(*year * 10000 + *month * 100 + *day);
}

int torchVersionNumber(std::string_view version)
{
    const std::vector<int> components = versionComponents(version);
    return components.size() < 2 || components[0] > 99 || components[1] > 99 ? 0 : components[0] * 100 + components[1];
}

std::string_view softwareName(std::string_view software) { return trimmed(software.substr(0, software.find('@'))); }

std::string_view softwareVersion(std::string_view software)
{
    const std::size_t at = software.find('@');
    return at == std::string_view::npos ? std::string_view() : trimmed(software.substr(at + 1));
}

const FrameworkProfile *Frameworks::find(std::string_view name) const
{
    const std::string wanted = plainName(name);
    for (const FrameworkProfile &profile : profiles) {
        const auto same = [&](const std::string &alias) { return plainName(alias) == wanted; };
        if (profile.id == wanted || std::any_of(profile.aliases.begin(), profile.aliases.end(), same))
            return &profile;
    }
    return nullptr;
}

Result<FrameworkVersion> Frameworks::resolve(std::string_view name) const
{
    const std::string_view id = softwareName(name), version = softwareVersion(name);
    const FrameworkProfile *profile = find(id);
    if (!profile) {
        std::vector<std::string> known;
        std::string ids;
        for (const FrameworkProfile &each : profiles) {
            known.push_back(each.id);
            known.insert(known.end(), each.aliases.begin(), each.aliases.end());
            ids += (ids.empty() ? "" : ", ") + each.id;
        }
        return unknownName("framework", id, known, "--framework", ids);
    }
    FrameworkVersion found{.id = profile->id, .version = std::string(version)};
    if (version.empty()) {
        found.torch = torchReleaseOn(0);
        return found;
    }
    if (const int day = parseDay(version); day > 0) {
        found.day = day;
        found.torch = torchReleaseOn(day);
        return found;
    }
    if (versionComponents(version).empty())
        return Error{.what = "'" + std::string(version.substr(0, 40)) + "' is neither a version nor a date",
            .where = "--framework",
            .accepted = "NAME, NAME@1.2 or NAME@2025-03"};
    const FrameworkRelease *release = releaseOf(*profile, version);
    found.day = release ? release->day : 0;
    // A version of the future has the PyTorch of the newest known one.
    found.torch = !profile->versionIsTorch                                   ? torchReleaseOn(found.day)
                  : release && ageOf(*profile, version) == VersionAge::Newer ? release->version
                                                                             : std::string(version);
    return found;
}

std::vector<const FrameworkProfile *> Frameworks::lineage(std::string_view id) const
{
    std::vector<const FrameworkProfile *> line;
    for (const FrameworkProfile *at = find(id); at && line.size() <= profiles.size();
        at = at->inherits.empty() ? nullptr : find(at->inherits))
        line.insert(line.begin(), at);
    return line;
}

ScriptInterface Frameworks::scriptInterfaceOf(std::string_view id) const
{
    std::vector<const FrameworkProfile *> nearestFirst;
    const auto addLineage = [&](std::string_view one) {
        const std::vector<const FrameworkProfile *> line = lineage(one);
        for (const FrameworkProfile *profile : std::views::reverse(line)) {
            if (std::find(nearestFirst.begin(), nearestFirst.end(), profile) == nearestFirst.end())
                nearestFirst.push_back(profile);
        }
    };
    addLineage(id);
    for (const FrameworkProfile &profile : profiles) {
        if (profile.isUnknown)
            addLineage(profile.id);
    }
    ScriptInterface whole;
    for (const FrameworkProfile *profile : nearestFirst) {
        const ScriptInterface &own = profile->script;
        whole.log.forms.insert(whole.log.forms.end(), own.log.forms.begin(), own.log.forms.end());
        whole.log.multiLine |= own.log.multiLine;
        whole.log.stepFromBar |= own.log.stepFromBar;
        if (whole.stop.signal.empty())
            whole.stop = own.stop;
        if (whole.resumeArguments.empty())
            whole.resumeArguments = own.resumeArguments;
        whole.arguments.insert(whole.arguments.end(), own.arguments.begin(), own.arguments.end());
    }
    return whole;
}

TorchChanges Frameworks::changesOf(int torch) const
{
    TorchChanges changes;
    for (const TorchChange &change : torchChanges) {
        for (const NamedTorchChange &named : kTorchChanges) {
            if (named.key == change.key)
                changes.*named.member = torch >= change.since;
        }
    }
    return changes;
}

std::string Frameworks::torchReleaseOn(int day) const
{
    std::string version;
    for (const FrameworkProfile &profile : profiles) {
        for (const FrameworkRelease &release :
            profile.versionIsTorch ? profile.releases : std::vector<FrameworkRelease>()) {
            if (day == 0 || release.day <= day)
                version = release.version;
        }
        if (!version.empty())
            break;
    }
    return version;
}

} // namespace slipway
