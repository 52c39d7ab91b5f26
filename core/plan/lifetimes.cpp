// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/lifetimes.h"

#include <algorithm>

#include "plan/walk.h"

namespace slipway {

namespace {

// An instance as a birth or a death names it: all of it.
Use whole(const Use &use) { return {.buffer = use.buffer, .layerShift = use.layerShift}; }

class Lifetimes {
public:
    explicit Lifetimes(StepPlan &plan) : m_plan(plan), m_instances(plan), m_alive(static_cast<std::size_t>(m_instances.count()), false)
    {
        for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
            const auto id = static_cast<BufferId>(b);
            if (plan.at(id).scope == Scope::Run)
                std::fill_n(m_alive.begin() + m_instances.first(id), m_instances.size(id), true);
        }
        for (const Block &block : plan.blocks)
            m_seen.emplace_back(block.ops.size(), false);
    }

    std::vector<std::string> run()
    {
        // Twice through each repetition would find nothing that once does not, if a repetition leaves what it found.
        for (const Segment &segment : m_plan.schedule) {
            for (int pass = 0; pass < std::min(segment.repeat, 2); ++pass) {
                for (const Slot &slot : segment.slots)
                    visit(slot, pass * segment.microBatches + slot.microBatch);
            }
        }
        reportLeaks();
        return std::move(m_faults);
    }

private:
    void visit(const Slot &slot, int microBatch)
    {
        Block &block = m_plan.blocks[index(slot.block)];
        for (std::size_t i = 0; i < block.ops.size(); ++i) {
            Op &op = block.ops[i];
            const auto alive = [&](const Use &use) -> std::vector<bool>::reference { return m_alive[static_cast<std::size_t>(m_instances.of(use, slot.index, microBatch))]; };
            std::vector<Use> births;
            for (const Use &write : op.writes) {
                if (!alive(write)) {
                    births.push_back(whole(write));
                    alive(write) = true;
                }
            }
            for (const Use &read : op.reads) {
                const bool bornHere = std::find(births.begin(), births.end(), whole(read)) != births.end();
                if (!alive(read) || bornHere)
                    fault(block, op, slot, "reads " + m_plan.at(read.buffer).name + ", which is not alive");
            }
            for (const Use &use : op.frees) {
                if (!alive(use))
                    fault(block, op, slot, "frees " + m_plan.at(use.buffer).name + ", which is not alive");
                alive(use) = false;
            }
            if (m_seen[index(slot.block)][i] && births != op.births)
                fault(block, op, slot, "bears other buffers than in an earlier slot; the block needs a variant");
            op.births = std::move(births);
            m_seen[index(slot.block)][i] = true;
        }
    }

    void reportLeaks()
    {
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            const auto id = static_cast<BufferId>(b);
            const auto first = m_alive.begin() + m_instances.first(id);
            if (m_plan.at(id).scope != Scope::Run && std::find(first, first + m_instances.size(id), true) != first + m_instances.size(id))
                m_faults.push_back(m_plan.at(id).name + " outlives the step");
        }
    }

    void fault(const Block &block, const Op &op, const Slot &slot, const std::string &what)
    {
        m_faults.push_back(block.name + "/" + op.name + " [" + std::to_string(slot.index) + "] " + what);
    }

    StepPlan &m_plan;
    Instances m_instances;
    std::vector<bool> m_alive;
    std::vector<std::vector<bool>> m_seen;
    std::vector<std::string> m_faults;
};

} // namespace

std::vector<std::string> markBirths(StepPlan &plan) { return Lifetimes(plan).run(); }

} // namespace slipway
