// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/first_collectives.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "exec/op_operands.h"

namespace slipway {
namespace {

std::size_t place(GroupId group) { return static_cast<std::size_t>(group); }

struct Collective {
    OpKind kind;
    GroupId group;
    DType type;
    Bytes bytes; // size of the whole message; of an all-to-all, of what is sent and received
    auto operator<=>(const Collective &) const = default;
};

// A message to the next stage of a pipeline, or from the preceding one.
struct Message {
    OpKind kind;
    GroupId group;
    int peer; // distance in the group
    Bytes bytes;
    auto operator<=>(const Message &) const = default;
};

std::set<Message> messagesOf(const StepPlan &plan, std::span<Communicator *const> groups)
{
    std::set<Message> found;
    for (const Kernel &kernel : plan.kernels) {
        if ((kernel.kind == OpKind::Send || kernel.kind == OpKind::Receive) && groups[place(kernel.group)]->onDevice())
            found.insert({kernel.kind, kernel.group, kernel.peer, kernel.messageBytes});
    }
    return found;
}

// Bytes that a rank sends to each other one in the first all-to-all. NCCL connects two ranks at their first message,
// whatever its size.
constexpr Bytes kFirstExchange = 256;

std::vector<Collective> collectivesOf(const StepPlan &plan, std::span<Communicator *const> groups)
{
    std::vector<Collective> found;
    for (const Kernel &kernel : plan.kernels) {
        const bool known = kernel.kind == OpKind::AllReduce || kernel.kind == OpKind::ReduceScatter ||
                           kernel.kind == OpKind::AllGather || kernel.kind == OpKind::AllToAll;
        if (known && place(kernel.group) < groups.size() && groups[place(kernel.group)]->onDevice())
            found.push_back({kernel.kind, kernel.group, kernel.type,
                kernel.kind == OpKind::AllToAll ? 2 * kFirstExchange * groups[place(kernel.group)]->size()
                                                : kernel.messageBytes});
    }
    std::sort(found.begin(), found.end(), [](const Collective &a, const Collective &b) {
        return std::tuple(-a.bytes, a.kind, a.group, a.type) < std::tuple(-b.bytes, b.kind, b.group, b.type);
    });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// Runs in place, as NCCL allows: each rank's shard is its range of the whole buffer. An all-to-all receives in the
// second half of the buffer.
void run(const Collective &collective, Communicator &group, std::byte *memory, void *stream)
{
    DeviceGroup &device = *group.onDevice();
    const Bytes part = collective.bytes / group.size();
    std::byte *const own = memory + part * group.rank();
    auto *const floats = reinterpret_cast<float *>(memory);
    const bool narrow = collective.type == DType::Bf16;
    const auto count = [&](Bytes bytes) { return static_cast<std::size_t>(bytes / sizeOf(collective.type)); };
    switch (collective.kind) {
    case OpKind::AllReduce:
        return narrow ? device.allReduceSumBf16(memory, count(collective.bytes), stream)
                      : device.allReduceSum(floats, count(collective.bytes), stream);
    case OpKind::ReduceScatter:
        return narrow ? device.reduceScatterSumBf16(memory, own, count(part), stream)
                      : device.reduceScatterSum(floats, reinterpret_cast<float *>(own), count(part), stream);
    case OpKind::AllToAll: {
        const std::vector<std::size_t> each(
            static_cast<std::size_t>(group.size()), static_cast<std::size_t>(kFirstExchange));
        return device.allToAll(memory, each, memory + collective.bytes / 2, each, stream);
    }
    default:
        return device.allGather(own, memory, static_cast<std::size_t>(part), stream);
    }
}

// Exchanges all messages of a group concurrently: messages are sent from `memory` and received at the offset `behind`.
void exchange(const std::set<Message> &messages, GroupId group, Communicator &members, std::byte *memory, Bytes behind,
    void *stream)
{
    DeviceGroup &device = *members.onDevice();
    device.groupCalls(
        [&] {
            for (const Message &message : messages) {
                if (message.group != group)
                    continue;
                const int peer = rankAt(message.peer, members);
                const auto bytes = static_cast<std::size_t>(message.bytes);
                if (message.kind == OpKind::Send)
                    device.send(memory, bytes, peer, stream);
                else
                    device.receive(memory + behind, bytes, peer, stream);
            }
        },
        stream);
}

} // namespace

FirstUse firstCollectives(const StepPlan &plan, std::span<Communicator *const> groups)
{
    const std::vector<Collective> collectives = collectivesOf(plan, groups);
    const std::set<Message> messages = messagesOf(plan, groups);
    if (collectives.empty() && messages.empty())
        return {};
    const std::vector<Communicator *> kept(groups.begin(), groups.end());
    std::set<GroupId> talking;
    Bytes largest = 0;
    for (const Message &message : messages) {
        talking.insert(message.group);
        largest = std::max(largest, message.bytes);
    }
    return {.room = std::max(collectives.empty() ? 0 : collectives.front().bytes, 2 * largest),
        .start =
            [=](std::byte *memory, void *stream) {
                for (const Collective &collective : collectives)
                    run(collective, *kept[place(collective.group)], memory, stream);
                for (const GroupId group : talking)
                    exchange(messages, group, *kept[place(group)], memory, largest, stream);
            },
        .check =
            [kept] {
                for (Communicator *const group : kept) {
                    if (DeviceGroup *const device = group->onDevice())
                        device->check();
                }
            }};
}

} // namespace slipway
