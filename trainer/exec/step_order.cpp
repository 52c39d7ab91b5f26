// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/step_order.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "exec/live_buffers.h"
#include "plan/gather_limit.h"
#include "plan/walk.h"

namespace slipway {
namespace {

constexpr std::array<int, 2> kNever{-1, -1};

// The last ops on each stream that wrote or read a range of the arena.
struct Touched {
    Bytes end = 0;
    std::array<int, 2> writers = kNever, readers = kNever;
};

class History {
public:
    // Records the access, and returns the latest op of the other stream that must run before it.
    int read(Bytes begin, Bytes end, DeviceStream stream, int op) { return access(begin, end, stream, op, false); }
    int write(Bytes begin, Bytes end, DeviceStream stream, int op) { return access(begin, end, stream, op, true); }

private:
    int access(Bytes begin, Bytes end, DeviceStream stream, int op, bool writes)
    {
        const auto own = static_cast<std::size_t>(stream), other = 1 - own;
        split(begin);
        split(end);
        fill(begin, end);
        int before = -1;
        const auto first = m_ranges.find(begin), last = m_ranges.lower_bound(end);
        for (auto range = first; range != last; ++range) {
            before = std::max(before, range->second.writers[other]);
            if (writes)
                before = std::max(before, range->second.readers[other]);
            range->second.readers[own] = op;
        }
        if (writes) { // an op that waits for this one also waits for the ops that this one waited for
            Touched written{.end = end};
            written.writers[own] = op;
            m_ranges.erase(first, last);
            m_ranges.emplace(begin, written);
        }
        return before;
    }

    // Splits the range that contains `at`.
    void split(Bytes at)
    {
        auto range = m_ranges.upper_bound(at);
        if (range == m_ranges.begin())
            return;
        --range;
        if (range->first == at || range->second.end <= at)
            return;
        Touched rest = range->second;
        range->second.end = at;
        m_ranges.emplace(at, rest);
    }

    // Adds ranges that no op has accessed yet.
    void fill(Bytes begin, Bytes end)
    {
        for (Bytes at = begin; at < end;) {
            const auto next = m_ranges.lower_bound(at);
            if (next != m_ranges.end() && next->first == at) {
                at = next->second.end;
                continue;
            }
            const Bytes until = next == m_ranges.end() ? end : std::min(end, next->first);
            m_ranges.emplace(at, Touched{.end = until});
            at = until;
        }
    }

    std::map<Bytes, Touched> m_ranges; // by their begin
};

} // namespace

std::vector<OrderedOp> orderOf(const StepPlan &plan, int shard)
{
    std::vector<OrderedOp> ops;
    std::array<int, 2> passed = kNever; // by stream: the latest op of the other stream that it has waited for
    LiveBuffers live(plan, shard);
    History history;
    GatherLimit<int> limit(plan, -1);
    const Slot *block = nullptr; // the current one
    int blockMicroBatch = -1, computed = -1;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        const auto number = static_cast<int>(ops.size());
        OrderedOp op{.stream = deviceStreamOf(visit.op.stream)};
        if (&visit.slot != block || visit.microBatch != blockMicroBatch)
            limit.beginBlock(computed);
        block = &visit.slot;
        blockMicroBatch = visit.microBatch;
        for (const Use &use : visit.op.allocations)
            live.allocate(use, visit.slot.index, visit.microBatch);
        const auto range = [&](const Use &use) {
            const Bytes begin = live.offset(use, visit.slot.index, visit.microBatch);
            return std::pair(begin, begin + live.bytesFrom(use, visit.slot.index));
        };
        int before = visit.op.stream == Stream::Gather ? limit.earliest() : -1;
        if (op.stream == DeviceStream::Compute)
            computed = number;
        for (const Use &use : visit.op.reads)
            before = std::max(before, history.read(range(use).first, range(use).second, op.stream, number));
        for (const Use &use : visit.op.writes)
            before = std::max(before, history.write(range(use).first, range(use).second, op.stream, number));
        if (int &known = passed[static_cast<std::size_t>(op.stream)]; before > known) {
            op.waitsFor = known = before;
            ops[static_cast<std::size_t>(before)].signals = true;
        }
        ops.push_back(op);
        for (const Use &use : visit.op.frees)
            live.free(use, visit.slot.index, visit.microBatch);
    });
    return ops;
}

} // namespace slipway
