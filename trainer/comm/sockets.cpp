// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/sockets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace slipway {

namespace {

// Returns false if the deadline passed.
bool waitFor(int socket, short events, SocketClock::time_point deadline)
{
    pollfd watched{.fd = socket, .events = events, .revents = 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SocketClock::now()).count();
        const int ready = ::poll(&watched, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 86'400'000)));
        if (ready != 0 && !(ready < 0 && errno == EINTR))
            return ready > 0;
        if (ready == 0)
            return false;
    }
}

Error cannotListen(const std::string &address, int port, int failure)
{
    const std::string what = failure == EACCES ? " may not be used: " : " is in use on this machine: ";
    if (failure == EADDRINUSE || failure == EACCES)
        return {.what = "port " + std::to_string(port) + what + systemMessage(failure),
            .where = "MASTER_PORT",
            .accepted = "a free port"};
    return {.what = "the ranks cannot meet at " + address + ": " + systemMessage(failure),
        .where = "MASTER_ADDR",
        .fault = Fault::Outside};
}

} // namespace

std::vector<SocketAddress> resolved(const std::string &host, int port)
{
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        return {};
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(found, ::freeaddrinfo);
    std::vector<SocketAddress> addresses;
    for (const addrinfo *one = found; one; one = one->ai_next) {
        SocketAddress address{.size = one->ai_addrlen};
        std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
        addresses.push_back(address);
    }
    return addresses;
}

std::string textOf(const sockaddr &address)
{
    char text[NI_MAXHOST] = "";
    ::getnameinfo(&address, address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6), text,
        sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

bool isLoopback(const sockaddr &address)
{
    if (address.sa_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in &>(address).sin_addr.s_addr) >> 24U) == 127;
    return address.sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr);
}

Result<FileDescriptor> listenAt(const std::string &address, int port)
{
    int failure = EADDRNOTAVAIL;
    for (const SocketAddress &one : resolved(address, port)) {
        FileDescriptor socket(::socket(one.get().sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int yes = 1;
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (::bind(socket.get(), &one.get(), one.size) == 0 && ::listen(socket.get(), SOMAXCONN) == 0)
            return socket;
        failure = errno;
    }
    return cannotListen(address, port, failure);
}

SocketAddress boundAddress(int socket)
{
    SocketAddress address{.size = sizeof(sockaddr_storage)};
    ::getsockname(socket, reinterpret_cast<sockaddr *>(&address.storage), &address.size);
    return address;
}

int portOf(int socket)
{
    const SocketAddress address = boundAddress(socket);
    return ntohs(address.get().sa_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6 &>(address.storage).sin6_port
                                                     : reinterpret_cast<const sockaddr_in &>(address.storage).sin_port);
}

std::optional<FileDescriptor> connectTo(const SocketAddress &address, SocketClock::time_point deadline)
{
    FileDescriptor socket(::socket(address.get().sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
        return std::nullopt;
    if (::connect(socket.get(), &address.get(), address.size) != 0) {
        int failure = errno;
        socklen_t size = sizeof failure;
        if (failure != EINPROGRESS || !waitFor(socket.get(), POLLOUT, deadline) ||
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0)
            return std::nullopt;
    }
    sendAtOnce(socket.get());
    return socket;
}

void setNonBlocking(int socket) { ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK); }

void sendAtOnce(int socket)
{
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool sendAll(int socket, std::string_view bytes, SocketClock::time_point deadline)
{
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count > 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
        else if ((errno != EAGAIN && errno != EINTR) || !waitFor(socket, POLLOUT, deadline))
            return false;
    }
    return true;
}

std::string receiveSome(int socket, std::size_t most, SocketClock::time_point deadline)
{
    std::string bytes(most, '\0');
    for (;;) {
        const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (count >= 0 || (errno != EAGAIN && errno != EINTR) || !waitFor(socket, POLLIN, deadline)) {
            bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
            return bytes;
        }
    }
}

std::string receiveExactly(int socket, std::size_t count, SocketClock::time_point deadline)
{
    std::string bytes;
    while (bytes.size() < count) {
        const std::string more = receiveSome(socket, count - bytes.size(), deadline);
        if (more.empty())
            break;
        bytes += more;
    }
    return bytes;
}

} // namespace slipway
