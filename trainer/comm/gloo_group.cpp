// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Joins the ranks over the rendezvous store to a group of Gloo.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "comm/gloo_communicator.h"
#include "comm/gloo_text.h"
#include "comm/rendezvous.h"
#include "comm/run_store.h"
#include "comm/store_heartbeats.h"
#include "comm/store_rendezvous.h"

namespace slipway {

namespace {

// Two connections, so that one can be used while a call on the other waits for keys.
struct Stores {
    c10::intrusive_ptr<c10d::Store> store, controlStore;
};

// The store of torchrun's agent. LibTorch's TCPStore requires no authentication, so anyone who can reach its port can
// use it.
Stores hostedStores(const Rendezvous &r)
{
    const auto open = [&r]() -> c10::intrusive_ptr<c10d::Store> {
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(r.port);
        options.waitWorkers = false;
        options.timeout = milliseconds(r.joinTimeout);
        return c10::make_intrusive<c10d::PrefixStore>(
            "slipway/" + r.generation, c10::make_intrusive<c10d::TCPStore>(r.host, options));
    };
    return {open(), open()};
}

Result<Stores> ownStores(const std::shared_ptr<StoreRendezvous> &rendezvous, std::chrono::milliseconds timeout)
{
    Stores stores;
    for (c10::intrusive_ptr<c10d::Store> *const store : {&stores.store, &stores.controlStore}) {
        Result<std::unique_ptr<StoreClient>> client = rendezvous->connect();
        if (!client)
            return client.error();
        *store = c10::make_intrusive<RunStore>(rendezvous, std::move(*client), timeout);
    }
    return stores;
}

Error notMet(const Rendezvous &rendezvous, const std::string &why)
{
    return {.what = "not all " + std::to_string(rendezvous.worldSize) + " ranks met within " +
                    std::to_string(static_cast<int>(rendezvous.joinTimeout)) + " s: " + why,
        .where = rendezvous.host + ":" + std::to_string(rendezvous.port),
        .accepted = "every rank started, and a network between them",
        .fault = Fault::Peer};
}

// Some waits of LibTorch have no timeout. If one never returns, its thread is abandoned.
std::unique_ptr<Communicator> meet(const Rendezvous &rendezvous, std::function<Stores()> openStores)
{
    std::promise<std::unique_ptr<Communicator>> promise;
    std::future<std::unique_ptr<Communicator>> met = promise.get_future();
    std::thread([rendezvous, openStores = std::move(openStores), promise = std::move(promise)]() mutable {
        try {
            const auto [store, controlStore] = openStores();
            const auto heartbeats = std::make_shared<StoreHeartbeats>(
                controlStore, rendezvous.rank, rendezvous.worldSize); // created first, because the others read it
            try {
                promise.set_value(std::make_unique<GlooCommunicator>(
                    store, controlStore, heartbeats, rendezvous.rank, rendezvous.worldSize, rendezvous));
            } catch (const std::exception &exception) {
                const std::string absent = heartbeats->absent();
                throw std::runtime_error(
                    absent.empty()
                        ? "all ranks registered, but they cannot connect to each other: " + firstLine(exception)
                        : absent + " did not join");
            }
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    if (met.wait_for(milliseconds(rendezvous.joinTimeout + deadline::kAnswer)) != std::future_status::ready)
        throw std::runtime_error("the process that listens there is not a rank of this run, or has stopped");
    return met.get();
}

Result<std::unique_ptr<Communicator>> metOrNot(
    const Rendezvous &rendezvous, Seconds timeLeft, std::function<Stores()> open)
{
    Rendezvous there = rendezvous;
    there.joinTimeout = std::max(timeLeft, 1.0);
    try {
        return meet(there, std::move(open));
    } catch (const std::exception &exception) {
        return notMet(rendezvous, firstLine(exception));
    }
}

Result<std::unique_ptr<Communicator>> joinHosted(const Rendezvous &rendezvous)
{
    const std::optional<Seconds> left = waitForHostedStore(rendezvous);
    if (!left)
        return notMet(
            rendezvous, "nothing listens there: the first rank has not started, or a firewall blocks the connection");
    return metOrNot(rendezvous, *left, [rendezvous] { return hostedStores(rendezvous); });
}

Result<std::unique_ptr<Communicator>> joinOwn(const Rendezvous &rendezvous)
{
    Result<std::unique_ptr<StoreRendezvous>> opened = StoreRendezvous::open(rendezvous);
    if (!opened)
        return opened.error();
    const std::shared_ptr<StoreRendezvous> store = std::move(*opened);
    const Result<Stores> stores = ownStores(store, milliseconds(rendezvous.joinTimeout));
    if (!stores)
        return notMet(rendezvous, stores.error().what);
    Result<std::unique_ptr<Communicator>> met =
        metOrNot(rendezvous, store->timeLeft(), [stores = *stores] { return stores; });
    store->finish();
    return met;
}

} // namespace

std::string glooMissing() { return {}; }

Result<std::unique_ptr<Communicator>> joinGloo(const Rendezvous &rendezvous)
{
    if (const Result<void> possible = checkRendezvous(rendezvous); !possible)
        return possible.error();
    // Broken connections are reported in our own messages; a user who sets the variable also gets those of LibTorch.
    ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
    c10::initLogging();
    return rendezvous.hosted ? joinHosted(rendezvous) : joinOwn(rendezvous);
}

} // namespace slipway
