// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/context_split.h"

namespace slipway::native {

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
