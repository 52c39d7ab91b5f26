// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

Result<void> checkHost(const std::string &host)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (failure == 0) {
        ::freeaddrinfo(found);
        return {};
    }
    return Error{.what = "the host name '" + host + "' does not resolve: " + ::gai_strerror(failure), .where = "MASTER_ADDR", .accepted = "the name or address of the first node"};
}

// Binds as the meeting place will, and lets go at once.
Result<void> checkPort(int port)
{
    const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return {}; // no IPv6 here: the meeting place will say
    const int yes = 1, no = 0;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_any;
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    const int failure = ::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 ? 0 : errno;
    ::close(fd);
    if (failure == EADDRINUSE || failure == EACCES)
        return Error{.what = "port " + std::to_string(port) + (failure == EACCES ? " may not be used: " : " is in use on this machine: ") + systemMessage(failure), .where = "MASTER_PORT", .accepted = "a port that is free"};
    return {};
}

bool listens(const addrinfo &address, Seconds timeout)
{
    const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool connected = ::connect(fd, address.ai_addr, address.ai_addrlen) == 0;
    if (!connected && errno == EINPROGRESS) {
        pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
        int failure = 0;
        socklen_t size = sizeof failure;
        connected = ::poll(&writable, 1, static_cast<int>(timeout * 1e3)) == 1 && ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
    }
    ::close(fd);
    return connected;
}

} // namespace

std::optional<Seconds> waitForMeetingPlace(const Rendezvous &r)
{
    using Clock = std::chrono::steady_clock;
    constexpr Seconds kLeast = 0.1; // for one attempt, and between two
    const Clock::time_point start = Clock::now();
    const auto left = [&] { return r.joinTimeout - std::chrono::duration<double>(Clock::now() - start).count(); };
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    do {
        addrinfo *found = nullptr;
        if (::getaddrinfo(r.host.c_str(), std::to_string(r.port).c_str(), &hints, &found) == 0) {
            const std::unique_ptr<addrinfo, void (*)(addrinfo *)> addresses(found, ::freeaddrinfo);
            for (const addrinfo *address = found; address; address = address->ai_next) {
                if (listens(*address, std::max(left(), kLeast)))
                    return std::max(left(), kLeast);
            }
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(kLeast));
    } while (left() > 0);
    return std::nullopt;
}

Result<void> checkRendezvous(const Rendezvous &r)
{
    if (r.port < 1 || r.port > 65535)
        return Error{.what = std::to_string(r.port) + " is no port", .where = "MASTER_PORT", .accepted = "1 to 65535"};
    if (Result<void> host = checkHost(r.host); !host)
        return host;
    return r.rank == 0 && !r.hosted && !r.listenFd ? checkPort(r.port) : Result<void>();
}

} // namespace slipway
