// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Replays the first steps of a simulated framework through PyTorch's caching allocator. Weights are allocated first,
// Adam's states at the first update. The reserved bytes are the allocator's share of what a device shows in use.
#pragma once

#include <vector>

#include "memory/allocation_trace.h"
#include "memory/caching_allocator.h"

namespace slipway {

struct ReplayPoint {
    int step = 0;  // from 1
    OpInstance at; // while this op runs
    Bytes allocated = 0, reserved = 0;
    BytesByRole byRole{}; // alive, before rounding
};

struct Replay {
    Bytes peakAllocated = 0, peakReserved = 0;
    int retries = 0; // in all steps: see CachingAllocator
    int retriesInLastStep = 0;
    bool outOfMemory = false;        // the replay stopped at that point
    std::vector<ReplayPoint> points; // of the trace's instants
};

Replay replay(const AllocationTrace &trace, const CachingOptions &options, int steps = 4);

} // namespace slipway
