// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/control_group.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <string>
#include <string_view>

#include "base/text.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

std::optional<double> positiveNumber(const std::string &word)
{
    const auto number = parseInteger(word);
    return number && *number > 0 ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<double> numberIn(const fs::path &file)
{
    std::ifstream stream(file);
    std::string word;
    return stream >> word ? positiveNumber(word) : std::nullopt;
}

// Reads the path of the group from /proc/self/cgroup: "0::/user.slice" (version 2), "4:memory:/docker/x" (version 1).
std::string groupPath(const fs::path &root, std::string_view controller)
{
    std::ifstream stream(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(stream, line)) {
        const auto parts = split(line, ':');
        if (parts.size() < 3)
            continue;
        const auto controllers = split(parts[1], ',');
        if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end())
            return line.substr(parts[0].size() + parts[1].size() + 2);
    }
    return "/";
}

// Returns the smallest limit of the group and all groups above it. In a container, the group may be mounted as `base`,
// while its name is that of the host.
template<typename Read>
std::optional<double> smallestLimit(const fs::path &base, const std::string &group, Read read)
{
    std::optional<double> smallest;
    fs::path folder = base / fs::path(group).relative_path();
    for (int level = 0; level < 32; ++level) {
        if (const std::optional<double> limit = read(folder))
            smallest = smallest ? std::min(*smallest, *limit) : *limit;
        if (folder == base || !folder.has_parent_path())
            break;
        folder = folder.parent_path();
    }
    return smallest;
}

// The limit of version 2, whose groups name no controller, or else that of `controller` in version 1.
template<typename Read, typename ReadFirst>
std::optional<double> limitOf(const fs::path &root, const char *controller, Read read, ReadFirst readFirst)
{
    const fs::path base = root / "sys/fs/cgroup";
    const auto limit = smallestLimit(base, groupPath(root, ""), read);
    return limit ? limit : smallestLimit(base / controller, groupPath(root, controller), readFirst);
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period)
{
    return quota && period ? std::optional(*quota / *period) : std::nullopt;
}

// "200000 100000" means two threads; "max 100000" is no limit.
std::optional<double> quotaIn(const fs::path &folder)
{
    std::ifstream stream(folder / "cpu.max");
    std::string quota, period;
    stream >> quota >> period;
    return ratio(positiveNumber(quota), positiveNumber(period));
}

// -1 is no limit.
std::optional<double> firstQuotaIn(const fs::path &folder)
{
    return ratio(numberIn(folder / "cpu.cfs_quota_us"), numberIn(folder / "cpu.cfs_period_us"));
}

int threadsOfAffinity()
{
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

} // namespace

std::optional<Bytes> groupMemoryLimit(const fs::path &root)
{
    const auto limit = limitOf(
        root, "memory", [](const fs::path &folder) { return numberIn(folder / "memory.max"); },
        [](const fs::path &folder) { return numberIn(folder / "memory.limit_in_bytes"); });
    constexpr double kNone = 0x1p60; // version 1 reports a huge number if there is no limit
    return limit && *limit < kNone ? std::optional(static_cast<Bytes>(*limit)) : std::nullopt;
}

double processorQuota(const fs::path &root)
{
    const double threads = threadsOfAffinity();
    return std::min(threads, limitOf(root, "cpu", quotaIn, firstQuotaIn).value_or(threads));
}

int usableThreads(const fs::path &root) { return static_cast<int>(std::ceil(processorQuota(root))); }

} // namespace slipway
