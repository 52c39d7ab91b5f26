// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "plan/step_plan.h"

namespace slipway {

// How early a gather may start by StepPlan::gathersAhead. `Mark` is a place on the compute stream: its latest op, or a
// time. The planner and the trainer both use it.
template<typename Mark>
class GatherLimit {
public:
    // `start`: the mark before the first op.
    GatherLimit(const StepPlan &plan, Mark start) : m_start(start), m_ahead(static_cast<std::size_t>(plan.gathersAhead))
    {
    }

    // Called at the beginning of each block, with the mark of the compute stream after the preceding ones.
    void beginBlock(Mark before)
    {
        m_before.push_back(before);
        if (m_before.size() > std::max<std::size_t>(1, m_ahead))
            m_before.pop_front();
    }

    // The mark after which a gather of the current block may start.
    [[nodiscard]] Mark earliest() const
    {
        return m_ahead > 0 && m_before.size() == m_ahead ? m_before.front() : m_start;
    }

private:
    Mark m_start;
    std::size_t m_ahead;
    std::deque<Mark> m_before; // of the latest blocks
};

} // namespace slipway
