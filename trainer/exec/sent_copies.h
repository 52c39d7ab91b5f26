// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages that are being sent from a device to other ranks. A DeviceGroup completes a send only when the other rank
// receives it, so pipeline stages whose lanes waited for that would deadlock. Instead, a copy of the message is sent on
// a separate stream per group, and the lane continues. At most as many copies are in flight as a stage has
// micro-batches in flight.
#pragma once

#include <map>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include "comm/device_group.h"
#include "exec/device_streams.h"

namespace slipway {

class SentCopies {
public:
    // `streams` is null if ops run in host memory, where groups buffer messages. `streams` must outlive this object.
    explicit SentCopies(const DeviceStreams *streams) : m_streams(streams) {}

    // Sends the message from the current lane. Later ops of this lane may overwrite it.
    void send(DeviceGroup &group, const at::Tensor &message, int to);

private:
    const DeviceStreams *m_streams;
    std::map<DeviceGroup *, c10::Stream> m_streamOf;
};

} // namespace slipway
