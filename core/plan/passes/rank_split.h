// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The base of strategies that shard a block over the ranks of one axis: their group, the iteration over the ops of a
// block, and the buffers that they add.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/passes/strategy.h"

namespace slipway::native {

class RankSplit : public Strategy {
public:
    // `group`: a group of the builder's plan.
    RankSplit(PlanBuilder &builder, GroupId group) : m_b(builder), m_group(group) {}

    // Replaces the ops one by one, whatever the kind of the block.
    void transform(Block &block, BlockKind kind) override;
    [[nodiscard]] std::vector<BufferId> addedBuffers() const override { return m_added; }

protected:
    // Appends the ops that replace `op`.
    virtual void replace(std::vector<Op> &ops, Op op) { ops.push_back(std::move(op)); }
    [[nodiscard]] int ranks() const { return m_b.plan.groups[static_cast<std::size_t>(m_group)].size; }
    // The buffer of this name, added on first use. It is freed in its block.
    BufferId buffer(const std::string &name, Bytes bytes, DType type);

    PlanBuilder &m_b;
    const GroupId m_group;

private:
    std::map<std::string, BufferId> m_buffers; // by name
    std::vector<BufferId> m_added;
};

} // namespace slipway::native
