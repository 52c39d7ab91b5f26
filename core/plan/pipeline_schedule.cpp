// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/pipeline_schedule.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace slipway {

namespace {

// The slots of each model chunk of a stage. The first chunk has `before` fewer layers than the others, and the last
// `after` fewer. Slots that are no layers belong to the first or the last chunk.
std::vector<std::vector<Slot>> slotsByModelChunk(
    const StepPlan &plan, const std::vector<Slot> &slots, int modelChunks, int before, int after)
{
    std::vector<std::vector<Slot>> list(static_cast<std::size_t>(modelChunks));
    const int each = (before + plan.layers + after) / modelChunks;
    int layer = 0;
    for (const Slot &slot : slots) {
        const bool layered = plan.at(slot.block).layered;
        list[static_cast<std::size_t>(!layered && layer == 0 ? 0 : std::min(modelChunks - 1, (before + layer) / each))]
            .push_back(slot);
        layer += layered && layer < plan.layers ? 1 : 0;
    }
    return list;
}

void addPair(const StepPlan &plan, Segment &segment, const std::vector<Slot> &forward,
    const std::vector<Slot> &backward, Interleaving in)
{
    const std::vector<std::vector<Slot>> there = slotsByModelChunk(plan, forward, in.modelChunks, in.before, in.after),
                                         back = slotsByModelChunk(plan, backward, in.modelChunks, in.after, in.before);
    const auto add = [&](const std::vector<Slot> &slots) {
        segment.slots.insert(segment.slots.end(), slots.begin(), slots.end());
    };
    std::for_each(there.begin(), there.begin() + in.ahead, add);
    for (std::size_t i = 0; i < back.size(); ++i) {
        add(back[i]);
        if (const std::size_t next = i + static_cast<std::size_t>(in.ahead); next < there.size())
            add(there[next]);
    }
}

void addAlternating(
    StepPlan &plan, const StagePasses &passes, std::int64_t repeat, int count, bool reduces, Interleaving in)
{
    if (repeat < 1 || count < 1)
        return;
    const AddMicroBatch backward = passes.backward(reduces);
    Segment segment{.repeat = static_cast<std::int32_t>(repeat), .microBatches = count};
    for (int i = 0; i < count; ++i) {
        Segment there, back;
        passes.forward(there, i);
        backward(back, i - (plan.microBatchesInFlight - 1));
        addPair(plan, segment, there.slots, back.slots, in);
    }
    plan.schedule.push_back(std::move(segment));
}

} // namespace

int maxMicroBatchesInFlight(const Parallelism &mesh, int stage)
{
    const int after = mesh.pp - 1 - stage, chunks = mesh.virtualStages;
    return chunks == 1 ? after + 1 : static_cast<int>(ceilDiv(2 * after + (chunks - 1) * mesh.pp + 1, chunks));
}

int modelChunksOfLastInFlight(const Parallelism &mesh, int stage)
{
    const int after = mesh.pp - 1 - stage, chunks = mesh.virtualStages;
    return chunks == 1 ? 1 : (2 * after + (chunks - 1) * mesh.pp) % chunks + 1;
}

void addOneForwardOneBackward(StepPlan &plan, const StagePasses &passes, Interleaving in)
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
    addAlternating(plan, passes, 1, 1, endsHere && steady == 1, in);
    // A repetition must end with the same allocated buffers that it began with. So it passes all instances of the
    // micro-batches in flight.
    const std::int64_t middle = steady - 1 - (endsHere && steady > 1 ? 1 : 0);
    addAlternating(plan, passes, middle / inFlight, inFlight, false, in);
    addAlternating(plan, passes, 1, static_cast<int>(middle % inFlight), false, in);
    if (endsHere) {
        addAlternating(plan, passes, steady > 1 ? 1 : 0, 1, true, in);
        return;
    }
    Segment drain{.microBatches = 0};
    const AddMicroBatch early = passes.backward(false), reducing = passes.backward(true);
    for (int i = 0; i < ahead; ++i)
        (i + 1 == ahead ? reducing : early)(drain, i - ahead);
    plan.schedule.push_back(std::move(drain));
}

} // namespace slipway
