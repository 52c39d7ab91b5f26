// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// TCP sockets for the rendezvous. Every wait has a deadline.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace slipway {

using SocketClock = std::chrono::steady_clock;

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr &get() const { return reinterpret_cast<const sockaddr &>(storage); }
};

// Resolves a host name. Empty if it does not resolve.
std::vector<SocketAddress> resolved(const std::string &host, int port);
// Formats the address without the port.
std::string textOf(const sockaddr &address);
bool isLoopback(const sockaddr &address);

// Opens a socket that listens only at this address, not on other interfaces. Port 0: any free port.
Result<FileDescriptor> listenAt(const std::string &address, int port);
// The address that a socket is bound to.
SocketAddress boundAddress(int socket);
int portOf(int socket);

// Opens a non-blocking connection; empty: nothing listens there, or the deadline passed.
std::optional<FileDescriptor> connectTo(const SocketAddress &address, SocketClock::time_point deadline);
void setNonBlocking(int socket);
// Sets TCP_NODELAY.
void sendAtOnce(int socket);

// Returns false if the connection broke or the deadline passed.
bool sendAll(int socket, std::string_view bytes, SocketClock::time_point deadline);
// Receives between 1 and `most` bytes; empty: the connection broke, or the deadline passed.
std::string receiveSome(int socket, std::size_t most, SocketClock::time_point deadline);
// Receives exactly `count` bytes; fewer: the connection broke, or the deadline passed.
std::string receiveExactly(int socket, std::size_t count, SocketClock::time_point deadline);

} // namespace slipway
