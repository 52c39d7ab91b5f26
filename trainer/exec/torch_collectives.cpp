// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/torch_collectives.h"

#include <numeric>
#include <vector>

#include "exec/bf16_collectives.h"
#include "exec/host_offsets.h"
#include "exec/op_operands.h"
#include "exec/pending_sends.h"

namespace slipway {
namespace {

// Runs a collective on host memory for operands on a device, by copies in both directions.
class Staged {
public:
    Staged(std::byte *data, Bytes bytes, const TorchContext &t)
        : m_device(tensorAt(data, {bytes}, at::kByte, t.device)),
          m_host(t.device.is_cpu() ? m_device : m_device.to(at::kCPU))
    {
    }
    template<typename T>
    [[nodiscard]] std::span<T> values() const
    {
        return {static_cast<T *>(m_host.data_ptr()), static_cast<std::size_t>(m_host.numel()) / sizeof(T)};
    }
    void back() const
    {
        if (!m_host.is_alias_of(m_device))
            const_cast<at::Tensor &>(m_device).copy_(m_host);
    }

private:
    at::Tensor m_device, m_host;
};

bool isNarrow(const OpCall &c) { return c.kernel.type == DType::Bf16; }
std::size_t count(std::int64_t elements) { return static_cast<std::size_t>(elements); }

void allReduce(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    if (DeviceGroup *const device = groupOf(c, step).onDevice())
        return isNarrow(c) ? device->allReduceSumBf16(c.writes[0], count(c.kernel.n), t.queue.stream)
                           : device->allReduceSum(c.write(0), count(c.kernel.n), t.queue.stream);
    const Staged data(c.writes[0], c.kernel.messageBytes, t);
    if (isNarrow(c))
        allReduceBf16(groupOf(c, step), data.values<std::uint16_t>());
    else
        groupOf(c, step).allReduceSum(data.values<float>());
    data.back();
}

void reduceScatter(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    Communicator &group = groupOf(c, step);
    if (DeviceGroup *const device = group.onDevice())
        return isNarrow(c)
                   ? device->reduceScatterSumBf16(
                         c.reads[0], c.writes[0], count(c.kernel.n / group.size()), t.queue.stream)
                   : device->reduceScatterSum(c.read(0), c.write(0), count(c.kernel.n / group.size()), t.queue.stream);
    const Bytes all = c.kernel.messageBytes;
    const Staged from(c.reads[0], all, t), to(c.writes[0], all / group.size(), t);
    if (isNarrow(c))
        reduceScatterBf16(group, from.values<const std::uint16_t>(), to.values<std::uint16_t>());
    else
        group.reduceScatterSum(from.values<float>(), to.values<float>());
    to.back();
}

void allGather(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    Communicator &group = groupOf(c, step);
    if (DeviceGroup *const device = group.onDevice())
        return device->allGather(
            c.reads[0], c.writes[0], static_cast<std::size_t>(c.kernel.messageBytes / group.size()), t.queue.stream);
    const Staged from(c.reads[0], c.kernel.messageBytes / group.size(), t), to(c.writes[0], c.kernel.messageBytes, t);
    group.allGather(from.values<const std::byte>(), to.values<std::byte>());
    to.back();
}

// The number of bytes that are sent to each rank, or received from it.
std::vector<std::size_t> exchangedBytes(const OpCall &c, const std::byte *offsets, int ranks, const TorchContext &t)
{
    const std::int64_t groups = c.kernel.k / ranks, row = c.kernel.n * sizeOf(c.kernel.type);
    const std::span<const std::int32_t> at = t.offsets->at(offsets, c.kernel.k + 1);
    const auto first = [&](std::int64_t rank) { return at[static_cast<std::size_t>(rank * groups)]; };
    std::vector<std::size_t> bytes;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        bytes.push_back(static_cast<std::size_t>((first(rank + 1) - first(rank)) * row));
    return bytes;
}

void allToAll(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    Communicator &group = groupOf(c, step);
    const std::vector<std::size_t> sent = exchangedBytes(c, c.reads[1], group.size(), t),
                                   received = exchangedBytes(c, c.reads[2], group.size(), t);
    if (DeviceGroup *const device = group.onDevice())
        return device->allToAll(c.reads[0], sent, c.writes[0], received, t.queue.stream);
    const auto total = [](const std::vector<std::size_t> &sizes) {
        return static_cast<Bytes>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    };
    const Staged from(c.reads[0], total(sent), t), to(c.writes[0], total(received), t);
    group.allToAll(from.values<const std::byte>(), sent, to.values<std::byte>(), received);
    to.back();
}

bool isRing(const OpCall &c, const TorchContext &t) { return c.kernel.group == t.ring; }

// A device completes a send only when the other rank receives the message. A copy is sent, so that the step continues,
// as with sends on the host.
void send(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    Communicator &group = groupOf(c, step);
    const int to = peerOf(c, group);
    if (DeviceGroup *const device = group.onDevice()) {
        const at::Tensor message = tensorAt(c.reads[0], {c.kernel.messageBytes}, at::kByte, t.device);
        return isRing(c, t) ? t.messages->hold(*device, message, to) : t.messages->send(*device, message, to);
    }
    group.send(Staged(c.reads[0], c.kernel.messageBytes, t).values<const std::byte>(), to);
}

void receive(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    Communicator &group = groupOf(c, step);
    const int from = peerOf(c, group);
    DeviceGroup *const device = group.onDevice();
    if (device && isRing(c, t))
        return t.messages->receive(
            *device, tensorAt(c.writes[0], {c.kernel.messageBytes}, at::kByte, t.device), from, t.queue.stream);
    if (device)
        return device->receive(c.writes[0], static_cast<std::size_t>(c.kernel.messageBytes), from, t.queue.stream);
    const Staged message(c.writes[0], c.kernel.messageBytes, t);
    group.receive(message.values<std::byte>(), from);
    message.back();
}

} // namespace

TorchOpFunction torchCollective(OpKind kind)
{
    switch (kind) {
    case OpKind::AllReduce:
        return allReduce;
    case OpKind::ReduceScatter:
        return reduceScatter;
    case OpKind::AllGather:
        return allGather;
    case OpKind::AllToAll:
        return allToAll;
    case OpKind::Send:
        return send;
    case OpKind::Receive:
        return receive;
    default:
        return nullptr;
    }
}

} // namespace slipway
