// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Iterates over a plan in execution order. The planner's walkers and the executor share it.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// Numbers the instances of all buffers from 0, so that a walker can keep its state in one vector.
class Instances {
public:
    explicit Instances(const StepPlan &plan)
    {
        m_buffers.reserve(plan.buffers.size());
        for (const Buffer &buffer : plan.buffers) {
            // One more than layers: a layer's input is an instance, and so is the last one's output.
            const int layers = buffer.perLayer ? plan.layers + 1 : 1;
            const int inFlight = buffer.scope == Scope::MicroBatch ? plan.microBatchesInFlight : 1;
            m_buffers.push_back({m_count, layers, inFlight});
            m_count += layers * inFlight;
        }
    }

    [[nodiscard]] int count() const { return m_count; }

    // The instance of `use` in a slot with this index (layer or chunk) of this micro-batch of the step.
    [[nodiscard]] int of(const Use &use, int slotIndex, int microBatch) const
    {
        const Range &range = m_buffers[index(use.buffer)];
        const int layer = range.layers > 1 ? slotIndex + use.layerShift : 0;
        return range.first + (range.inFlight > 1 ? microBatch % range.inFlight * range.layers : 0) + layer;
    }
    // All instances of a buffer: [first, first + size).
    [[nodiscard]] int first(BufferId id) const { return m_buffers[index(id)].first; }
    [[nodiscard]] int size(BufferId id) const { return m_buffers[index(id)].layers * m_buffers[index(id)].inFlight; }

private:
    struct Range {
        int first, layers, inFlight;
    };
    std::vector<Range> m_buffers;
    int m_count = 0;
};

struct Visit {
    const Slot &slot;
    const Op &op;
    int microBatch; // of the step
};

// Whether a walker visits every repetition of a segment, or one for all of them.
enum class Repetitions { All, Once };

// Calls visit(Visit) for every op of a step in its order.
//
// Repetitions::Once visits each segment once. This is enough for memory, because the same buffers are alive before and
// after a repetition.
template<typename Visitor>
void forEachOp(const StepPlan &plan, Repetitions repetitions, Visitor &&visit)
{
    int firstMicroBatch = 0;
    for (const Segment &segment : plan.schedule) {
        const int passes = repetitions == Repetitions::All ? segment.repeat : std::min(segment.repeat, 1);
        for (int pass = 0; pass < passes; ++pass) {
            for (const Slot &slot : segment.slots) {
                const int microBatch = firstMicroBatch + pass * segment.microBatches + slot.microBatch;
                for (const Op &op : plan.at(slot.block).ops)
                    visit(Visit{slot, op, microBatch});
            }
        }
        firstMicroBatch += segment.repeat * segment.microBatches;
    }
}

} // namespace slipway
