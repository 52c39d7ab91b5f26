// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/memory_walk.h"

#include <algorithm>

#include "memory/arena.h"
#include "plan/walk.h"

namespace slipway {

namespace {

// Calls enter(Buffer, instance) and leave(Buffer, instance) for allocations and frees in order. Calls during(Visit)
// between them.
template<typename Enter, typename Leave, typename During>
void walkLifetimes(const StepPlan &plan, const Instances &instances, Enter &&enter, Leave &&leave, During &&during)
{
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        const auto id = static_cast<BufferId>(b);
        if (plan.at(id).scope != Scope::Run)
            continue;
        const int alive = plan.at(id).perLayer ? plan.layers : 1;
        for (int i = 0; i < alive; ++i)
            enter(plan.at(id), instances.first(id) + i);
    }
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        for (const Use &use : v.op.allocations)
            enter(plan.at(use.buffer), instances.of(use, v.slot.index, v.microBatch));
        during(v);
        for (const Use &use : v.op.frees)
            leave(plan.at(use.buffer), instances.of(use, v.slot.index, v.microBatch));
    });
}

OpInstance instanceOf(const StepPlan &plan, const Visit &v)
{
    return {
        .block = v.slot.block, .op = static_cast<int>(&v.op - plan.at(v.slot.block).ops.data()), .index = v.slot.index};
}

Bytes &ofRole(BytesByRole &bytes, Role role) { return bytes[static_cast<std::size_t>(role)]; }

} // namespace

MemoryPeak peakMemory(const StepPlan &plan, Placement placement)
{
    const Instances instances(plan);
    const bool places = placement == Placement::Arena;
    std::vector<Bytes> offsets(places ? static_cast<std::size_t>(instances.count()) : 0);
    Arena arena;
    Bytes allocated = 0;
    BytesByRole live{};
    MemoryPeak peak;
    walkLifetimes(
        plan, instances,
        [&](const Buffer &buffer, int instance) {
            if (places)
                offsets[static_cast<std::size_t>(instance)] = arena.allocate(buffer.bytes);
            allocated += arenaSize(buffer.bytes);
            ofRole(live, buffer.role) += buffer.bytes;
        },
        [&](const Buffer &buffer, int instance) {
            if (places)
                arena.free(offsets[static_cast<std::size_t>(instance)], buffer.bytes);
            allocated -= arenaSize(buffer.bytes);
            ofRole(live, buffer.role) -= buffer.bytes;
        },
        [&](const Visit &v) {
            peak.library = std::max(peak.library, plan.at(v.op.kernel).libraryBytes);
            if (allocated > peak.allocated) {
                peak.allocated = allocated;
                peak.byRole = live;
                peak.at = instanceOf(plan, v);
            }
        });
    peak.reserved = arena.reserved();
    return peak;
}

std::vector<MemoryInstant> memoryInstants(const StepPlan &plan)
{
    const Instances instances(plan);
    BytesByRole live{};
    std::vector<MemoryInstant> instants;
    walkLifetimes(
        plan, instances, [&](const Buffer &buffer, int) { ofRole(live, buffer.role) += buffer.bytes; },
        [&](const Buffer &buffer, int) { ofRole(live, buffer.role) -= buffer.bytes; },
        [&](const Visit &v) { instants.push_back({instanceOf(plan, v), live}); });
    return instants;
}

} // namespace slipway
