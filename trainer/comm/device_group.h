// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives of a device's memory, as Communicator has them for the host's. They are put on a stream of the device, in
// the same order on every rank, and the host goes on at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace slipway {

class DeviceGroup {
public:
    virtual ~DeviceGroup() = default;

    virtual void allReduceSum(float *data, std::size_t count, void *stream) = 0;
    virtual void allReduceMax(float *data, std::size_t count, void *stream) = 0;
    // `count` elements are this rank's own part.
    virtual void reduceScatterSum(const float *all, float *own, std::size_t count, void *stream) = 0;
    virtual void allGather(const std::byte *own, std::byte *all, std::size_t ownBytes, void *stream) = 0;
    // Sizes in bytes, one for each rank. Part r of `sent` goes to rank r, part r of `received` is from rank r.
    virtual void allToAll(const std::byte *sent, std::span<const std::size_t> sentSizes, std::byte *received,
        std::span<const std::size_t> receivedSizes, void *stream) = 0;

    // Between two ranks alone. Unlike the host's, nothing is buffered: the stream waits at a send until the other rank
    // is at its receive, and all that ranks of one group say to each other is done in the order in which they put it on
    // a stream, whatever the stream. Both name the same size; that they differ is not noticed.
    virtual void send(const std::byte *data, std::size_t bytes, int to, void *stream) = 0;
    virtual void receive(std::byte *data, std::size_t bytes, int from, void *stream) = 0;
    // The sends and receives that `calls` puts on `stream` are done at once, and none of them waits for another. So
    // ranks that send to each other, or in a ring, do not wait for each other without end.
    virtual void together(const std::function<void()> &calls, void *stream) = 0;

    // Throws PeerFailed where what was started has been given up. What the device wrote since is worth nothing then.
    virtual void check() = 0;

    // Sums as above of bf16: what ranks send each other is, and so is each sum on its way.
    virtual void allReduceSumBf16(std::byte *data, std::size_t count, void *stream) = 0;
    virtual void reduceScatterSumBf16(const std::byte *all, std::byte *own, std::size_t count, void *stream) = 0;
};

} // namespace slipway
