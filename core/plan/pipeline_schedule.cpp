// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/pipeline_schedule.h"

namespace slipway {

namespace {

void addAlternating(StepPlan &plan, const StagePasses &passes, std::int64_t repeat, int count, bool reduces)
{
    if (repeat < 1 || count < 1)
        return;
    const AddMicroBatch backward = passes.backward(reduces);
    Segment segment{.repeat = static_cast<std::int32_t>(repeat), .microBatches = count};
    for (int i = 0; i < count; ++i) {
        passes.forward(segment, i);
        backward(segment, i - (plan.microBatchesInFlight - 1));
    }
    plan.schedule.push_back(std::move(segment));
}

} // namespace

int microBatchesHeld(const Parallelism &mesh, int stage)
{
    const int after = mesh.pp - 1 - stage, parts = mesh.virtualStages;
    return parts == 1 ? after + 1 : static_cast<int>(ceilDiv(2 * after + (parts - 1) * mesh.pp + 1, parts));
}

void addOneForwardOneBackward(StepPlan &plan, const StagePasses &passes)
{
    const int inFlight = plan.microBatchesInFlight, ahead = inFlight - 1;
    const std::int64_t steady = plan.gradAccum - ahead;
    if (ahead > 0) {
        Segment warmUp{.microBatches = ahead};
        for (int i = 0; i < ahead; ++i)
            passes.forward(warmUp, i);
        plan.schedule.push_back(std::move(warmUp));
    }
    const bool endsHere = ahead == 0;
    addAlternating(plan, passes, 1, 1, endsHere && steady == 1);
    // A repetition leaves alive what it found alive: it goes round all instances of what is in flight.
    const std::int64_t middle = steady - 1 - (endsHere && steady > 1 ? 1 : 0);
    addAlternating(plan, passes, middle / inFlight, inFlight, false);
    addAlternating(plan, passes, 1, static_cast<int>(middle % inFlight), false);
    if (endsHere) {
        addAlternating(plan, passes, steady > 1 ? 1 : 0, 1, true);
        return;
    }
    Segment drain{.microBatches = 0};
    const AddMicroBatch early = passes.backward(false), reducing = passes.backward(true);
    for (int i = 0; i < ahead; ++i)
        (i + 1 == ahead ? reducing : early)(drain, i - ahead);
    plan.schedule.push_back(std::move(drain));
}

} // namespace slipway
