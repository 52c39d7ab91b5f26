// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/context_parallel.h"

#include <utility>

namespace slipway {

namespace {

Use at(BufferId buffer) { return {.buffer = buffer}; }

} // namespace

KernelId ContextParallel::keyRows(OpKind kind) const
{
    return m_b.kernel({.kind = kind,
        .type = m_keys.type,
        .m = m_keys.tokens,
        .n = std::int64_t{2} * m_keys.kvHeads * m_keys.headDim,
        .heads = m_keys.heads,
        .kvHeads = m_keys.kvHeads,
        .headDim = m_keys.headDim});
}

KernelId ContextParallel::collective(OpKind kind) const
{
    return m_b.collective(kind, m_keys.type, elements() * ranks(), m_group);
}

BufferId ContextParallel::buffer(const std::string &name, int parts)
{
    const auto known = m_buffers.find(name);
    if (known != m_buffers.end())
        return known->second;
    const BufferId made = m_b.buffer({.name = name,
        .bytes = parts * elements() * sizeOf(m_keys.type),
        .type = m_keys.type,
        .role = Role::Communication,
        .scope = Scope::MicroBatch});
    m_added.push_back(made);
    return m_buffers[name] = made;
}

void ContextParallel::gatherKeys(std::vector<Op> &ops, const Op &attention, Use qkv)
{
    const BufferId own = buffer("own_keys", 1), all = buffer("all_keys", ranks());
    ops.push_back({.name = attention.name + "_pack_keys",
        .kernel = keyRows(OpKind::PackKeys),
        .phase = attention.phase,
        .reads = {qkv},
        .writes = {at(own)}});
    ops.push_back({.name = attention.name + "_gather_keys",
        .kernel = collective(OpKind::AllGather),
        .phase = attention.phase,
        .reads = {at(own)},
        .writes = {at(all)}});
}

void ContextParallel::scatterGradients(std::vector<Op> &ops, const Op &attention, Use dQkv)
{
    const BufferId own = buffer("own_dkeys", 1), all = buffer("all_dkeys", ranks());
    ops.push_back({.name = attention.name + "_scatter_keys",
        .kernel = collective(OpKind::ReduceScatter),
        .phase = attention.phase,
        .reads = {at(all)},
        .writes = {at(own)}});
    ops.push_back({.name = attention.name + "_unpack_keys",
        .kernel = keyRows(OpKind::UnpackKeys),
        .phase = attention.phase,
        .reads = {at(own), dQkv},
        .writes = {dQkv}});
}

void ContextParallel::split(Block &block)
{
    std::vector<Op> ops;
    for (Op &op : block.ops) {
        const OpKind kind = m_b.plan.at(op.kernel).kind;
        const bool forward = kind == OpKind::FlashAttention, backward = kind == OpKind::FlashAttentionBackward;
        if (forward || backward) {
            gatherKeys(ops, op, op.reads[forward ? 0 : 1]);
            op.reads.push_back(at(buffer("all_keys", ranks())));
        }
        if (backward)
            op.writes.push_back(at(buffer("all_dkeys", ranks())));
        ops.push_back(std::move(op));
        if (backward) {
            const Op attention = ops.back();
            scatterGradients(ops, attention, attention.writes.front());
        }
    }
    block.ops = std::move(ops);
}

} // namespace slipway
