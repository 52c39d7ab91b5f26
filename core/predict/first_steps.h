// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "memory/memory_walk.h"
#include "predict/assess.h"

namespace slipway {

// The memory of a pipeline stage in its first steps, op by op, as in PyTorch's memory viewer. Our own trainer reserves
// its arena at once; the allocator of a simulated framework grows.
struct FirstSteps {
    struct Point {
        int step = 1;
        std::string op; // "block/op"
        int layer = -1;
        Phase phase = Phase::Forward;
        Bytes allocated = 0, reserved = 0;
        BytesByRole bytes{}; // alive, not rounded
    };
    std::vector<Point> points;
    Bytes usable = 0;         // the device's memory without that outside the allocator
    bool outOfMemory = false; // the steps do not fit in it; the points then show what would be needed
    int retries = 0;          // how often free segments were released to continue, in all of these steps
};
inline constexpr int kFirstSteps = 4;
Result<FirstSteps> firstSteps(const RunConfig &config, const Catalogue &catalogue, std::size_t stage = 0);

} // namespace slipway
