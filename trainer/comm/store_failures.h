// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Exchanges the cause of a rank's failure through LibTorch's store. Only for the files of Gloo.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "comm/gloo_text.h"
#include "comm/rendezvous.h"
#include "comm/store_heartbeats.h"

namespace slipway {

class StoreFailures {
public:
    // `store`: a connection on which no call waits long. `rank`: this rank's global number.
    StoreFailures(c10::intrusive_ptr<c10d::Store> store, int rank)
        : m_store(std::move(store)),
          m_acknowledgedKey(acknowledgedKeyOf(rank))
    {
    }

    // Reports a failure. Only the first report counts, as later ones are consequences of it. Throws if the store is
    // gone.
    void report(const std::string &why)
    {
        ask([why, heard = m_acknowledgedKey](c10d::Store &store) {
            store.compareSet(kFailureKey, {}, bytesOf(why));
            store.set(heard, std::vector<std::uint8_t>{1}); // the reporting rank need not read it
        });
    }

    // The failure that a rank has reported; empty: none, or the store is gone.
    [[nodiscard]] std::string reported()
    {
        const auto failure = std::make_shared<std::string>();
        try {
            const bool answered = ask([failure, heard = m_acknowledgedKey](c10d::Store &store) {
                if (!store.check({kFailureKey}))
                    return;
                const std::vector<std::uint8_t> text = store.get(kFailureKey);
                store.set(heard, std::vector<std::uint8_t>{1});
                failure->assign(text.begin(), text.end());
            });
            return answered ? *failure : std::string();
        } catch (const std::exception &) { // the first rank, which kept the store, has ended
            return {};
        }
    }

    // Waits until all other ranks have read the report. Throws after `reading` seconds.
    void waitUntilOthersRead(int ranks, Seconds reading)
    {
        std::vector<std::string> readers;
        for (int rank = 1; rank < ranks; ++rank)
            readers.push_back(acknowledgedKeyOf(rank));
        m_store->wait(readers, milliseconds(reading));
    }

private:
    static std::string acknowledgedKeyOf(int rank) { return "slipway/heard/" + std::to_string(rank); }

    // Returns false if the first rank, which keeps the store, does not answer. LibTorch would wait for it forever, so
    // the asking thread is abandoned.
    bool ask(std::function<void(c10d::Store &)> question)
    {
        if (m_silent)
            return false;
        std::promise<void> promise;
        std::future<void> answered = promise.get_future();
        std::thread([store = m_store, question = std::move(question), promise = std::move(promise)]() mutable {
            try {
                question(*store);
                promise.set_value();
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        }).detach();
        if (answered.wait_for(milliseconds(deadline::kAnswer)) != std::future_status::ready) {
            m_silent = true;
            return false;
        }
        answered.get();
        return true;
    }

    c10::intrusive_ptr<c10d::Store> m_store;
    std::string m_acknowledgedKey;
    std::atomic<bool> m_silent = false; // the first rank does not answer
};

} // namespace slipway
