// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/framework_versions.h"

#include <algorithm>

#include "base/text.h"

namespace slipway {

namespace {

// "4.46.0" and "4.46" are the same version.
std::vector<int> withoutZeros(std::vector<int> components)
{
    while (!components.empty() && components.back() == 0)
        components.pop_back();
    return components;
}

} // namespace

std::vector<int> versionComponents(std::string_view version)
{
    std::vector<int> components;
    for (const std::string_view part : split(version.starts_with('v') ? version.substr(1) : version, '.')) {
        const auto number = parseInteger(part);
        if (!number || *number < 0 || *number > 100'000)
            break;
        components.push_back(static_cast<int>(*number));
    }
    return components;
}

const FrameworkRelease *releaseOf(const FrameworkProfile &profile, std::string_view version)
{
    const std::vector<int> wanted = versionComponents(version);
    const FrameworkRelease *found = profile.releases.empty() ? nullptr : &profile.releases.front();
    for (const FrameworkRelease &release : profile.releases) {
        if (versionComponents(release.version) <= wanted)
            found = &release;
    }
    return found;
}

VersionAge ageOf(const FrameworkProfile &profile, std::string_view version)
{
    const std::vector<int> wanted = withoutZeros(versionComponents(version));
    if (profile.releases.empty() || wanted.empty() || parseDay(version) > 0)
        return VersionAge::Known;
    bool hasNewer = false, hasOlder = false; // or the version itself
    for (const FrameworkRelease &release : profile.releases) {
        const std::vector<int> known = withoutZeros(versionComponents(release.version));
        hasNewer = hasNewer || known >= wanted;
        hasOlder = hasOlder || known <= wanted;
    }
    return !hasNewer ? VersionAge::Newer : !hasOlder ? VersionAge::Older : VersionAge::Known;
}

std::string unknownVersionNote(const Frameworks &frameworks, std::string_view software)
{
    const FrameworkProfile *const profile = frameworks.find(softwareName(software));
    const std::string version(softwareVersion(software));
    const VersionAge age = profile ? ageOf(*profile, version) : VersionAge::Known;
    if (age == VersionAge::Known)
        return {};
    const std::string known = releaseOf(*profile, version)->version;
    return profile->id + " " + version +
           (age == VersionAge::Newer ? " is newer than the newest known version "
                                     : " is older than the oldest known version ") +
           known + "; it is planned as " + known + ".";
}

} // namespace slipway
