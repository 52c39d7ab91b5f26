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

bool isNewerThanKnown(const FrameworkProfile &profile, std::string_view version)
{
    const std::vector<int> wanted = withoutZeros(versionComponents(version));
    if (profile.releases.empty() || wanted.empty() || parseDay(version) > 0)
        return false;
    for (const FrameworkRelease &release : profile.releases) {
        if (withoutZeros(versionComponents(release.version)) >= wanted)
            return false;
    }
    return true;
}

bool isOlderThanKnown(const FrameworkProfile &profile, std::string_view version)
{
    const std::vector<int> wanted = withoutZeros(versionComponents(version));
    return !profile.releases.empty() && !wanted.empty() && parseDay(version) == 0 &&
           std::none_of(profile.releases.begin(), profile.releases.end(), [&](const FrameworkRelease &release) {
               return withoutZeros(versionComponents(release.version)) <= wanted;
           });
}

std::string unknownVersionNote(const Frameworks &frameworks, std::string_view software)
{
    const std::size_t at = software.find('@');
    const FrameworkProfile *const profile = frameworks.find(trimmed(software.substr(0, at)));
    if (!profile || at == std::string_view::npos)
        return {};
    const std::string version(trimmed(software.substr(at + 1)));
    const bool newer = isNewerThanKnown(*profile, version);
    if (!newer && !isOlderThanKnown(*profile, version))
        return {};
    const std::string known = releaseOf(*profile, version)->version;
    return profile->id + " " + version +
           (newer ? " is newer than the newest known version " : " is older than the oldest known version ") + known +
           "; it is planned as " + known + ".";
}

} // namespace slipway
