// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The control group that this process and its children share their memory in: how much it may have, and how often the
// kernel ended one of its processes because it wanted more. Linux documentation, admin-guide/cgroup-v2 and
// cgroup-v1/memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/units.h"

namespace slipway {

class MemoryGroup {
public:
    // Empty where the system tells nothing of it. The paths are for tests.
    static std::optional<MemoryGroup> ofThisProcess(const std::filesystem::path &root = "/sys/fs/cgroup",
        const std::filesystem::path &membership = "/proc/self/cgroup");

    [[nodiscard]] std::int64_t kills() const;
    [[nodiscard]] std::optional<Bytes> limit() const; // empty: none, but that of an outer group or of the machine

private:
    MemoryGroup(std::filesystem::path events, std::filesystem::path limit)
        : m_events(std::move(events)),
          m_limit(std::move(limit))
    {
    }
    std::filesystem::path m_events, m_limit;
};

} // namespace slipway
