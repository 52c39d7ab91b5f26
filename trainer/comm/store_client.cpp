// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/store_client.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace slipway {

namespace {

constexpr std::chrono::milliseconds kBetweenAttempts{50};
constexpr std::chrono::seconds kOneAttempt{5}; // time to connect and to authenticate
// Long, because the machine of the first rank may be suspended for a while.
constexpr std::chrono::seconds kAnswer{300};

Error notJoined(const std::string &why) { return {.what = why, .fault = Fault::Peer}; }

} // namespace

StoreClient::StoreClient(FileDescriptor socket, const ChannelSession &session)
    : m_socket(std::move(socket)),
      m_sealer(session.clientKey),
      m_opener(session.serverKey)
{
}

Result<std::unique_ptr<StoreClient>> StoreClient::join(const JoinOptions &options)
{
    for (;;) {
        Error last =
            notJoined("nothing listens there: the first rank has not started, or a firewall blocks the connection");
        for (const SocketAddress &address : options.addresses()) {
            std::optional<FileDescriptor> socket =
                connectTo(address, std::min(options.deadline, SocketClock::now() + kOneAttempt));
            if (!socket)
                continue;
            const Result<RendezvousSecret> secret = options.secret();
            if (!secret) {
                last = notJoined(secret.error().message());
                continue;
            }
            Result<std::unique_ptr<StoreClient>> client = authenticate(std::move(*socket), *secret, options);
            if (client)
                return client;
            last = client.error();
        }
        if (SocketClock::now() + kBetweenAttempts >= options.deadline)
            return last;
        std::this_thread::sleep_for(kBetweenAttempts);
    }
}

// The server also authenticates itself, so that a process that took over the port learns nothing useful.
Result<std::unique_ptr<StoreClient>> StoreClient::authenticate(
    FileDescriptor socket, const RendezvousSecret &secret, const JoinOptions &options)
{
    const SocketClock::time_point deadline = std::min(options.deadline, SocketClock::now() + kOneAttempt);
    const Result<Nonce> own = newNonce();
    if (!own)
        return own.error();
    std::string greeting(kGreeting);
    greeting.append(own->begin(), own->end());
    Nonce server{};
    const std::string theirs =
        sendAll(socket.get(), greeting, deadline) ? receiveExactly(socket.get(), server.size(), deadline) : "";
    if (theirs.size() != server.size())
        return notJoined("the process that listens there does not answer as the first rank of a run");
    std::copy(theirs.begin(), theirs.end(), server.begin());
    const ChannelSession session = channelSession(secret, options.generation, *own, server);
    const std::string proof(session.clientProof.begin(), session.clientProof.end());
    if (!sendAll(socket.get(), proof, deadline) ||
        !isSameProof(session.serverProof, receiveExactly(socket.get(), session.serverProof.size(), deadline)))
        return notJoined("the process that listens there does not know the secret of this run");
    return std::unique_ptr<StoreClient>(new StoreClient(std::move(socket), session));
}

Result<StoreAnswer> StoreClient::ask(const StoreRequest &request)
{
    const std::scoped_lock lock(m_oneRequest);
    std::optional<StoreAnswer> answer = m_socket ? exchange(request) : std::nullopt;
    if (answer)
        return std::move(*answer);
    m_socket.close();
    return notJoined("the connection to the rendezvous store of rank 0 broke");
}

std::optional<StoreAnswer> StoreClient::exchange(const StoreRequest &request)
{
    const std::string message = encoded(request);
    if (message.size() > kLongestMessage)
        return std::nullopt;
    SocketClock::time_point deadline = SocketClock::now() + kAnswer;
    if (request.op == StoreOp::Read)
        deadline += std::chrono::milliseconds(std::clamp<std::int64_t>(request.number, 0, 86'400'000));
    if (!sendAll(m_socket.get(), m_sealer.seal(message), deadline))
        return std::nullopt;
    for (;;) {
        const Result<std::optional<std::string>> received = m_opener.next();
        if (!received)
            return std::nullopt;
        if (*received)
            return decodedAnswer(**received);
        const std::string more = receiveSome(m_socket.get(), 16384, deadline);
        if (more.empty())
            return std::nullopt;
        m_opener.take(more);
    }
}

} // namespace slipway
