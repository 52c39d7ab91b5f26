// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/lifetimes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "plan/walk.h"

namespace slipway {

namespace {

// The instance as a whole, as an allocation or a free names it.
Use whole(const Use &use) { return {.buffer = use.buffer, .layerShift = use.layerShift}; }

class Lifetimes {
public:
    explicit Lifetimes(StepPlan &plan)
        : m_plan(plan),
          m_instances(plan),
          m_alive(static_cast<std::size_t>(m_instances.count()), false),
          m_seen(plan.blocks.size(), false),
          m_represented(representedMicroBatches())
    {
        for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
            const auto id = static_cast<BufferId>(b);
            if (plan.at(id).scope == Scope::Run)
                std::fill_n(m_alive.begin() + m_instances.first(id), m_instances.size(id), true);
        }
        for (Block &block : plan.blocks) {
            for (Op &op : block.ops)
                op.allocations.clear();
        }
    }

    std::vector<std::string> run()
    {
        int firstMicroBatch = 0;
        for (const Segment &segment : m_plan.schedule) {
            const std::vector<char> before = segment.repeat > 1 ? m_alive : std::vector<char>();
            for (const Slot &slot : segment.slots) {
                const int microBatch = firstMicroBatch + slot.microBatch;
                if (const auto m = static_cast<std::size_t>(microBatch); m >= m_represented.size() || !m_represented[m])
                    visit(slot, microBatch);
            }
            firstMicroBatch += segment.repeat * segment.microBatches;
            // Walkers process one repetition for all. So a repetition must end with the same allocated buffers that it
            // began with.
            if (segment.repeat > 1 && m_alive != before)
                m_faults.push_back("a repeated segment changes the set of allocated buffers");
        }
        reportLeaks();
        return std::move(m_faults);
    }

private:
    // A step that holds all micro-batches (GPipe) lists the slots of each one. They have separate instances, so those
    // with the same slots allocate and free the same. The first and the last one of a row of such represent the others.
    [[nodiscard]] std::vector<char> representedMicroBatches() const
    {
        const auto all = static_cast<std::size_t>(m_plan.gradAccum);
        const auto repeats = [](const Segment &segment) { return segment.repeat > 1; };
        if (m_plan.microBatchesInFlight != m_plan.gradAccum || std::ranges::any_of(m_plan.schedule, repeats))
            return {};
        std::vector<std::vector<std::uint64_t>> slotsOf(all);
        int firstMicroBatch = 0;
        for (const Segment &segment : m_plan.schedule) {
            for (const Slot &slot : segment.slots) {
                const std::size_t m =
                    static_cast<std::size_t>(firstMicroBatch) + static_cast<std::size_t>(slot.microBatch);
                if (m < all)
                    slotsOf[m].push_back(
                        std::uint64_t{index(slot.block)} << 32 | static_cast<std::uint32_t>(slot.index));
            }
            firstMicroBatch += segment.repeat * segment.microBatches;
        }
        std::vector<char> represented(all, false);
        for (std::size_t m = 1; m + 1 < all; ++m)
            represented[m] = slotsOf[m] == slotsOf[m - 1] && slotsOf[m] == slotsOf[m + 1];
        return represented;
    }

    void visit(const Slot &slot, int microBatch)
    {
        Block &block = m_plan.blocks[index(slot.block)];
        const bool isNew = !std::exchange(m_seen[index(slot.block)], true);
        for (Op &op : block.ops) {
            const auto alive = [&](const Use &use) -> char & {
                return m_alive[static_cast<std::size_t>(m_instances.of(use, slot.index, microBatch))];
            };
            for (const Use &read : op.reads) {
                if (!alive(read))
                    fault(block, op, slot, "reads " + m_plan.at(read.buffer).name + ", which is not allocated");
            }
            std::size_t allocations = 0;
            bool asBefore = true;
            for (const Use &write : op.writes) {
                if (std::exchange(alive(write), true))
                    continue;
                if (isNew)
                    op.allocations.push_back(whole(write));
                else
                    asBefore &= allocations < op.allocations.size() && op.allocations[allocations] == whole(write);
                ++allocations;
            }
            if (!asBefore || allocations != op.allocations.size())
                fault(block, op, slot, "allocates other buffers than in an earlier slot; the block needs a variant");
            for (const Use &use : op.frees) {
                if (!std::exchange(alive(use), false))
                    fault(block, op, slot, "frees " + m_plan.at(use.buffer).name + ", which is not allocated");
            }
        }
    }

    void reportLeaks()
    {
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            const auto id = static_cast<BufferId>(b);
            const auto first = m_alive.begin() + m_instances.first(id);
            if (m_plan.at(id).scope != Scope::Run &&
                std::find(first, first + m_instances.size(id), true) != first + m_instances.size(id))
                m_faults.push_back(m_plan.at(id).name + " is not freed at the end of the step");
        }
    }

    void fault(const Block &block, const Op &op, const Slot &slot, const std::string &what)
    {
        m_faults.push_back(block.name + "/" + op.name + " [" + std::to_string(slot.index) + "] " + what);
    }

    StepPlan &m_plan;
    Instances m_instances;
    std::vector<char> m_alive;
    std::vector<char> m_seen;        // by block: allocations are known
    std::vector<char> m_represented; // by micro-batch of the step
    std::vector<std::string> m_faults;
};

} // namespace

std::vector<std::string> markAllocations(StepPlan &plan) { return Lifetimes(plan).run(); }

} // namespace slipway
