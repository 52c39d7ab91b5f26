// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A communicator by LibTorch's Gloo. Only the files that CMakeLists.txt lists for Gloo may include this header, because
// it includes LibTorch's headers of Gloo.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "comm/communicator.h"
#include "comm/heartbeat_monitor.h"
#include "comm/local_peers.h"
#include "comm/rank_names.h"
#include "comm/rendezvous.h"
#include "comm/sent_messages.h"
#include "comm/store_failures.h"
#include "comm/store_heartbeats.h"

namespace slipway {

// Gloo has one queue per tag between two ranks. Collectives and messages have different tags, so that they are not
// mixed up. A message is preceded by its size, because Gloo ends the process if a message is larger than expected.
enum class GlooTag : int { Exchange, MessageSize, Message };

class GlooCommunicator final : public Communicator {
public:
    // `controlStore` is a second connection to the store, which can be used while a call on `store` waits. `heartbeats`
    // are those of all ranks.
    GlooCommunicator(c10::intrusive_ptr<c10d::Store> store, c10::intrusive_ptr<c10d::Store> controlStore,
        std::shared_ptr<StoreHeartbeats> heartbeats, int rank, int size, const Rendezvous &rendezvous);

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_size; }
    [[nodiscard]] int localSize() const override { return m_rendezvous.localWorldSize; }
    [[nodiscard]] int localRank() const override { return m_rendezvous.localRank; }

    void allReduceSum(std::span<float> data) override { allReduce(data, c10d::ReduceOp::SUM); }
    void allReduceMax(std::span<float> data) override { allReduce(data, c10d::ReduceOp::MAX); }

    void reduceScatterSum(std::span<float> all, std::span<float> own) override;
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override;
    void broadcast(std::span<std::byte> data, int root) override;
    void barrier() override;
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override;
    void send(std::span<const std::byte> data, int to) override;
    void receive(std::span<std::byte> data, int from) override;

    void nameRanks(std::function<std::string(int)> placeOf) override { m_names->set(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_names->of(rank); }

    std::unique_ptr<Communicator> split(int color) override;
    void startHeartbeats(std::function<void(const std::string &)> end) override;
    void reportProgress(const char *doing) override;
    void reportLoading(const char *doing) override;
    void finishStartup() override;
    void reportFailure(const std::string &why, Seconds reading) override;

    [[nodiscard]] std::string reportedFailure() override { return m_failures.reported(); }

private:
    static std::shared_ptr<gloo::transport::Device> deviceOf(const Rendezvous &rendezvous);
    void endStoppedPeers() const;
    void allReduce(std::span<float> data, c10d::ReduceOp operation);
    void post(std::span<const std::byte> data, int to, GlooTag tag);

    // Exchanges a message with each other rank, except for empty ones. `arrived` is called for all ranks in order, this
    // one included, when their message has arrived.
    template<typename For, typename From, typename Arrived>
    void exchange(const For &sentTo, const From &receivedFrom, const Arrived &arrived);

    [[nodiscard]] std::chrono::milliseconds timeout() const;

    template<typename Start>
    void finish(const Start &start);

    // `peer`: the global rank that `work` waits for; -1: all ranks.
    template<typename Work>
    void guarded(const Work &work, int peer = -1);

    std::string causeOf(const std::exception &exception, int peer);
    [[nodiscard]] std::string missingRank(int peer) const;
    [[nodiscard]] std::string nameOfPeer(int peer) const;

    c10::intrusive_ptr<c10d::Store> m_store;
    c10::intrusive_ptr<c10d::Store> m_controlStore; // store of all ranks, also in a group
    StoreFailures m_failures;
    std::shared_ptr<StoreHeartbeats> m_heartbeats;
    LocalPeers m_peers; // of all ranks
    int m_rank, m_size;
    std::vector<int> m_members; // global ranks
    std::shared_ptr<RankNames> m_names = std::make_shared<RankNames>();
    Rendezvous m_rendezvous;
    c10::intrusive_ptr<c10d::Backend> m_group;
    SentMessages m_sent;
    int m_splits = 0;
    // Buffer of a reduce-scatter; kept, because a new allocation takes longer than the network.
    std::vector<float> m_received;
    bool m_prompt = false;
    std::unique_ptr<HeartbeatMonitor> m_monitor; // monitor of all ranks; declared last, as it uses the other members
    HeartbeatMonitor *m_sharedMonitor = nullptr; // the same monitor, also in a group
};

} // namespace slipway
