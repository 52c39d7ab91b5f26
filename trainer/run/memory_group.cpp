// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/memory_group.h"

#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

// Reads the number in the line "oom_kill 3".
std::optional<std::int64_t> killsIn(const std::filesystem::path &file)
{
    const Result<std::string> text = readFile(file);
    for (const std::string_view line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        if (line.starts_with("oom_kill "))
            return parseInteger(trimmed(line.substr(line.find(' '))));
    }
    return std::nullopt;
}

// The path in the hierarchy of `controller`, or in the unified hierarchy, which names no controllers.
std::filesystem::path pathIn(std::string_view membership, std::string_view controller)
{
    for (const std::string_view line : split(membership, '\n')) {
        const std::vector<std::string_view> fields = split(line, ':');
        if (fields.size() >= 3 && fields[1] == controller)
            return std::filesystem::path(fields[2]).relative_path();
    }
    return {};
}

} // namespace

std::optional<MemoryGroup> MemoryGroup::ofThisProcess(
    const std::filesystem::path &root, const std::filesystem::path &membership)
{
    const Result<std::string> text = readFile(membership);
    const std::string_view groups = text ? std::string_view(*text) : std::string_view();
    // In a container, the group may be mounted as the root, while its name is that of the host.
    for (const std::filesystem::path &folder :
        {root / pathIn(groups, ""), root / "unified" / pathIn(groups, ""), root}) {
        if (killsIn(folder / "memory.events"))
            return MemoryGroup(folder / "memory.events", folder / "memory.max");
    }
    for (const std::filesystem::path &folder : {root / "memory" / pathIn(groups, "memory"), root / "memory"}) {
        if (killsIn(folder / "memory.oom_control"))
            return MemoryGroup(folder / "memory.oom_control", folder / "memory.limit_in_bytes");
    }
    return std::nullopt;
}

std::int64_t MemoryGroup::kills() const { return killsIn(m_events).value_or(0); }

std::optional<Bytes> MemoryGroup::limit() const
{
    constexpr Bytes kNone = Bytes{1} << 60; // version 1 reports a huge number if there is no limit
    const Result<std::string> text = readFile(m_limit);
    const std::optional<std::int64_t> bytes = text ? parseInteger(trimmed(*text)) : std::nullopt;
    return bytes && *bytes < kNone ? bytes : std::nullopt;
}

} // namespace slipway
