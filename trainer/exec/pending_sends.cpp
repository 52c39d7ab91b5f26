// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/pending_sends.h"

#include <stdexcept>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace slipway {
namespace {

const std::byte *bytes(const at::Tensor &message) { return static_cast<const std::byte *>(message.const_data_ptr()); }
std::size_t sizeOf(const at::Tensor &message) { return static_cast<std::size_t>(message.nbytes()); }

} // namespace

void PendingSends::send(DeviceGroup &group, const at::Tensor &message, int to)
{
    const std::size_t size = sizeOf(message);
    if (message.device().is_cpu()) // its group buffers messages
        return group.send(bytes(message), size, to, m_streams ? m_streams->native() : nullptr);
    const c10::Device device = m_streams->device();
    const auto found = m_streamOf.find(&group);
    const c10::Stream stream =
        found != m_streamOf.end()
            ? found->second
            : m_streamOf
                  .emplace(&group, c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, true))
                  .first->second;
    const at::Tensor copy = message.clone();
    c10::Event copied(device.type());
    copied.record(m_streams->stream());
    copied.block(stream);
    group.send(bytes(copy), size, to, stream.native_handle());
    copy.record_stream(stream); // the allocator must not reuse the memory before it has been sent
}

void PendingSends::hold(DeviceGroup &group, const at::Tensor &message, int to)
{
    m_held[&group].push_back({message.clone(), to});
}

void PendingSends::receive(DeviceGroup &group, const at::Tensor &message, int from, void *stream)
{
    std::deque<Held> &held = m_held[&group];
    if (held.empty())
        throw std::logic_error("a ring receives a message before it has sent one");
    const Held oldest = held.front();
    held.pop_front();
    group.groupCalls(
        [&] {
            group.send(bytes(oldest.message), sizeOf(oldest.message), oldest.to, stream);
            group.receive(static_cast<std::byte *>(message.mutable_data_ptr()), sizeOf(message), from, stream);
        },
        stream);
}

} // namespace slipway
