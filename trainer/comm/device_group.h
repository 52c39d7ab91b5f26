// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives on device memory, as Communicator's on host memory. They are enqueued on a stream of the device, in the
// same order on all ranks, and return immediately.
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
    // `count`: elements of one shard.
    virtual void reduceScatterSum(const float *all, float *own, std::size_t count, void *stream) = 0;
    virtual void allGather(const std::byte *own, std::byte *all, std::size_t ownBytes, void *stream) = 0;
    // Sizes in bytes, one per rank. The r-th range of `sent` goes to rank r, and that of `received` comes from it.
    virtual void allToAll(const std::byte *sent, std::span<const std::size_t> sentSizes, std::byte *received,
        std::span<const std::size_t> receivedSizes, void *stream) = 0;

    // Point-to-point. Unlike on the host, messages are not buffered: the stream waits at a send until the other rank
    // has reached its receive. All operations of a group run in the order in which they were enqueued, on any stream.
    // Both ranks must pass the same size, which is not checked.
    virtual void send(const std::byte *data, std::size_t bytes, int to, void *stream) = 0;
    virtual void receive(std::byte *data, std::size_t bytes, int from, void *stream) = 0;
    // Runs the sends and receives that `calls` enqueues on `stream` concurrently (ncclGroupStart and ncclGroupEnd), so
    // that ranks which send to each other, or in a ring, do not deadlock.
    virtual void groupCalls(const std::function<void()> &calls, void *stream) = 0;

    // Throws PeerFailed if the watchdog has aborted the collectives. Their results are then undefined.
    virtual void check() = 0;

    // Sums in bf16: messages and partial sums are bf16.
    virtual void allReduceSumBf16(std::byte *data, std::size_t count, void *stream) = 0;
    virtual void reduceScatterSumBf16(const std::byte *all, std::byte *own, std::size_t count, void *stream) = 0;
};

} // namespace slipway
