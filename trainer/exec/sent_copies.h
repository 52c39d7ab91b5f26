// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages on their way from a device to other ranks. A device's group hands a message over only when the other rank
// receives it, and a pipeline's stages that waited for that would wait for each other without end. So a copy goes, on a
// stream of its own for each group, and the lane goes on. Under way are at most as many copies as a stage has
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
    // Null where ops run in the processor's memory, where groups buffer what is sent. `streams` must outlive this.
    explicit SentCopies(const DeviceStreams *streams) : m_streams(streams) {}

    // Of the lane that was entered: what comes behind it there may overwrite the message.
    void send(DeviceGroup &group, const at::Tensor &message, int to);

private:
    const DeviceStreams *m_streams;
    std::map<DeviceGroup *, c10::Stream> m_streamOf;
};

} // namespace slipway
