// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/first_steps.h"

#include "memory/replay.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "predict/op_location.h"

namespace slipway {

namespace {

FirstSteps::Point pointAt(const StepPlan &plan, const OpInstance &at, int step)
{
    Instant where = opLocation(plan, at);
    return {.step = step, .op = std::move(where.op), .layer = where.layer, .phase = where.phase};
}

// All buffers that live for the whole run are allocated from the first op on.
void addArena(FirstSteps &first, const StepPlan &plan)
{
    const Bytes arena = peakMemory(plan).withLibraries();
    const std::vector<MemoryInstant> instants = memoryInstants(plan);
    for (int step = 1; step <= kFirstSteps; ++step) {
        for (const MemoryInstant &instant : instants) {
            FirstSteps::Point point = pointAt(plan, instant.at, step);
            point.bytes = instant.byRole;
            for (const Bytes bytes : instant.byRole)
                point.allocated += bytes;
            point.reserved = arena;
            first.points.push_back(std::move(point));
        }
    }
    first.outOfMemory = arena > first.usable;
}

// The limit of the device applies only if it is reached and free segments can be returned. If the memory does not fit,
// it is shown without the limit. `held` is allocated all the time.
void addReplay(FirstSteps &first, const StepPlan &plan, bool expandable, Bytes held)
{
    const Bytes limit = first.usable - held;
    const AllocationTrace trace = allocationTrace(plan, ReplayDetail::Points);
    Replay shown = replay(trace, {.expandable = expandable}, kFirstSteps);
    first.outOfMemory = shown.peakReserved > limit;
    if (first.outOfMemory && shown.peakAllocated <= limit) {
        Replay limited = replay(trace, {.limit = limit, .expandable = expandable}, kFirstSteps);
        first.outOfMemory = limited.outOfMemory;
        if (!limited.outOfMemory)
            shown = std::move(limited);
    }
    first.retries = shown.retries;
    for (const ReplayPoint &at : shown.points) {
        FirstSteps::Point point = pointAt(plan, at.at, at.step);
        point.allocated = at.allocated + held;
        point.reserved = at.reserved + held;
        point.bytes = at.byRole;
        point.bytes[static_cast<std::size_t>(Role::Workspace)] += held;
        first.points.push_back(std::move(point));
    }
}

} // namespace

Result<FirstSteps> firstSteps(const RunConfig &config, const Catalogue &catalogue, std::size_t stage)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    const Result<RunPlan> plan = buildPlan(resolved->config, resolved->model);
    if (!plan)
        return plan.error();
    FirstSteps first{
        .usable = static_cast<Bytes>(
            double(capacityOf(*resolved) - calibratedOutsideAllocatorMemory(*resolved, catalogue.rates).bytes) /
            measuredToPlannedMemory(*resolved))};
    if (config.framework == Framework::Slipway)
        addArena(first, stageOf(*plan, stage));
    else
        addReplay(first, stageOf(*plan, stage), config.simulated.expandableSegments, reservedBeyondPlan(*resolved));
    return first;
}

} // namespace slipway
