// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

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

// The source address that the system would use towards `host`; nothing is sent. Empty if `host` is this machine.
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

// The first matching address; IPv4 addresses come before IPv6 addresses.
template<typename Fits>
std::optional<std::string> addressWhere(const Fits &fits)
{
    ifaddrs *found = nullptr;
    if (::getifaddrs(&found) != 0)
        return std::nullopt;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> interfaces(found, ::freeifaddrs);
    for (const int family : {AF_INET, AF_INET6}) {
        for (const ifaddrs *one = found; one; one = one->ifa_next) {
            if (one->ifa_addr && one->ifa_addr->sa_family == family && fits(*one))
                return textOf(*one->ifa_addr);
        }
    }
    return std::nullopt;
}

// For machines without a route to other networks: the address of the first interface that is up.
std::optional<std::string> addressOfAnInterface()
{
    return addressWhere([](const ifaddrs &one) {
        const bool linkLocal = one.ifa_addr->sa_family == AF_INET6 &&
                               IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6 *>(one.ifa_addr)->sin6_addr);
        return (one.ifa_flags & IFF_RUNNING) != 0 && !isLoopback(*one.ifa_addr) && !linkLocal;
    });
}

std::optional<std::string> addressOfInterface(const std::string &name)
{
    return addressWhere([&name](const ifaddrs &one) { return name == one.ifa_name; });
}

} // namespace

// The rendezvous host may be this machine; then a route to any other address is used.
std::optional<std::string> addressForOthers(const std::string &host)
{
    // Reserved addresses that belong to no host (RFC 5737, RFC 3849).
    constexpr const char *kElsewhere[] = {"192.0.2.1", "2001:db8::1"};
    std::optional<std::string> own = addressTowards(host);
    for (const char *other : kElsewhere) {
        if (!own)
            own = addressTowards(other);
    }
    return own ? own : addressOfAnInterface();
}

Result<std::string> addressOfRank(const Rendezvous &r)
{
    if (r.oneMachine)
        return std::string("127.0.0.1");
    const char *const interface = std::getenv("GLOO_SOCKET_IFNAME");
    const bool named = interface && *interface;
    const std::optional<std::string> own = named ? addressOfInterface(interface) : addressForOthers(r.host);
    if (own)
        return *own;
    if (named)
        return Error{.what = "this machine has no network interface '" + std::string(interface) + "' with an address",
            .where = "GLOO_SOCKET_IFNAME",
            .accepted = "the name of an interface that the other nodes can reach"};
    return Error{.what = "this machine has no address that other machines can reach",
        .where = "MASTER_ADDR",
        .accepted = "a network between the nodes",
        .fault = Fault::Outside};
}

std::vector<SocketAddress> addressesOfStore(const Rendezvous &r)
{
    if (r.oneMachine)
        return resolved("127.0.0.1", r.port);
    std::vector<SocketAddress> addresses = resolved(r.host, r.port);
    const auto loopback = std::remove_if(
        addresses.begin(), addresses.end(), [](const SocketAddress &address) { return isLoopback(address.get()); });
    const bool meansThisMachine = loopback != addresses.end();
    addresses.erase(loopback, addresses.end());
    if (const Result<std::string> own = addressOfRank(r); meansThisMachine && own) {
        const std::vector<SocketAddress> outside = resolved(*own, r.port);
        addresses.insert(addresses.end(), outside.begin(), outside.end());
    }
    return addresses;
}

std::optional<Seconds> waitForHostedStore(const Rendezvous &r)
{
    constexpr std::chrono::milliseconds kBetweenAttempts{100};
    const SocketClock::time_point deadline =
        SocketClock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(r.joinTimeout * 1e3));
    do {
        for (const SocketAddress &address : resolved(r.host, r.port)) {
            if (connectTo(address, deadline))
                return std::chrono::duration<double>(deadline - SocketClock::now()).count();
        }
        std::this_thread::sleep_for(kBetweenAttempts);
    } while (SocketClock::now() < deadline);
    return std::nullopt;
}

Result<void> checkRendezvous(const Rendezvous &r)
{
    if (r.port < 1 || r.port > 65535)
        return Error{
            .what = std::to_string(r.port) + " is not a port", .where = "MASTER_PORT", .accepted = "1 to 65535"};
    return checkHost(r.host);
}

} // namespace slipway
