// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A step that the device keeps, to run it again without the host starting each op: where ops are so short that starting
// them is what takes the time. What differs between steps (ids, rates) the ops read from memory.
#pragma once

#include <memory>

#include "base/units.h"

namespace slipway {

class StepGraph {
public:
    virtual ~StepGraph() = default;
    // From begin to end ops are kept and not run. Both may throw, in place of an op as well: then nothing was kept.
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual void abandon() noexcept = 0; // instead of end
    virtual void replay() = 0;
    // A mark in time: their number so far. secondsBetween waits for what was replayed last.
    virtual int mark() = 0;
    virtual Seconds secondsBetween(int from, int to) = 0;
};

// On the GPU that this thread has chosen, out of its current stream. Null in programs without CUDA.
std::unique_ptr<StepGraph> makeStepGraph();

} // namespace slipway
