// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/sent_copies.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace slipway {

void SentCopies::send(DeviceGroup &group, const at::Tensor &message, int to)
{
    const auto bytes = [](const at::Tensor &tensor) { return static_cast<const std::byte *>(tensor.const_data_ptr()); };
    const auto size = static_cast<std::size_t>(message.numel());
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

} // namespace slipway
