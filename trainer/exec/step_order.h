// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The dependencies between the two streams of a device, computation and collectives. They follow from the lanes and the
// limit of gathers in the plan, and from the bytes that ops read and write (step_plan.h).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// The lanes of the plan (StepPlan::oneCommunicationLane). All communication of a rank is one lane, so a step completes
// if it does so with its ops one after another.
enum class DeviceStream : std::uint8_t { Compute, Communication };
constexpr DeviceStream deviceStreamOf(Stream stream)
{
    return isCommunication(stream) ? DeviceStream::Communication : DeviceStream::Compute;
}

// Ops are numbered in the order of forEachOp, with all repetitions.
struct OrderedOp {
    DeviceStream stream = DeviceStream::Compute;
    int waitsFor = -1;    // number of an op of the other stream; -1: none that earlier waits do not already cover
    bool signals = false; // an op of the other stream waits for this one
    bool operator==(const OrderedOp &) const = default;
};

// The order for the rank with this shard number. Includes waits for the reuse of memory.
std::vector<OrderedOp> orderOf(const StepPlan &plan, int shard = 0);

} // namespace slipway
