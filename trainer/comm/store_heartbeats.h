// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Heartbeats of starting ranks in LibTorch's store. Only for the files of Gloo.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "base/text.h"
#include "comm/local_peers.h"
#include "comm/heartbeat_monitor.h"

namespace slipway {

inline constexpr const char *kFailureKey = "slipway/failure";

inline std::vector<std::uint8_t> bytesOf(const std::string &text) { return {text.begin(), text.end()}; }

class StoreHeartbeats {
public:
    StoreHeartbeats(c10::intrusive_ptr<c10d::Store> store, int rank, int size)
        : m_store(std::move(store)),
          m_own(keyOf(rank))
    {
        for (int other = 0; other < size; ++other)
            m_keys.push_back(keyOf(other));
        m_store->set(markKeyOf(rank), bytesOf(LocalPeers::ownMark()));
        m_store->set(m_own, bytesOf("0")); // so that reading the key does not wait
    }

    // Must be called when all ranks have joined.
    [[nodiscard]] LocalPeers peers(int rank)
    {
        std::vector<std::string> keys, marks;
        for (std::size_t other = 0; other < m_keys.size(); ++other)
            keys.push_back(markKeyOf(static_cast<int>(other)));
        for (const std::vector<std::uint8_t> &mark : m_store->multiGet(keys))
            marks.emplace_back(mark.begin(), mark.end());
        return {marks, rank};
    }

    // Queries the store in a thread, which is abandoned if the store never answers.
    std::optional<HeartbeatMonitor::Heartbeats> exchange()
    {
        std::optional<HeartbeatMonitor::Heartbeats> seen;
        if (m_answer.valid()) {
            if (m_answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
                return std::nullopt;
            seen = m_answer.get();
        }
        std::promise<std::optional<HeartbeatMonitor::Heartbeats>> promise;
        m_answer = promise.get_future();
        std::thread([store = m_store, own = m_own, keys = m_keys, beat = ++m_beat,
                        promise = std::move(promise)]() mutable {
            try {
                promise.set_value(ask(*store, own, beat, keys));
            } catch (const std::exception &) { // the first rank, which kept the store, has ended
                promise.set_value(std::nullopt);
            }
        }).detach();
        return seen;
    }

    // The names of the ranks that have not joined; empty: all have joined.
    [[nodiscard]] std::string absent()
    {
        std::string ranks;
        for (std::size_t rank = 0; rank < m_keys.size(); ++rank) {
            if (!m_store->check({m_keys[rank]}))
                ranks += (ranks.empty() ? "rank " : ", ") + std::to_string(rank);
        }
        return ranks;
    }

private:
    static std::string keyOf(int rank) { return "slipway/beat/" + std::to_string(rank); }
    static std::string markKeyOf(int rank) { return "slipway/process/" + std::to_string(rank); }
    static HeartbeatMonitor::Heartbeats ask(
        c10d::Store &store, const std::string &own, std::uint64_t beat, const std::vector<std::string> &keys)
    {
        store.set(own, bytesOf(std::to_string(beat)));
        HeartbeatMonitor::Heartbeats seen;
        for (const std::vector<std::uint8_t> &value : store.multiGet(keys))
            seen.beats.push_back(
                static_cast<std::uint64_t>(parseInteger(std::string(value.begin(), value.end())).value_or(0)));
        if (store.check({kFailureKey})) {
            const std::vector<std::uint8_t> text = store.get(kFailureKey);
            seen.failure.assign(text.begin(), text.end());
        }
        return seen;
    }

    c10::intrusive_ptr<c10d::Store> m_store;
    std::string m_own;
    std::vector<std::string> m_keys;
    std::uint64_t m_beat = 0;
    std::future<std::optional<HeartbeatMonitor::Heartbeats>> m_answer;
};

} // namespace slipway
