// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The allocations and frees of a plan's step, recorded once and replayed for many steps.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/memory_walk.h"

namespace slipway {

struct AllocationTrace {
    struct Request {
        Bytes bytes = 0;
        Stream stream{};
    };
    // Allocates a tensor unless it is alive (as Adam's states are after the first step), or frees it.
    struct Event {
        static constexpr std::int32_t kFree = -1;
        std::int32_t tensor = 0;
        std::int32_t request = kFree; // index of `requests`
    };
    struct Instant {
        std::size_t event = 0; // index of `step`: the first event after it
        OpInstance at;         // while this op runs
        BytesByRole byRole{};  // alive in the first step, before rounding
    };

    std::vector<Request> requests;
    std::vector<Event>
        weights; // what lives for the run but Adam's states: the optimizer makes them when it first steps
    std::vector<Event> step;
    std::vector<Instant> instants; // one for each op with ReplayDetail::Points, else none
    std::size_t tensors = 0;
    Bytes optimizerStates = 0; // before rounding
};

enum class ReplayDetail { Peaks, Points };

AllocationTrace allocationTrace(const StepPlan &plan, ReplayDetail detail = ReplayDetail::Peaks);

} // namespace slipway
