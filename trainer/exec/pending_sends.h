// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages that are being sent from a device to other ranks. A DeviceGroup completes a send only when the other rank
// receives it, so pipeline stages whose streams waited for that would deadlock. Instead, a copy of the message is sent
// on a separate stream per group, and the stream continues. At most as many copies are in flight as a stage has
// micro-batches in flight.
//
// In a ring, each rank sends to the next and receives from the one before, as often as it sends. NCCL runs the
// operations of a communicator in order, so ranks that all send first would deadlock. Each message is therefore held as
// a copy, and sent together with the next receive.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include "comm/device_group.h"
#include "exec/device_streams.h"

namespace slipway {

class PendingSends {
public:
    // `streams` is null if ops run in host memory, where groups buffer messages. `streams` must outlive this object.
    explicit PendingSends(const DeviceStreams *streams) : m_streams(streams) {}

    // Sends the message from the current stream. Later ops of this stream may overwrite it.
    void send(DeviceGroup &group, const at::Tensor &message, int to);

    // In a ring: holds the message, and sends the oldest one that is held while it receives, on the current stream.
    void hold(DeviceGroup &group, const at::Tensor &message, int to);
    void receive(DeviceGroup &group, const at::Tensor &message, int from, void *stream);

private:
    struct Held {
        at::Tensor message;
        int to = 0;
    };

    const DeviceStreams *m_streams;
    std::map<DeviceGroup *, std::deque<Held>> m_held;
    std::map<DeviceGroup *, c10::Stream> m_streamOf;
};

} // namespace slipway
