// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The Linux control group of this process and its children: its memory limit, and how often the kernel killed one of
// its processes for exceeding it. Source: Linux documentation, admin-guide/cgroup-v2 and cgroup-v1/memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/units.h"

namespace slipway {

class MemoryGroup {
public:
    // Empty if the system reports none. The paths are parameters for tests.
    static std::optional<MemoryGroup> ofThisProcess(const std::filesystem::path &root = "/sys/fs/cgroup",
        const std::filesystem::path &membership = "/proc/self/cgroup");

    [[nodiscard]] std::int64_t kills() const;
    [[nodiscard]] std::optional<Bytes> limit() const; // empty: this group has none

private:
    MemoryGroup(std::filesystem::path events, std::filesystem::path limit)
        : m_events(std::move(events)),
          m_limit(std::move(limit))
    {
    }
    std::filesystem::path m_events, m_limit;
};

} // namespace slipway
