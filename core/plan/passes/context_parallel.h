// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Splits the sequences of a step over context-parallel ranks. Of 2 n equal chunks, rank i of n has chunk i and chunk
// 2 n - 1 - i, so that all ranks see equally many pairs of a query and a key under a causal mask. Keys and values of
// all ranks are gathered in front of attention, and their gradients are reduced and scattered behind it (Grattafiori et
// al. 2024, arXiv 2407.21783, section 3.3.2).
//
// Blocks come with the shapes of one rank already (native/sizes.h). All that works token by token stays as it is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plan_builder.h"

namespace slipway {

// What attention reads of a micro-batch on one rank.
struct KeyShape {
    std::int64_t tokens = 0;
    int heads = 0, kvHeads = 0, headDim = 0;
    DType type = DType::Fp32;
};

class ContextParallel {
public:
    // `group`: of the builder's plan.
    ContextParallel(PlanBuilder &builder, GroupId group, KeyShape keys) : m_b(builder), m_group(group), m_keys(keys) {}

    // Around flash attention. Buffers that it adds die within the block, but nothing frees them yet: see added().
    void split(Block &block);
    [[nodiscard]] const std::vector<BufferId> &added() const { return m_added; }

private:
    void gatherKeys(std::vector<Op> &ops, const Op &attention, Use qkv);
    void scatterGradients(std::vector<Op> &ops, const Op &attention, Use dQkv);
    [[nodiscard]] KernelId keyRows(OpKind kind) const;
    [[nodiscard]] KernelId collective(OpKind kind) const;
    // Elements of one rank's keys and values.
    [[nodiscard]] std::int64_t elements() const { return m_keys.tokens * 2 * m_keys.kvHeads * m_keys.headDim; }
    [[nodiscard]] int ranks() const { return m_b.plan.groups[static_cast<std::size_t>(m_group)].size; }
    BufferId buffer(const std::string &name, int parts);

    PlanBuilder &m_b;
    GroupId m_group;
    KeyShape m_keys;
    std::map<std::string, BufferId> m_buffers; // by name
    std::vector<BufferId> m_added;
};

} // namespace slipway
