// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A CUDA graph of a step, for launch-bound steps. The ops read from memory what differs between steps (ids, rates).
#pragma once

#include <memory>

#include "base/units.h"

namespace slipway {

class StepGraph {
public:
    virtual ~StepGraph() = default;
    // Between begin() and end(), ops are captured and do not run. These calls and captured ops may throw; then nothing
    // was captured.
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual void abandon() noexcept = 0; // called in place of end()
    virtual void replay() = 0;
    // Records an event and returns its number. secondsBetween() waits for the last replay.
    virtual int mark() = 0;
    virtual Seconds secondsBetween(int from, int to) = 0;
};

// Captures the current stream of this thread. Null in programs without CUDA.
std::unique_ptr<StepGraph> makeStepGraph();

} // namespace slipway
