// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Counts the bytes that a rank hands to its communicator and to those of its groups, by kind of communication.
#pragma once

#include <memory>
#include <utility>

#include "comm/communicator.h"

namespace slipway::testing {

// Of a collective: the size of the whole message, which the shards of all ranks make up.
struct SentBytes {
    std::size_t allReduce = 0, reduceScatter = 0, allGather = 0, allToAll = 0, send = 0;
};

class CountedRank final : public Communicator {
public:
    explicit CountedRank(Communicator &ranks) : m_ranks(ranks), m_sent(std::make_shared<SentBytes>()) {}
    [[nodiscard]] const SentBytes &sent() const { return *m_sent; }

    [[nodiscard]] int rank() const override { return m_ranks.rank(); }
    [[nodiscard]] int size() const override { return m_ranks.size(); }
    [[nodiscard]] int localSize() const override { return m_ranks.localSize(); }
    [[nodiscard]] int ranksInProcess() const override { return m_ranks.ranksInProcess(); }
    [[nodiscard]] int localRank() const override { return m_ranks.localRank(); }
    void allReduceSum(std::span<float> data) override
    {
        m_sent->allReduce += data.size_bytes();
        m_ranks.allReduceSum(data);
    }
    void allReduceMax(std::span<float> data) override { m_ranks.allReduceMax(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
    {
        m_sent->reduceScatter += all.size_bytes();
        m_ranks.reduceScatterSum(all, own);
    }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        m_sent->allGather += all.size();
        m_ranks.allGather(own, all);
    }
    void broadcast(std::span<std::byte> data, int root) override { m_ranks.broadcast(data, root); }
    void barrier() override { m_ranks.barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        m_sent->allToAll += sent.size();
        m_ranks.allToAll(sent, sentSizes, received, receivedSizes);
    }
    void send(std::span<const std::byte> data, int to) override
    {
        m_sent->send += data.size();
        m_ranks.send(data, to);
    }
    void receive(std::span<std::byte> data, int from) override { m_ranks.receive(data, from); }
    std::unique_ptr<Communicator> split(int color) override
    {
        return std::unique_ptr<Communicator>(new CountedRank(m_ranks.split(color), m_sent));
    }

private:
    CountedRank(std::unique_ptr<Communicator> group, std::shared_ptr<SentBytes> sent)
        : m_group(std::move(group)),
          m_ranks(*m_group),
          m_sent(std::move(sent))
    {
    }

    const std::unique_ptr<Communicator> m_group;
    Communicator &m_ranks;
    const std::shared_ptr<SentBytes> m_sent;
};

} // namespace slipway::testing
