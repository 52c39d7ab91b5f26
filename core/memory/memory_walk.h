// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A plan walked through the arena: what lives when, and how much of the device it takes.
#pragma once

#include <array>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

using BytesByRole = std::array<Bytes, EnumNames<Role>::names.size()>;

// An op in its slot; where in a step something happens.
struct OpInstance {
    BlockId block{};
    int op = 0;    // within the block
    int index = 0; // the slot's: layer or chunk
    bool operator==(const OpInstance &) const = default;
};

struct MemoryPeak {
    Bytes allocated = 0;  // rounded as the arena rounds
    Bytes reserved = 0;   // the arena's size; 0 where nothing is placed
    BytesByRole byRole{}; // at that instant, not rounded
    OpInstance at;        // the first op at which the peak is reached
};

// What is alive can be counted, or also placed in an arena, which costs twice the time.
enum class Placement { Arena, None };

// Of a steady step of the plan's rank. Allocations come as the executor makes them: what lives for the run first, then
// each op's allocations before it and its frees after it.
MemoryPeak peakMemory(const StepPlan &plan, Placement placement = Placement::Arena);

// Bytes alive while an op runs, not rounded.
struct MemoryInstant {
    OpInstance at;
    BytesByRole byRole{};
};

// Every op of a step, but of a segment's alike repetitions only one.
std::vector<MemoryInstant> memoryInstants(const StepPlan &plan);

} // namespace slipway
