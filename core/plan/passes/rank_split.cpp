// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/rank_split.h"

namespace slipway::native {

void RankSplit::transform(Block &block, BlockKind /*kind*/)
{
    std::vector<Op> ops;
    for (Op &op : block.ops)
        replace(ops, std::move(op));
    block.ops = std::move(ops);
}

BufferId RankSplit::buffer(const std::string &name, Bytes bytes, DType type)
{
    const auto known = m_buffers.find(name);
    if (known != m_buffers.end())
        return known->second;
    const BufferId made = m_b.buffer(
        {.name = name, .bytes = bytes, .type = type, .role = Role::Communication, .scope = Scope::MicroBatch});
    m_added.push_back(made);
    return m_buffers[name] = made;
}

} // namespace slipway::native
