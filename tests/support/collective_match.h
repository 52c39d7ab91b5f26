// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plays the messages of all ranks of a mesh, on plans alone: every collective must be met by all of its group with the
// same op and size, and every message received by the rank it was sent to. Sending waits for nobody.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "plan/mesh.h"
#include "plan/walk.h"

namespace slipway::testing {

class CollectiveMatch {
public:
    // A plan for each rank.
    explicit CollectiveMatch(const std::vector<const StepPlan *> &plans)
    {
        for (std::size_t rank = 0; rank < plans.size(); ++rank)
            m_ranks.push_back({.calls = callsOf(*plans[rank], static_cast<int>(rank)), .next = 0});
    }

    // What goes wrong first, in words; empty where all ranks come to their end.
    std::string run()
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < static_cast<int>(m_ranks.size()); ++rank) {
                while (m_fault.empty() && step(rank))
                    moved = true;
            }
            if (!m_fault.empty())
                return m_fault;
        }
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            if (const Call *call = current(static_cast<int>(rank)))
                return fmt::format("rank {} waits in {} for ever", rank, call->name);
        }
        for (const auto &[way, messages] : m_messages) {
            if (!messages.empty())
                return fmt::format("rank {} sends what rank {} never receives", std::get<0>(way), std::get<1>(way));
        }
        return {};
    }

private:
    struct Call {
        std::string name, axis;
        OpKind kind{};
        Bytes bytes = 0;
        std::vector<int> members; // of the group
        int peer = 0;             // a rank
    };
    struct Rank {
        std::vector<Call> calls;
        std::size_t next = 0;
    };

    static std::vector<Call> callsOf(const StepPlan &plan, int rank)
    {
        std::vector<Call> calls;
        forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
            const Kernel &kernel = plan.at(visit.op.kernel);
            if (kernel.cost != CostClass::Communication)
                return;
            const Group &group = plan.groups[static_cast<std::size_t>(kernel.group)];
            Call call{.name = visit.op.name, .axis = group.axis, .kind = kernel.kind, .bytes = kernel.messageBytes};
            const int first = rank - rank / group.stride % group.size * group.stride;
            for (int i = 0; i < group.size; ++i)
                call.members.push_back(first + i * group.stride);
            const int place = (rank - first) / group.stride;
            call.peer = call.members[static_cast<std::size_t>((place + group.size + kernel.peer) % group.size)];
            calls.push_back(std::move(call));
        });
        return calls;
    }

    [[nodiscard]] const Call *current(int rank) const
    {
        const Rank &r = m_ranks[static_cast<std::size_t>(rank)];
        return r.next < r.calls.size() ? &r.calls[r.next] : nullptr;
    }

    bool step(int rank)
    {
        const Call *call = current(rank);
        if (!call)
            return false;
        if (call->kind == OpKind::Send) {
            m_messages[{rank, call->peer, call->axis}].push_back(call->bytes);
        } else if (call->kind == OpKind::Receive) {
            std::vector<Bytes> &waiting = m_messages[{call->peer, rank, call->axis}];
            if (waiting.empty())
                return false;
            if (waiting.front() != call->bytes)
                m_fault = fmt::format("rank {} expects {} bytes of rank {} in {}, which sends {}", rank, call->bytes,
                    call->peer, call->name, waiting.front());
            waiting.erase(waiting.begin());
        } else {
            return meet(*call);
        }
        ++m_ranks[static_cast<std::size_t>(rank)].next;
        return true;
    }

    static bool isMessage(const Call &call) { return call.kind == OpKind::Send || call.kind == OpKind::Receive; }

    // All of the group stand in the same call, or none goes on.
    bool meet(const Call &call)
    {
        for (const int member : call.members) {
            const Call *other = current(member);
            if (!other || other->members != call.members || isMessage(*other))
                return false;
            if (other->kind != call.kind || other->bytes != call.bytes)
                m_fault = fmt::format("rank {} calls {} of {} bytes where rank {} calls {} of {}", call.members.front(),
                    enumName(call.kind), call.bytes, member, enumName(other->kind), other->bytes);
        }
        const std::vector<int> members = call.members;
        for (const int member : members)
            ++m_ranks[static_cast<std::size_t>(member)].next;
        return true;
    }

    std::vector<Rank> m_ranks;
    // Under way, by sender, receiver and group.
    std::map<std::tuple<int, int, std::string>, std::vector<Bytes>> m_messages;
    std::string m_fault;
};

} // namespace slipway::testing
