// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Walks a plan through the arena: which buffers are alive at each op, and how much device memory they take.
#pragma once

#include <array>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

using BytesByRole = std::array<Bytes, EnumNames<Role>::names.size()>;

// An op in a slot, as an instant of a step.
struct OpInstance {
    BlockId block{};
    int op = 0;    // within the block
    int index = 0; // the slot's: layer or chunk
    bool operator==(const OpInstance &) const = default;
};

struct MemoryPeak {
    Bytes allocated = 0;  // sum of the sizes that the arena rounds up
    Bytes reserved = 0;   // size of the arena; 0 with Placement::None
    Bytes library = 0;    // the most that a library allocates for an op, in addition to the arena
    BytesByRole byRole{}; // at that instant, before rounding
    OpInstance at;        // the first op at which the peak is reached
    // The arena is allocated once, so what a library allocates during an op comes on top of all of it.
    [[nodiscard]] Bytes withLibraries() const { return reserved + library; }
};

// Whether live buffers are also placed in an arena. This doubles the time of the walk.
enum class Placement { Arena, None };

// The peak of a step after the first. Buffers are allocated in the executor's order: those of Scope::Run first, then
// those of each op before it runs; an op's frees follow it.
MemoryPeak peakMemory(const StepPlan &plan, Placement placement = Placement::Arena);

// Bytes that are alive while an op runs, before rounding.
struct MemoryInstant {
    OpInstance at;
    BytesByRole byRole{};
};

// One instant for each op of a step; equal repetitions of a segment appear once.
std::vector<MemoryInstant> memoryInstants(const StepPlan &plan);

} // namespace slipway
