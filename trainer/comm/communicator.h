// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What ranks say to each other. Every rank calls the same operations in the same order; each call returns when this
// rank's data is ready. Host memory, fp32.
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

// Thrown out of a collective on the ranks that wait for one that failed (exit status 4).
class PeerFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Communicator {
public:
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    // Ranks that share this machine's cores.
    [[nodiscard]] virtual int ranksInMachine() const { return 1; }
    // Those that are threads of this process, and share what LibTorch keeps for a device.
    [[nodiscard]] virtual int ranksInProcess() const { return 1; }
    [[nodiscard]] virtual int placeInMachine() const { return rank(); }

    // Sums element by element over the ranks, in place. Every rank gets the same bits.
    virtual void allReduceSum(std::span<float> data) = 0;
    // Replaces each element by the largest of the ranks. Every rank gets the same bits. NaN may be lost.
    virtual void allReduceMax(std::span<float> data) = 0;
    // `all` has a part for each rank, equally large, in their order. Sums part r over the ranks into rank r's `own`,
    // which may be its part of `all`; the rest of `all` is undefined afterwards.
    virtual void reduceScatterSum(std::span<float> all, std::span<float> own) = 0;
    // Copies every rank's `own` to its part of everyone's `all`; `own` may lie there already.
    virtual void allGather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
    // Replaces `data` by the root's.
    virtual void broadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
    // Part r of `sent` goes to rank r, and part r of `received` is from rank r. The sizes are in bytes, one for each
    // rank, and fill the buffers, which must not overlap. Both ranks of a pair must name the same size, which may be 0;
    // who receives another one throws std::logic_error.
    virtual void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) = 0;

    // Between two ranks alone: the others do not call it. Hands `data` over to rank `to` and returns when `data` may be
    // reused. It never waits for the receiver: what is sent is buffered. Messages between two ranks arrive in the order
    // in which they were sent. One that is not received yet may be lost where the sender's communicator ends.
    virtual void send(std::span<const std::byte> data, int to) = 0;
    // Waits for the next message of rank `from`. Where that has not data.size() bytes, it throws std::logic_error.
    virtual void receive(std::span<std::byte> data, int from) = 0;
    // A communicator of the ranks that gave the same color, in their order. Every rank calls it; it must not outlive
    // this one.
    virtual std::unique_ptr<Communicator> split(int color) = 0;

    // From now on failures name a rank with the place that `placeOf` gives for it ("tp 1, pp 2"), in groups too. Ranks
    // are as the world counts them; any thread may call `placeOf`.
    virtual void nameRanks([[maybe_unused]] std::function<std::string(int rank)> placeOf) {}
    // "rank 5 (tp 1, pp 2)"; of the world's ranks.
    [[nodiscard]] virtual std::string nameOf(int rank) const { return "rank " + std::to_string(rank); }

    // From now on a rank whose process stands still, or that does not get on by itself, counts as failed, however long
    // others may have to wait. `end` is called from another thread where a rank has failed and this one does not end by
    // itself.
    virtual void watchOver([[maybe_unused]] std::function<void(const std::string &cause)> end) {}
    // Before the first step: this rank has got on, and does this now ("reading the checkpoint").
    virtual void reportProgress([[maybe_unused]] const char *doing) {}
    // The same, and until it gets on next it may take longer than usual, as Rendezvous::loadTimeout has it: what it
    // does is to load a library or to start a device.
    virtual void reportLoading(const char *doing) { reportProgress(doing); }
    // The same, and what it does until it gets on next is to wait for its device: that its processor is busy says
    // nothing then.
    virtual void awaitsDevice() {}
    // From now on a rank that makes others wait for long counts as failed.
    virtual void expectPromptness() {}
    // What a rank left as word of its failure; empty: none did. From any thread.
    [[nodiscard]] virtual std::string toldFailure() { return {}; }
    // The same ranks for memory on this rank's device; null: it goes through the host's.
    [[nodiscard]] virtual DeviceGroup *onDevice() { return nullptr; }
    // Leaves word for those who will wait for this rank in vain. The rank that keeps it stays `reading` for them.
    virtual void tellFailure(const std::string &, [[maybe_unused]] Seconds reading) {}
};

// One rank: nothing to do.
class SingleCommunicator final : public Communicator {
public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void allReduceSum(std::span<float>) override {}
    void allReduceMax(std::span<float>) override {}
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
    {
        std::memmove(own.data(), all.data(), own.size_bytes());
    }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
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
