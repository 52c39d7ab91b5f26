// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Functions of our own in NCCL's place: ranks are threads, and the memory of a device is the host's.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/nccl_api.h"
#include "plan/step_plan.h"

namespace slipway::testing {

struct Played {
    std::mutex mutex;
    std::vector<std::string> ids;
    int made = 0, destroyed = 0, aborted = 0;
    bool blocking = false, neverJoins = false, startsLate = false;
    std::atomic<int> sleeps = 0;
    ncclResult_t initResult = ncclSuccess, asyncError = ncclSuccess;
    std::atomic<bool> hangs = false; // nothing that was started ends
    std::string lastError;
    ncclResult_t collectiveResult = ncclSuccess;
    std::vector<std::string> heard; // of the first rank: what it says and starts, in this order
};

extern Played *played; // NCCL's functions know no object
// Of this thread's rank: those whom it joins next.
extern thread_local Communicator *peersOfThisRank;
extern thread_local int thisRank;

void note(const std::string &what);
// How `heard` has a collective.
std::string callText(OpKind kind, std::size_t bytes, int ranks);
std::shared_ptr<const NcclApi> playedApi();

// A rank's thread communicator, lent.
class Lent final : public Communicator {
public:
    explicit Lent(Communicator &lent) : m_lent(lent) {}
    [[nodiscard]] int rank() const override { return m_lent.rank(); }
    [[nodiscard]] int size() const override { return m_lent.size(); }
    void allReduceSum(std::span<float> data) override { m_lent.allReduceSum(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override { m_lent.reduceScatterSum(all, own); }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override { m_lent.allGather(own, all); }
    void broadcast(std::span<std::byte> data, int root) override { m_lent.broadcast(data, root); }
    void allReduceMax(std::span<float> data) override { m_lent.allReduceMax(data); }
    void barrier() override { m_lent.barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        m_lent.allToAll(sent, sentSizes, received, receivedSizes);
    }
    void send(std::span<const std::byte> data, int to) override { m_lent.send(data, to); }
    void receive(std::span<std::byte> data, int from) override { m_lent.receive(data, from); }
    void nameRanks(std::function<std::string(int)> placeOf) override { m_lent.nameRanks(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_lent.nameOf(rank); }
    std::unique_ptr<Communicator> split(int color) override
    {
        auto group = m_lent.split(color);
        peersOfThisRank = group.get();
        return group;
    }
    void reportLoading(const char *doing) override
    {
        note(doing);
        if (loading)
            ++(*loading)[doing];
    }
    [[nodiscard]] std::string reportedFailure() override { return told; }
    std::map<std::string, int> *loading = nullptr;
    std::string told;

private:
    Communicator &m_lent;
};

class PlayedNccl : public ::testing::Test {
protected:
    PlayedNccl() { played = &m_played; }
    ~PlayedNccl() override { played = nullptr; }
    static Result<std::unique_ptr<Communicator>> join(
        Communicator &communicator, Seconds peerTimeout = 20, Seconds loadTimeout = 120)
    {
        peersOfThisRank = &communicator;
        thisRank = communicator.rank();
        auto joined = joinNccl(playedApi(), std::make_unique<Lent>(communicator),
            {.loadTimeout = loadTimeout, .peerTimeout = peerTimeout});
        if (joined)
            (*joined)->finishStartup();
        return joined;
    }
    Played m_played;
};

} // namespace slipway::testing
