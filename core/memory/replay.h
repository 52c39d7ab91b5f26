// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The first steps of a simulated framework's run through PyTorch's caching allocator, from the cold start: weights
// first, Adam's states when the first update needs them. Where what a device shows in use comes from.
#pragma once

#include <vector>

#include "memory/allocation_trace.h"
#include "memory/caching_allocator.h"

namespace slipway {

struct ReplayPoint {
    int step = 0;  // from 1
    OpInstance at; // while this op runs
    Bytes allocated = 0, reserved = 0;
    BytesByRole byRole{}; // alive, not rounded
};

struct Replay {
    Bytes peakAllocated = 0, peakReserved = 0;
    int retries = 0; // in all steps: see CachingAllocator
    int retriesInLastStep = 0;
    bool outOfMemory = false;        // stopped there
    std::vector<ReplayPoint> points; // of the trace's instants
};

Replay replay(const AllocationTrace &trace, const CachingOptions &options, int steps = 4);

} // namespace slipway
