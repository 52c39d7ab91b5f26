// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/recompute.h"

#include <algorithm>

namespace slipway {

namespace {

bool contains(const std::vector<BufferId> &buffers, BufferId id) { return std::find(buffers.begin(), buffers.end(), id) != buffers.end(); }

bool writesAny(const Op &op, const std::vector<BufferId> &buffers)
{
    return std::any_of(op.writes.begin(), op.writes.end(), [&](const Use &w) { return contains(buffers, w.buffer); });
}

// Buffers that die within the block: they are not there when backward begins.
std::vector<BufferId> passing(const Block &block)
{
    std::vector<BufferId> buffers;
    for (const Op &op : block.ops) {
        for (const Use &use : op.frees)
            buffers.push_back(use.buffer);
    }
    return buffers;
}

// The ops that write what is needed, found from the end: each adds what it reads of what is gone.
std::vector<Op> closure(const Block &forward, std::vector<BufferId> needed, const std::vector<BufferId> &gone)
{
    std::vector<Op> ops;
    for (auto op = forward.ops.rbegin(); op != forward.ops.rend(); ++op) {
        if (!writesAny(*op, needed))
            continue;
        for (const Use &read : op->reads) {
            if (contains(gone, read.buffer) && !contains(needed, read.buffer))
                needed.push_back(read.buffer);
        }
        ops.insert(ops.begin(), *op);
    }
    return ops;
}

void freeAfterLastUse(Block &forward, BufferId buffer)
{
    const auto uses = [buffer](const std::vector<Use> &list) { return std::any_of(list.begin(), list.end(), [buffer](const Use &u) { return u.buffer == buffer; }); };
    const auto last = std::find_if(forward.ops.rbegin(), forward.ops.rend(), [&](const Op &op) { return uses(op.reads) || uses(op.writes); });
    if (last != forward.ops.rend())
        last->frees.push_back({.buffer = buffer});
}

} // namespace

void recompute(Block &forward, Block &backward, const std::vector<BufferId> &dropped)
{
    std::vector<BufferId> gone = passing(forward);
    gone.insert(gone.end(), dropped.begin(), dropped.end());
    std::vector<Op> again = closure(forward, dropped, gone);
    for (Op &op : again)
        op.phase = Phase::Recompute;
    for (const BufferId buffer : dropped)
        freeAfterLastUse(forward, buffer);
    backward.ops.insert(backward.ops.begin(), again.begin(), again.end());
}

} // namespace slipway
