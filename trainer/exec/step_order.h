// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a device must not do at the same time. Collectives have a lane of their own, beside that of the computation; a
// plan does not write down how the two wait for each other: it follows from the bytes that ops read and write
// (step_plan.h).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// One lane for all collectives: two of them in flight on one device may wait for each other's peers for ever.
enum class Lane : std::uint8_t { Compute, Communication };
constexpr Lane laneOf(Stream stream)
{
    return stream == Stream::Gather || stream == Stream::Reduce ? Lane::Communication : Lane::Compute;
}

// Ops are counted as forEachOp visits them, with all repetitions.
struct OrderedOp {
    Lane lane = Lane::Compute;
    int waitsFor = -1; // an op of the other lane, and with it all before that; -1: nothing it does not wait for already
    bool signals = false; // some op of the other lane waits for this one
    bool operator==(const OrderedOp &) const = default;
};

// Of the rank that has part `shard` of what is spread. Memory that is used again is waited for as well.
std::vector<OrderedOp> orderOf(const StepPlan &plan, int shard = 0);

} // namespace slipway
