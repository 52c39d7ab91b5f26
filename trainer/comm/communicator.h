// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives and messages between ranks, on host memory. All ranks call the same collectives in the same order. A call
// returns when this rank's data is ready.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "base/units.h"
#include "comm/device_group.h"
#include "comm/message_sizes.h"

namespace slipway {

// Thrown by collectives of ranks that wait for a rank that has failed (exit status 4).
class PeerFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Communicator {
public:
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    // The number of ranks on this machine, and this rank's number among them.
    [[nodiscard]] virtual int localSize() const { return 1; }
    // The number of ranks that are threads of this process. They share LibTorch's allocator of a device.
    [[nodiscard]] virtual int ranksInProcess() const { return 1; }
    [[nodiscard]] virtual int localRank() const { return rank(); }

    // Sums elementwise over the ranks, in place. The result is bitwise the same on all ranks.
    virtual void allReduceSum(std::span<float> data) = 0;
    // Elementwise maximum over the ranks, in place. The result is bitwise the same on all ranks. NaN may be lost.
    virtual void allReduceMax(std::span<float> data) = 0;
    // `all` has one shard per rank, all of the same size. Sums shard r over the ranks into `own` of rank r, which may
    // be its shard of `all`. The rest of `all` is undefined afterwards.
    virtual void reduceScatterSum(std::span<float> all, std::span<float> own) = 0;
    // Copies each rank's `own` to its shard of `all` on all ranks. `own` may be that shard itself.
    virtual void allGather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
    // Copies `data` from rank `root` to all ranks.
    virtual void broadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
    // Sends the r-th range of `sent` to rank r, and receives the r-th range of `received` from it. The sizes in bytes,
    // one per rank, add up to the buffers, which must not overlap. Both ranks of a pair must pass the same size, which
    // may be 0; the receiver of a different size throws std::logic_error.
    virtual void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) = 0;

    // Point-to-point: only the two ranks call it. Returns when `data` may be reused. The message is buffered, so send
    // never waits for the receiver. Messages from one rank to another arrive in the order of the calls. A message that
    // is not yet received may be lost when the sender's communicator is destroyed.
    virtual void send(std::span<const std::byte> data, int to) = 0;
    // Waits for the next message of rank `from`. Throws std::logic_error if its size is not data.size() bytes.
    virtual void receive(std::span<std::byte> data, int from) = 0;
    // A communicator of the ranks that passed the same color, in the same order (as MPI_Comm_split). All ranks call it.
    // The result must not outlive this communicator.
    virtual std::unique_ptr<Communicator> split(int color) = 0;

    // NOLINTBEGIN(performance-unnecessary-value-param): overriders move the function
    // Error messages of this communicator and of its groups then name a rank with placeOf(rank), "tp 1, pp 2". `rank`
    // is the global rank. Any thread may call `placeOf`.
    virtual void nameRanks([[maybe_unused]] std::function<std::string(int rank)> placeOf) {}
    // "rank 5 (tp 1, pp 2)", by global rank.
    [[nodiscard]] virtual std::string nameOf(int rank) const { return "rank " + std::to_string(rank); }

    // Starts heartbeats, with which the start-up of all ranks may take any time: a rank counts as failed only if its
    // process is stopped or makes no progress. `end` is called from another thread if a rank has failed and this rank
    // does not end by itself.
    virtual void startHeartbeats([[maybe_unused]] std::function<void(const std::string &cause)> end) {}
    // NOLINTEND(performance-unnecessary-value-param)
    // Before the first step: reports progress, and what this rank does next ("reading the checkpoint").
    virtual void reportProgress([[maybe_unused]] const char *doing) {}
    // The same before loading a library or starting a device: Rendezvous::loadTimeout holds until the next progress.
    virtual void reportLoading(const char *doing) { reportProgress(doing); }
    // The same before waiting for a device. CPU time is then no sign of progress, because waiting may use a core.
    virtual void reportDeviceWait() {}
    // Ends the start-up. From now on, a rank for which others wait longer than Rendezvous::peerTimeout counts as
    // failed.
    virtual void finishStartup() {}
    // The failure that a rank has reported; empty: none. Thread-safe.
    [[nodiscard]] virtual std::string reportedFailure() { return {}; }
    // Collectives of the same ranks on device memory; nullptr if there are none for the device.
    [[nodiscard]] virtual DeviceGroup *onDevice() { return nullptr; }
    // Reports the failure of this rank to the ranks that will wait for it. The first rank, which keeps the store, waits
    // up to `reading` for them to read it.
    virtual void reportFailure(const std::string &, [[maybe_unused]] Seconds reading) {}
};

// The communicator of a single rank.
class SingleCommunicator final : public Communicator {
public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void allReduceSum(std::span<float>) override {}
    void allReduceMax(std::span<float>) override {}
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
    {
        if (!own.empty()) // whose address may be null
            std::memmove(own.data(), all.data(), own.size_bytes());
    }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        if (!own.empty())
            std::memmove(all.data(), own.data(), own.size());
    }
    void broadcast(std::span<std::byte>, int) override {}
    void barrier() override {}
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        partOffsets(sentSizes, 1, "sent", sent.size());
        partOffsets(receivedSizes, 1, "received", received.size());
        requireSameSize(0, sent.size(), 0, received.size());
        if (!sent.empty())
            std::memcpy(received.data(), sent.data(), sent.size());
    }
    void send(std::span<const std::byte>, int to) override { requirePeer("send to", 0, to, 1); }
    void receive(std::span<std::byte>, int from) override { requirePeer("receive from", 0, from, 1); }
    std::unique_ptr<Communicator> split(int) override { return std::make_unique<SingleCommunicator>(); }
};

} // namespace slipway
