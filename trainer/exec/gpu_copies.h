// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures bandwidth between GPUs, and between GPU and host, with large copies that device events time. Also device
// memory for link tests.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "comm/link_test.h"

namespace slipway {

struct CopyRate {
    int from = -1, to = -1; // GPUs; -1: page-locked host memory
    double bytesPerSecond = 0;
    bool direct = true; // peer to peer, not through host memory
};

// All pairs of GPUs, and each GPU with the host. An error if there is no GPU or a copy fails.
Result<std::vector<CopyRate>> measureCopies();

// On the current GPU of this thread; null in a program for the CPU.
std::unique_ptr<DeviceMemory> makeDeviceMemory();

} // namespace slipway
