// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The server of the rendezvous store, in the first rank. LibTorch's TCPStore answers anyone who can reach its port.
// This server reads no request from a connection that has not proven that it knows the run's secret (secure_channel.h),
// and sends it no data. Unauthenticated connections cannot block ranks: they are limited in number and time, and the
// oldest one is closed to accept the next.
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"
#include "comm/rendezvous_secret.h"
#include "comm/store_protocol.h"

namespace slipway {

// Limits of connections that are not authenticated yet.
struct UnauthenticatedLimits {
    Seconds timeout = 10; // per connection
    std::size_t atMost = 64;
};

class StoreServer {
public:
    // `listening` is a bound socket that already listens.
    static Result<std::unique_ptr<StoreServer>> start(FileDescriptor listening, const RendezvousSecret &secret,
        std::string generation, UnauthenticatedLimits limits = {});
    ~StoreServer();
    StoreServer(const StoreServer &) = delete;
    StoreServer &operator=(const StoreServer &) = delete;

private:
    class Connection;
    StoreServer(FileDescriptor listening, FileDescriptor wake, const RendezvousSecret &secret, std::string generation,
        UnauthenticatedLimits limits);
    void serve();
    void accept();
    void answerWaiting();
    void dropOldestUnauthenticated();
    [[nodiscard]] std::size_t unauthenticated() const;
    [[nodiscard]] int pollTimeout() const;

    FileDescriptor m_listening, m_wake;
    RendezvousSecret m_secret;
    std::string m_generation;
    UnauthenticatedLimits m_limits;
    StoreTable m_table;
    std::list<Connection> m_connections; // ordered by their arrival
    bool m_full = false;                 // the process has no free file descriptor
    std::atomic<bool> m_stop = false;
    std::thread m_thread;
};

} // namespace slipway
