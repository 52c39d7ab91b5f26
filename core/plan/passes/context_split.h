// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The messages of keys and values that gather and ring have in common. A sequence has 2 n equal chunks. Rank i of n has
// chunks i and 2 n - 1 - i, so all ranks have equally many pairs of query and key under a causal mask. Ops that work
// token by token do not change.
#pragma once

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
    }

protected:
    // Of one rank: keys and values of each token.
    [[nodiscard]] std::int64_t keyWidth() const { return std::int64_t{2} * m_s.kvHeads * m_headDim; }
    [[nodiscard]] std::int64_t keyElements() const { return m_s.tokens * keyWidth(); }
    [[nodiscard]] Bytes keyBytes() const { return keyElements() * sizeOf(m_s.type); }
    BufferId keys(const std::string &name, int ranksHeld = 1) { return buffer(name, ranksHeld * keyBytes(), m_s.type); }
    // From `qkv`, and back to it.
    [[nodiscard]] Op pack(const Op &attention, Use qkv, BufferId to) const;
    [[nodiscard]] Op unpack(const Op &attention, BufferId from, Use dQkv) const;

    const Sizes &m_s;
    const int m_headDim;

private:
    [[nodiscard]] KernelId keyRows(OpKind kind) const;
};

} // namespace slipway::native
