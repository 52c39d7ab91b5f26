// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// TCP sockets of the rendezvous: every wait has a deadline.
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

// None: the name does not resolve.
std::vector<SocketAddress> resolved(const std::string &host, int port);
// Without the port.
std::string textOf(const sockaddr &address);
bool isLoopback(const sockaddr &address);

// A socket that listens at this one address (no other interface); port 0: one that is free.
Result<FileDescriptor> listenAt(const std::string &address, int port);
// Where a socket is bound.
SocketAddress boundAddress(int socket);
int portOf(int socket);

// A connection, which does not block; empty: nothing listens there, or no answer came in time.
std::optional<FileDescriptor> connectTo(const SocketAddress &address, SocketClock::time_point deadline);
void doNotBlock(int socket);
// Small messages are not held back to be sent together.
void sendAtOnce(int socket);

// False: the connection broke, or the deadline passed.
bool sendAll(int socket, std::string_view bytes, SocketClock::time_point deadline);
// One or more bytes, but no more than `most`; empty: as above.
std::string receiveSome(int socket, std::size_t most, SocketClock::time_point deadline);
// Exactly `count` bytes; shorter: as above.
std::string receiveExactly(int socket, std::size_t count, SocketClock::time_point deadline);

} // namespace slipway
