// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a plan asks of an allocator, written down once for the many steps that are replayed.
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
    // A tensor is allocated by a request, where it is not alive yet (Adam's states after the first step), or dies.
    struct Event {
        static constexpr std::int32_t kFree = -1;
        std::int32_t tensor = 0;
        std::int32_t request = kFree; // index of `requests`
    };
    struct Instant {
        std::size_t event = 0; // of `step`: the first after it
        OpInstance at;         // while this op runs
        BytesByRole byRole{};  // alive in the first step, not rounded
    };

    std::vector<Request> requests;
    std::vector<Event>
        weights; // what lives for the run but Adam's states: the optimizer makes them when it first steps
    std::vector<Event> step;
    std::vector<Instant> instants; // of every op, where they are asked for
    std::size_t tensors = 0;
    Bytes optimizerStates = 0; // not rounded
};

enum class ReplayDetail { Peaks, Points };

AllocationTrace allocationTrace(const StepPlan &plan, ReplayDetail detail = ReplayDetail::Peaks);

} // namespace slipway
