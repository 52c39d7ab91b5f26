// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What strategies share that split a block over the ranks of one axis: their group, and the buffers that they add by
// name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/passes/strategy.h"

namespace slipway::native {

class RankSplit : public Strategy {
public:
    // `group`: of the builder's plan.
    RankSplit(PlanBuilder &builder, GroupId group) : m_b(builder), m_group(group) {}

    [[nodiscard]] std::vector<BufferId> added() const override { return m_added; }

protected:
    [[nodiscard]] int ranks() const { return m_b.plan.groups[static_cast<std::size_t>(m_group)].size; }
    // The one of this name, made when it is first asked for. It dies within its block.
    BufferId buffer(const std::string &name, Bytes bytes, DType type);

    PlanBuilder &m_b;
    const GroupId m_group;

private:
    std::map<std::string, BufferId> m_buffers; // by name
    std::vector<BufferId> m_added;
};

} // namespace slipway::native
