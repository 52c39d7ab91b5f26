// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
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
    return Error{.what = "the host name '" + host + "' does not resolve: " + ::gai_strerror(failure),
        .where = "MASTER_ADDR",
        .accepted = "the name or address of the first node"};
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
        return Error{.what = "port " + std::to_string(port) +
                             (failure == EACCES ? " may not be used: " : " is in use on this machine: ") +
                             systemMessage(failure),
            .where = "MASTER_PORT",
            .accepted = "a port that is free"};
    return {};
}

bool isLoopback(const sockaddr &address)
{
    if (address.sa_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in &>(address).sin_addr.s_addr) >> 24U) == 127;
    return address.sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr);
}

std::string textOf(const sockaddr &address)
{
    char text[NI_MAXHOST] = "";
    ::getnameinfo(&address, address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6), text,
        sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

// What the system would send from; nothing is sent. Empty: itself.
std::optional<std::string> addressTowards(const std::string &host)
{
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_DGRAM;
    if (::getaddrinfo(host.c_str(), "9", &hints, &found) != 0)
        return std::nullopt;
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> addresses(found, ::freeaddrinfo);
    for (const addrinfo *to = found; to; to = to->ai_next) {
        const int fd = ::socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_storage own{};
        socklen_t size = sizeof own;
        const bool known = fd >= 0 && ::connect(fd, to->ai_addr, to->ai_addrlen) == 0 &&
                           ::getsockname(fd, reinterpret_cast<sockaddr *>(&own), &size) == 0;
        if (fd >= 0)
            ::close(fd);
        if (known && !isLoopback(reinterpret_cast<const sockaddr &>(own)))
            return textOf(reinterpret_cast<const sockaddr &>(own));
    }
    return std::nullopt;
}

// Where there is no way out: the first network that is up.
std::optional<std::string> addressOfAnInterface()
{
    ifaddrs *found = nullptr;
    if (::getifaddrs(&found) != 0)
        return std::nullopt;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> interfaces(found, ::freeifaddrs);
    for (const int family : {AF_INET, AF_INET6}) {
        for (const ifaddrs *one = found; one; one = one->ifa_next) {
            if (one->ifa_addr && one->ifa_addr->sa_family == family && (one->ifa_flags & IFF_RUNNING) != 0 &&
                !isLoopback(*one->ifa_addr) &&
                !(family == AF_INET6 &&
                    IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6 *>(one->ifa_addr)->sin6_addr)))
                return textOf(*one->ifa_addr);
        }
    }
    return std::nullopt;
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
        connected = ::poll(&writable, 1, static_cast<int>(timeout * 1e3)) == 1 &&
                    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
    }
    ::close(fd);
    return connected;
}

} // namespace

// The meeting place may be on this machine: then any other one tells.
std::optional<std::string> addressForOthers(const std::string &host)
{
    constexpr const char *kElsewhere[] = {"192.0.2.1", "2001:db8::1"}; // of nobody (RFC 5737, RFC 3849)
    std::optional<std::string> own = addressTowards(host);
    for (const char *other : kElsewhere) {
        if (!own)
            own = addressTowards(other);
    }
    return own ? own : addressOfAnInterface();
}

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
