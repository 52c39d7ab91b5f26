// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rendezvous store as LibTorch's c10d::Store. Only for the files of Gloo.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "comm/store_rendezvous.h"

namespace slipway {

class RunStore final : public c10d::Store {
public:
    using Bytes = std::vector<std::uint8_t>;
    using c10d::Store::compareSet;
    using c10d::Store::set;

    RunStore(std::shared_ptr<StoreRendezvous> rendezvous, std::shared_ptr<StoreClient> client,
        std::chrono::milliseconds timeout)
        : c10d::Store(timeout),
          m_rendezvous(std::move(rendezvous)),
          m_client(std::move(client))
    {
    }

    c10::intrusive_ptr<c10d::Store> clone() override
    {
        return c10::make_intrusive<RunStore>(m_rendezvous, m_client, timeout_);
    }

    void set(const std::string &key, const Bytes &value) override
    {
        ask({.op = StoreOp::Write, .keys = {key}, .value = text(value)});
    }
    Bytes compareSet(const std::string &key, const Bytes &expected, const Bytes &desired) override
    {
        return bytes(
            ask({.op = StoreOp::CompareSet, .keys = {key}, .value = text(desired), .expected = text(expected)}));
    }
    Bytes get(const std::string &key) override { return multiGet({key}).front(); }
    std::vector<Bytes> multiGet(const std::vector<std::string> &keys) override
    {
        std::vector<Bytes> values;
        for (const std::string &value : read(keys, getTimeout()).values)
            values.emplace_back(value.begin(), value.end());
        return values;
    }
    std::int64_t add(const std::string &key, std::int64_t value) override
    {
        return std::stoll(ask({.op = StoreOp::Add, .keys = {key}, .number = value}).values.at(0));
    }
    bool deleteKey(const std::string &key) override { return ask({.op = StoreOp::Remove, .keys = {key}}).found; }
    bool check(const std::vector<std::string> &keys) override { return ask({.op = StoreOp::Read, .keys = keys}).found; }
    void wait(const std::vector<std::string> &keys) override { wait(keys, getTimeout()); }
    void wait(const std::vector<std::string> &keys, const std::chrono::milliseconds &timeout) override
    {
        read(keys, timeout);
    }
    std::int64_t getNumKeys() override { throw std::runtime_error("the store of a run does not count its keys"); }

private:
    static std::string text(const Bytes &value) { return {value.begin(), value.end()}; }
    static Bytes bytes(const StoreAnswer &answer)
    {
        const std::string &value = answer.values.at(0);
        return {value.begin(), value.end()};
    }
    StoreAnswer ask(const StoreRequest &request) const
    {
        Result<StoreAnswer> answer = m_client->ask(request);
        if (!answer)
            throw std::runtime_error(answer.error().what);
        return std::move(*answer);
    }
    StoreAnswer read(const std::vector<std::string> &keys, std::chrono::milliseconds timeout) const
    {
        StoreAnswer answer = ask({.op = StoreOp::Read, .keys = keys, .number = timeout.count()});
        if (!answer.found || answer.values.size() != keys.size())
            throw std::runtime_error("timed out waiting for a key that another rank writes to the store");
        return answer;
    }

    std::shared_ptr<StoreRendezvous> m_rendezvous; // on the first rank: contains the store
    std::shared_ptr<StoreClient> m_client;
};

} // namespace slipway
