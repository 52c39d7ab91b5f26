// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/recompute.h"

#include <algorithm>
#include <ranges>

namespace slipway {

namespace {

bool contains(const std::vector<BufferId> &buffers, BufferId id)
{
    return std::find(buffers.begin(), buffers.end(), id) != buffers.end();
}

bool writesAny(const Op &op, const std::vector<BufferId> &buffers)
{
    return std::any_of(op.writes.begin(), op.writes.end(), [&](const Use &w) { return contains(buffers, w.buffer); });
}

// Buffers that are freed within the block, before backward begins.
std::vector<BufferId> passing(const Block &block)
{
    std::vector<BufferId> buffers;
    for (const Op &op : block.ops) {
        for (const Use &use : op.frees)
            buffers.push_back(use.buffer);
    }
    return buffers;
}

// Whether the op frees everything that it writes: it is an intermediate step of the next op.
bool leavesNothing(const Op &op)
{
    return std::all_of(op.writes.begin(), op.writes.end(),
        [&](const Use &w) { return std::find(op.frees.begin(), op.frees.end(), w) != op.frees.end(); });
}

// The ops that write the needed buffers, found from the end. Each adds the freed buffers that it reads.
std::vector<Op> closure(
    const Block &forward, std::vector<BufferId> needed, const std::vector<BufferId> &gone, bool whole)
{
    std::vector<Op> ops;
    bool taken = false; // whether the following op is taken
    for (const Op &op : std::views::reverse(forward.ops)) {
        taken = whole || writesAny(op, needed) || (taken && leavesNothing(op));
        if (!taken)
            continue;
        for (const Use &read : op.reads) {
            if (contains(gone, read.buffer) && !contains(needed, read.buffer))
                needed.push_back(read.buffer);
        }
        ops.insert(ops.begin(), op);
    }
    return ops;
}

// Returns the ops that compute `dropped` again. `forward` no longer frees `held`.
std::vector<Op> opsAgain(
    Block &forward, const std::vector<BufferId> &dropped, const std::vector<BufferId> &held, bool whole)
{
    for (Op &op : forward.ops)
        std::erase_if(op.frees, [&](const Use &use) { return contains(held, use.buffer); });
    std::vector<BufferId> gone = passing(forward);
    gone.insert(gone.end(), dropped.begin(), dropped.end());
    return closure(forward, dropped, gone, whole);
}

bool uses(const std::vector<Use> &list, BufferId buffer)
{
    return std::any_of(list.begin(), list.end(), [buffer](const Use &u) { return u.buffer == buffer; });
}

// Frees the buffer after its last use, unless the last op that uses it already does.
void freeAfterLastUse(std::vector<Op> &ops, BufferId buffer)
{
    const auto last = std::find_if(
        ops.rbegin(), ops.rend(), [&](const Op &op) { return uses(op.reads, buffer) || uses(op.writes, buffer); });
    if (last != ops.rend() && !uses(last->frees, buffer))
        last->frees.push_back({.buffer = buffer});
}

} // namespace

std::vector<BufferId> readByRecomputation(
    Block forward, const std::vector<BufferId> &dropped, const std::vector<BufferId> &held)
{
    std::vector<BufferId> read;
    for (const Op &op : opsAgain(forward, dropped, held, false)) {
        for (const Use &use : op.reads) {
            if (contains(held, use.buffer) && !contains(read, use.buffer))
                read.push_back(use.buffer);
        }
    }
    return read;
}

void recompute(Block &forward, Block &backward, const std::vector<BufferId> &dropped, const std::vector<BufferId> &held,
    Recomputation how)
{
    std::vector<Op> again = opsAgain(forward, dropped, held, how.whole);
    for (Op &op : again) {
        op.phase = Phase::Recompute;
        // The output of the layer is recomputed, although nothing uses it. torch.utils.checkpoint holds it until
        // the layer's backward pass is done.
        for (const Use &write : op.writes) {
            if (write.layerShift != 0)
                (how.whole ? backward.ops.back() : op).frees.push_back(write);
        }
    }
    // The op that freed a temporary buffer of forward may be missing.
    for (const BufferId buffer : passing(forward)) {
        if (!contains(dropped, buffer))
            freeAfterLastUse(again, buffer);
    }
    for (const BufferId buffer : dropped)
        freeAfterLastUse(forward.ops, buffer);
    for (const BufferId buffer : held) {
        const auto user = std::find_if(again.rbegin(), again.rend(),
            [&](const Op &op) { return uses(op.reads, buffer) || uses(op.writes, buffer); });
        (user != again.rend() ? *user
            : again.empty()   ? backward.ops.front()
                              : again.front())
            .frees.push_back({.buffer = buffer});
    }
    const auto needs = [&](const Op &op) {
        return !how.late || std::any_of(op.reads.begin(), op.reads.end(),
                                [&](const Use &read) { return contains(dropped, read.buffer); });
    };
    backward.ops.insert(std::find_if(backward.ops.begin(), backward.ops.end(), needs), again.begin(), again.end());
}

void offload(Block &forward, Block &backward, const std::vector<BufferId> &buffers,
    const std::function<KernelId(BufferId)> &copy)
{
    std::vector<Op> back;
    for (const BufferId buffer : buffers) {
        forward.ops.push_back({.name = "offload",
            .kernel = copy(buffer),
            .stream = Stream::Copy,
            .reads = {{.buffer = buffer}},
            .frees = {{.buffer = buffer}}});
        back.push_back({.name = "fetch",
            .kernel = copy(buffer),
            .stream = Stream::Copy,
            .phase = Phase::Backward,
            .writes = {{.buffer = buffer}}});
    }
    backward.ops.insert(backward.ops.begin(), back.begin(), back.end());
}

} // namespace slipway
