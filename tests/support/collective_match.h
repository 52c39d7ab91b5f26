// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plays the messages of all ranks of a mesh, on plans alone: every collective must be met by all of its group with the
// same op and size, and every message received by the rank it was sent to.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/mesh.h"
#include "plan/walk.h"

namespace slipway::testing {

// When a message leaves its sender. Sending waits for nobody either way.
enum class HandOver {
    AtOnce,    // as over the host: the group keeps it
    OnReceive, // as by NCCL: when it is received, and what a rank says to a group is done in the order of its calls
};

class CollectiveMatch {
public:
    // A plan for each rank.
    explicit CollectiveMatch(const std::vector<const StepPlan *> &plans, HandOver sendToRunning = HandOver::AtOnce)
        : m_handOver(sendToRunning)
    {
        for (std::size_t rank = 0; rank < plans.size(); ++rank)
            m_ranks.push_back(
                {.calls = callsOf(*plans[rank], static_cast<int>(rank), static_cast<int>(plans.size())), .next = 0});
    }

    // What goes wrong first, in words; empty where all ranks come to their end.
    std::string run()
    {
        for (m_moved = true; m_moved;) {
            m_moved = false;
            for (int rank = 0; rank < static_cast<int>(m_ranks.size()); ++rank) {
                while (m_fault.empty() && step(rank))
                    m_moved = true;
            }
            if (!m_fault.empty())
                return m_fault;
        }
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            if (const Call *call = current(static_cast<int>(rank)))
                return fmt::format("rank {} waits in {} for ever", rank, call->name);
        }
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            if (!m_ranks[rank].held.empty())
                return fmt::format("rank {} holds a message that it never sends", rank);
        }
        for (const auto &[who, waiting] : m_posted) {
            if (!waiting.empty())
                return fmt::format("rank {} sends what rank {} never receives", who.first, waiting.front().peer);
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
        std::string group; // whose communicator it is: groups of all ranks have one, as GroupCommunicators has it
        OpKind kind{};
        Bytes bytes = 0;
        std::vector<int> members; // of the group
        int peer = 0;             // a rank
    };
    struct Rank {
        std::vector<Call> calls;
        std::size_t next = 0;
        bool isPosted = false;       // the receive that it stands in
        std::deque<Bytes> held = {}; // messages of a ring that wait for the next receive
    };
    struct Message {
        OpKind kind{};
        int peer = 0;
        Bytes bytes = 0;
    };

    static std::vector<Call> callsOf(const StepPlan &plan, int rank, int ranks)
    {
        std::vector<Call> calls;
        forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
            const Kernel &kernel = plan.at(visit.op.kernel);
            if (kernel.cost != CostClass::Communication)
                return;
            const Group &group = plan.groups[static_cast<std::size_t>(kernel.group)];
            Call call{.name = visit.op.name,
                .axis = group.axis,
                .group = group.size == ranks && !hasOwnOrder(group.axis) ? "all" : group.axis,
                .kind = kernel.kind,
                .bytes = kernel.messageBytes};
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
        if (m_handOver == HandOver::OnReceive && isMessage(*call))
            return isOfRing(*call) ? passOn(rank, *call) : post(rank, *call);
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

    // A send is left to itself; a receive holds its rank until it is done.
    bool post(int rank, const Call &call)
    {
        Rank &r = m_ranks[static_cast<std::size_t>(rank)];
        const std::string group = call.group;
        if (!r.isPosted) {
            m_posted[{rank, group}].push_back({call.kind, call.peer, call.bytes});
            r.isPosted = call.kind == OpKind::Receive;
            r.next += call.kind == OpKind::Send;
            m_moved = true;
        }
        const std::size_t before = r.next;
        while (exchange(rank, group)) {
        }
        return call.kind == OpKind::Send || r.next != before;
    }

    // The oldest messages of the rank and of its peer in a group, where they are each other's.
    bool exchange(int rank, const std::string &group)
    {
        std::deque<Message> &own = m_posted[{rank, group}];
        if (own.empty())
            return false;
        const int peer = own.front().peer;
        std::deque<Message> &others = m_posted[{peer, group}];
        if (others.empty() || others.front().peer != rank || others.front().kind == own.front().kind)
            return false;
        if (others.front().bytes != own.front().bytes)
            m_fault = fmt::format("ranks {} and {} name {} and {} bytes for a message", rank, peer, own.front().bytes,
                others.front().bytes);
        for (const int either : {rank, peer}) {
            std::deque<Message> &messages = m_posted[{either, group}];
            Rank &r = m_ranks[static_cast<std::size_t>(either)];
            if (messages.front().kind == OpKind::Receive) {
                r.isPosted = false;
                ++r.next;
            }
            messages.pop_front();
        }
        m_moved = true;
        exchange(peer, group); // what comes next there
        return true;
    }

    // In a ring, a message is sent together with the next receive: all of the group pass one on, or none does.
    static bool isOfRing(const Call &call) { return call.axis == "cp"; }
    bool passOn(int rank, const Call &call)
    {
        if (call.kind == OpKind::Send) {
            Rank &r = m_ranks[static_cast<std::size_t>(rank)];
            r.held.push_back(call.bytes);
            ++r.next;
            return true;
        }
        const std::vector<int> members = call.members;
        for (const int member : members) {
            const Call *other = current(member);
            if (!other || other->members != members || other->kind != OpKind::Receive || !isOfRing(*other))
                return false;
        }
        for (const int member : members) {
            const Call *other = current(member);
            const std::deque<Bytes> &held = m_ranks[static_cast<std::size_t>(other->peer)].held;
            if (held.empty() || held.front() != other->bytes)
                m_fault = fmt::format("rank {} expects {} bytes of rank {} in {}, which holds {}", member, other->bytes,
                    other->peer, other->name, held.empty() ? 0 : held.front());
        }
        for (const int member : members) {
            Rank &r = m_ranks[static_cast<std::size_t>(member)];
            if (!r.held.empty())
                r.held.pop_front();
            ++r.next;
        }
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
            if (const auto posted = m_posted.find({member, call.group});
                posted != m_posted.end() && !posted->second.empty())
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

    const HandOver m_handOver;
    std::vector<Rank> m_ranks;
    bool m_moved = false;
    std::map<std::pair<int, std::string>, std::deque<Message>> m_posted; // by rank and group; not handed over yet
    // Under way, by sender, receiver and group.
    std::map<std::tuple<int, int, std::string>, std::vector<Bytes>> m_messages;
    std::string m_fault;
};

} // namespace slipway::testing
