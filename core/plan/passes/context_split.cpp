// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/context_split.h"

namespace slipway::native {

void ContextSplit::transform(Block &block, BlockKind kind)
{
    RankSplit::transform(block, kind);
    if (kind != BlockKind::FinalNormBackward || !m_expertCounts)
        return;
    const Use counts = at(*m_expertCounts);
    block.ops.insert(block.ops.begin(), {.name = "sum_expert_counts",
                                            .kernel = m_b.collective(OpKind::AllReduce, DType::Fp32,
                                                m_b.plan.at(*m_expertCounts).bytes / sizeOf(DType::Fp32), m_group),
                                            .phase = Phase::Backward,
                                            .reads = {counts},
                                            .writes = {counts}});
}

KernelId ContextSplit::keyRows(OpKind kind) const
{
    return m_b.kernel({.kind = kind,
        .type = m_s.type,
        .m = m_s.tokens,
        .n = keyWidth(),
        .heads = m_s.heads,
        .kvHeads = m_s.kvHeads,
        .headDim = m_headDim});
}

// FlashAttention-2 sums the gradients of queries in fp32, and copies the output and its gradient. Results that are
// merged are multiplied in fp32. Vanilla attention holds up to three matrices of scores.
Kernel ContextSplit::attentionKernel(const Op &attention, int keyChunks, int keyCopies, Bytes held) const
{
    Kernel kernel = m_b.plan.at(attention.kernel);
    if (m_s.type != DType::Bf16)
        return kernel;
    const std::int64_t queries = m_s.tokens / 2;
    const Bytes element = sizeOf(m_s.type), wide = sizeOf(DType::Fp32),
                outputs = queries * m_s.qWidth * (3 * element + 2 * wide), statistics = 3 * queries * m_s.heads * wide,
                keys = keyBytes() / 2 * keyChunks,
                scores = m_s.attention == Attention::Flash ? 0 : queries * m_s.heads * m_s.wholeSeq * element;
    kernel.libraryBytes = outputs + statistics + keyCopies * keys + 3 * scores + held;
    return kernel;
}

Op ContextSplit::pack(const Op &attention, Use qkv, BufferId to) const
{
    return {.name = attention.name + "_pack_keys",
        .kernel = keyRows(OpKind::PackKeys),
        .phase = attention.phase,
        .reads = {qkv},
        .writes = {at(to)}};
}

Op ContextSplit::unpack(const Op &attention, BufferId from, Use dQkv) const
{
    return {.name = attention.name + "_unpack_keys",
        .kernel = keyRows(OpKind::UnpackKeys),
        .phase = attention.phase,
        .reads = {at(from), dQkv},
        .writes = {dQkv}};
}

} // namespace slipway::native
