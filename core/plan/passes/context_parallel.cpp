// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Splits the sequences of a step over context-parallel ranks. Of 2 n equal chunks, rank i of n has chunk i and chunk
// 2 n - 1 - i, so that all ranks see equally many pairs of a query and a key under a causal mask. Keys and values of
// all ranks are gathered in front of attention, and their gradients are reduced and scattered behind it (Grattafiori et
// al. 2024, arXiv 2407.21783, section 3.3.2).
// All that works token by token stays as it is.
#include <utility>

#include "plan/passes/rank_split.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class ContextParallel : public RankSplit {
public:
    explicit ContextParallel(const StrategyParts &parts)
        : RankSplit(parts.builder, parts.layout.contextGroup),
          m_s(parts.layout.sizes),
          m_headDim(parts.model.attention.headDim)
    {
    }

    // Around flash attention.
    void split(Block &block, BlockPlace place) override;

private:
    void gatherKeys(std::vector<Op> &ops, const Op &attention, Use qkv);
    void scatterGradients(std::vector<Op> &ops, const Op &attention, Use dQkv);
    [[nodiscard]] KernelId keyRows(OpKind kind) const;
    [[nodiscard]] KernelId collective(OpKind kind) const;
    // Elements of one rank's keys and values.
    [[nodiscard]] std::int64_t elements() const { return m_s.tokens * 2 * m_s.kvHeads * m_headDim; }
    BufferId keys(const std::string &name, int parts)
    {
        return buffer(name, parts * elements() * sizeOf(m_s.type), m_s.type);
    }

    const Sizes &m_s;
    const int m_headDim;
};

KernelId ContextParallel::keyRows(OpKind kind) const
{
    return m_b.kernel({.kind = kind,
        .type = m_s.type,
        .m = m_s.tokens,
        .n = std::int64_t{2} * m_s.kvHeads * m_headDim,
        .heads = m_s.heads,
        .kvHeads = m_s.kvHeads,
        .headDim = m_headDim});
}

KernelId ContextParallel::collective(OpKind kind) const
{
    return m_b.collective(kind, m_s.type, elements() * ranks(), m_group);
}

void ContextParallel::gatherKeys(std::vector<Op> &ops, const Op &attention, Use qkv)
{
    const BufferId own = keys("own_keys", 1), all = keys("all_keys", ranks());
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
    const BufferId own = keys("own_dkeys", 1), all = keys("all_dkeys", ranks());
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

void ContextParallel::split(Block &block, BlockPlace /*place*/)
{
    std::vector<Op> ops;
    for (Op &op : block.ops) {
        const OpKind kind = m_b.plan.at(op.kernel).kind;
        const bool forward = kind == OpKind::FlashAttention, backward = kind == OpKind::FlashAttentionBackward;
        if (forward || backward) {
            gatherKeys(ops, op, op.reads[forward ? 0 : 1]);
            op.reads.push_back(at(keys("all_keys", ranks())));
        }
        if (backward)
            op.writes.push_back(at(keys("all_dkeys", ranks())));
        ops.push_back(std::move(op));
        if (backward) {
            const Op attention = ops.back();
            scatterGradients(ops, attention, attention.writes.front());
        }
    }
    block.ops = std::move(ops);
}

} // namespace

StrategyPointer contextParallel(const StrategyParts &parts)
{
    return parts.layout.sizes.contextRanks > 1 ? std::make_unique<ContextParallel>(parts) : nullptr;
}

} // namespace slipway::native
