// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The messages of keys and values that the all-gather and the ring variant of context parallelism have in common. A
// sequence has 2 n equal chunks. Rank i of n has chunks i and 2 n - 1 - i, so that all ranks have the same number of
// query-key pairs under a causal mask. Ops that process tokens independently do not change.
#pragma once

#include <optional>
#include <string>

#include "plan/passes/rank_split.h"

namespace slipway::native {

class ContextSplit : public RankSplit {
public:
    explicit ContextSplit(const StrategyParts &parts)
        : RankSplit(parts.builder, parts.layout.contextGroup),
          m_s(parts.layout.sizes),
          m_headDim(parts.model.attention.headDim)
    {
        if (parts.layout.layer.experts)
            m_expertCounts = parts.layout.layer.experts->counts;
    }

    // Also sums how often each expert was chosen, which the load-balancing loss needs for whole sequences.
    void transform(Block &block, BlockKind kind) override;

protected:
    // The width of a token's keys and values, and the size of one rank's keys and values.
    [[nodiscard]] std::int64_t keyWidth() const { return std::int64_t{2} * m_s.kvHeads * m_headDim; }
    [[nodiscard]] std::int64_t keyElements() const { return m_s.tokens * keyWidth(); }
    [[nodiscard]] Bytes keyBytes() const { return keyElements() * sizeOf(m_s.type); }
    BufferId keys(const std::string &name, int ranksHeld = 1) { return buffer(name, ranksHeld * keyBytes(), m_s.type); }
    // The kernel of `attention` with what LibTorch allocates on a GPU: for one of a rank's two chunks of queries, the
    // outputs, sums and scores of attention to `keyChunks` chunks of keys, `keyCopies` copies of these keys or their
    // gradients, and `held` bytes of messages.
    [[nodiscard]] Kernel attentionKernel(const Op &attention, int keyChunks, int keyCopies, Bytes held) const;
    // Copy the keys and values of this rank from `qkv` to a contiguous buffer, and their gradients back.
    [[nodiscard]] Op pack(const Op &attention, Use qkv, BufferId to) const;
    [[nodiscard]] Op unpack(const Op &attention, BufferId from, Use dQkv) const;

    const Sizes &m_s;
    const int m_headDim;

private:
    std::optional<BufferId> m_expertCounts;

    [[nodiscard]] KernelId keyRows(OpKind kind) const;
};

} // namespace slipway::native
