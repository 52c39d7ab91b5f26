// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Simulates links of a given bandwidth between ranks with faster links, to measure how much communication overlaps with
// computation. The messages of a sender pass through its link one after the other. A receiver waits until its message
// has arrived. Collectives take the time of a ring and do not overlap.
#pragma once

#include "comm/communicator.h"

namespace slipway {

struct LinkClock {
    std::function<Seconds()> now; // synchronized between ranks
    std::function<void(Seconds until)> waitUntil;

    static LinkClock steady();
};

// For one rank: the transfer time of what it received, and the time that it waited for it.
struct LinkUse {
    Seconds busy = 0, waited = 0;
    [[nodiscard]] double overlapped() const { return busy > 0 ? 1 - waited / busy : 0; }
};

class SlowLinks final : public Communicator {
public:
    SlowLinks(Communicator &ranks, double bytesPerSecond, LinkClock clock = LinkClock::steady());
    // Messages between two ranks, and collectives, on this communicator and on those of its groups.
    [[nodiscard]] LinkUse messages() const { return m_state->messages; }
    [[nodiscard]] LinkUse collectives() const { return m_state->collectives; }

    [[nodiscard]] int rank() const override { return m_ranks.rank(); }
    [[nodiscard]] int size() const override { return m_ranks.size(); }
    [[nodiscard]] int localSize() const override { return m_ranks.localSize(); }
    [[nodiscard]] int ranksInProcess() const override { return m_ranks.ranksInProcess(); }
    [[nodiscard]] int localRank() const override { return m_ranks.localRank(); }
    void allReduceSum(std::span<float> data) override;
    void allReduceMax(std::span<float> data) override { m_ranks.allReduceMax(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override;
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override;
    void broadcast(std::span<std::byte> data, int root) override { m_ranks.broadcast(data, root); }
    void barrier() override { m_ranks.barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override;
    void send(std::span<const std::byte> data, int to) override;
    void receive(std::span<std::byte> data, int from) override;
    std::unique_ptr<Communicator> split(int color) override;
    void nameRanks(std::function<std::string(int rank)> placeOf) override { m_ranks.nameRanks(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_ranks.nameOf(rank); }
    void reportProgress(const char *doing) override { m_ranks.reportProgress(doing); }
    void finishStartup() override { m_ranks.finishStartup(); }

private:
    struct State {
        double bytesPerSecond = 0;
        LinkClock clock;
        Seconds free = 0; // time at which all messages of this rank have arrived
        LinkUse messages, collectives;
    };
    SlowLinks(std::unique_ptr<Communicator> own, std::shared_ptr<State> state);
    [[nodiscard]] Seconds timeOf(std::size_t bytes) const;
    void pass(Seconds time); // waits for the time of a collective

    const std::unique_ptr<Communicator> m_own; // communicator of a group
    Communicator &m_ranks;
    const std::shared_ptr<State> m_state;
};

} // namespace slipway
