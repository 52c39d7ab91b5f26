// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives of a device's memory, as Communicator has them for the host's. They are put on a stream of the device, in
// the same order on every rank, and the host goes on at once.
#pragma once

#include <cstddef>

namespace slipway {

class DeviceGroup {
public:
    virtual ~DeviceGroup() = default;

    virtual void allReduceSum(float *data, std::size_t count, void *stream) = 0;
    // `count` elements are this rank's own part.
    virtual void reduceScatterSum(const float *all, float *own, std::size_t count, void *stream) = 0;
    virtual void allGather(const std::byte *own, std::byte *all, std::size_t ownBytes, void *stream) = 0;

    // Throws PeerFailed where what was started has been given up. What the device wrote since is worth nothing then.
    virtual void check() = 0;
};

} // namespace slipway
