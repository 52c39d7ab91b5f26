// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How fast data moves between GPUs, and between a GPU and the host: large copies, timed by events of the device; and
// memory for testing what collectives reach.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "comm/link_test.h"

namespace slipway {

struct CopyRate {
    int from = -1, to = -1; // GPUs; -1: the host's page-locked memory
    double bytesPerSecond = 0;
    bool direct = true; // not through the host
};

// All pairs of GPUs, and each with the host; an error where there is no GPU or a copy fails.
Result<std::vector<CopyRate>> measureCopies();

// On the GPU that this thread has chosen; null in a program for the CPU.
std::unique_ptr<DeviceMemory> makeDeviceMemory();

} // namespace slipway
