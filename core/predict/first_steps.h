// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "memory/memory_walk.h"
#include "predict/assess.h"

namespace slipway {

// The first steps of a pipeline stage from the cold start, op by op: what PyTorch's memory viewer shows of them. Our
// own trainer takes its arena at once; a simulated framework's allocator grows.
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
    Bytes usable = 0;         // of the device, what lies outside the allocator taken off
    bool outOfMemory = false; // no way to get on within that; the points show what would be needed
    int retries = 0;          // free segments went back to get on, in all of these steps
};
inline constexpr int kFirstSteps = 4;
Result<FirstSteps> firstSteps(const RunConfig &config, const Catalogue &catalogue, std::size_t stage = 0);

} // namespace slipway
