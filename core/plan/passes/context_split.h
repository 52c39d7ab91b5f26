// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What both ways share in which context-parallel ranks see each other's tokens: the keys and values of a rank as a
// message. Of 2 n equal chunks of a sequence, rank i of n has chunk i and chunk 2 n - 1 - i, so that all ranks see
// equally many pairs of a query and a key under a causal mask. All that works token by token stays as it is.
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
