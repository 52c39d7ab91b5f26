// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the control groups (cgroups) of Linux allow this process. A limit of a group holds for all groups below it, so
// the smallest one counts. Source: Linux documentation, admin-guide/cgroup-v2, cgroup-v1/memory and
// scheduler/sched-bwc.
#pragma once

#include <filesystem>
#include <optional>

#include "base/units.h"

namespace slipway {

// Reads memory.max, or memory.limit_in_bytes of version 1. Without a limit there is no value.
std::optional<Bytes> groupMemoryLimit(const std::filesystem::path &root = "/");

// The processor time that this process may use per second of time, in hardware threads: those of its affinity mask, or
// the quota of its groups (cpu.max, or cpu.cfs_quota_us of version 1) if that is less. It may be a fraction.
double processorQuota(const std::filesystem::path &root = "/");

// The number of threads that can use this quota: rounded up, as OpenJDK and Go do. At least 1.
int usableThreads(const std::filesystem::path &root = "/");

} // namespace slipway
