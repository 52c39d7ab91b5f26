// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/store_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "comm/secure_channel.h"
#include "comm/sockets.h"

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAcceptedAtOnce = 16; // before the existing connections are served again
constexpr std::chrono::milliseconds kWhileFull{100};

// Limits the time, because a client may ask to wait for years.
Clock::time_point after(std::int64_t milliseconds)
{
    return Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(milliseconds, 0, 86'400'000));
}

} // namespace

// One connection, from its first byte. It does not block.
class StoreServer::Connection {
public:
    Connection(FileDescriptor socket, Clock::time_point mustProveBy)
        : m_socket(std::move(socket)),
          m_deadline(mustProveBy)
    {
    }

    [[nodiscard]] int socket() const { return m_socket.get(); }
    [[nodiscard]] bool proven() const { return m_opener.has_value(); }
    // Nothing is read while an answer is pending, so that the memory of a connection stays small.
    [[nodiscard]] short events() const
    {
        const bool busy = m_waiting || !m_out.empty();
        return static_cast<short>(POLLRDHUP | (busy ? 0 : POLLIN) | (m_out.empty() ? 0 : POLLOUT));
    }
    // The time of the next action even if nothing is received.
    [[nodiscard]] std::optional<Clock::time_point> deadline() const
    {
        return proven() && !m_waiting ? std::nullopt : std::optional(m_deadline);
    }

    // Returns false if the connection has ended.
    bool handle(short events, const StoreServer &server, StoreTable &table)
    {
        if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0)
            return false;
        if ((events & POLLIN) == 0 && (events & POLLRDHUP) != 0)
            return false;
        if ((events & POLLIN) != 0 && !receive())
            return false;
        return goOn(server, table) && send();
    }
    // Checks again whether the keys that a client waits for exist.
    bool answerWaiting(StoreTable &table)
    {
        if (!m_waiting)
            return proven() || Clock::now() < m_deadline;
        const std::optional<StoreAnswer> answer = table.answer(*m_waiting);
        if (!answer && Clock::now() < m_deadline)
            return true;
        m_waiting.reset();
        return answerWith(answer.value_or(StoreAnswer{})) && send();
    }

private:
    bool receive()
    {
        std::array<char, 16384> piece;
        const ssize_t count = ::recv(m_socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (count <= 0)
            return count < 0 && (errno == EAGAIN || errno == EINTR);
        const std::string_view bytes(piece.data(), static_cast<std::size_t>(count));
        if (m_opener)
            m_opener->take(bytes);
        else
            m_in += bytes;
        return true;
    }

    bool goOn(const StoreServer &server, StoreTable &table)
    {
        if (!proven())
            return handshake(server);
        while (!m_waiting && m_out.empty()) {
            Result<std::optional<std::string>> message = m_opener->next();
            if (!message)
                return false;
            if (!*message)
                return true;
            const std::optional<StoreRequest> request = decodedRequest(**message);
            if (!request || !handleRequest(*request, table))
                return false;
        }
        return true;
    }

    bool handshake(const StoreServer &server)
    {
        const std::size_t greeting = std::min(m_in.size(), kGreeting.size());
        if (std::string_view(m_in).substr(0, greeting) != kGreeting.substr(0, greeting))
            return false;
        const std::size_t hello = kGreeting.size() + std::tuple_size_v<Nonce>;
        if (!m_session) {
            if (m_in.size() < hello)
                return true;
            Nonce client{};
            std::copy_n(m_in.begin() + std::ssize(kGreeting), client.size(), client.begin());
            const Result<Nonce> own = newNonce();
            if (!own)
                return false;
            m_session = channelSession(server.m_secret, server.m_generation, client, *own);
            m_out.append(own->begin(), own->end());
        }
        if (m_in.size() < hello + m_session->clientProof.size())
            return true;
        if (m_in.size() > hello + m_session->clientProof.size() ||
            !isSameProof(m_session->clientProof, std::string_view(m_in).substr(hello)))
            return false;
        m_out.append(m_session->serverProof.begin(), m_session->serverProof.end());
        m_opener.emplace(m_session->clientKey);
        m_sealer.emplace(m_session->serverKey);
        m_in.clear();
        return true;
    }

    bool handleRequest(const StoreRequest &request, StoreTable &table)
    {
        if (const std::optional<StoreAnswer> answer = table.answer(request))
            return answerWith(*answer);
        m_waiting = request;
        m_deadline = after(request.number);
        return true;
    }

    // The values may exceed the size of one message; in this case the client asked for too many keys at once.
    bool answerWith(const StoreAnswer &answer)
    {
        const std::string message = encoded(answer);
        if (message.size() > kLongestMessage)
            return false;
        m_out += m_sealer->seal(message);
        return true;
    }

    bool send()
    {
        while (!m_out.empty()) {
            const ssize_t count = ::send(m_socket.get(), m_out.data(), m_out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (count < 0)
                return errno == EAGAIN || errno == EINTR;
            m_out.erase(0, static_cast<std::size_t>(count));
        }
        return true;
    }

    FileDescriptor m_socket;
    Clock::time_point m_deadline; // for authentication, and then for the keys that it waits for
    std::string m_in, m_out;      // m_in: bytes of the handshake
    std::optional<ChannelSession> m_session;
    std::optional<MessageOpener> m_opener; // set after authentication
    std::optional<MessageSealer> m_sealer;
    std::optional<StoreRequest> m_waiting; // a request for keys that do not exist yet
};

StoreServer::StoreServer(FileDescriptor listening, FileDescriptor wake, const RendezvousSecret &secret,
    std::string generation, UnauthenticatedLimits limits)
    : m_listening(std::move(listening)),
      m_wake(std::move(wake)),
      m_secret(secret),
      m_generation(std::move(generation)),
      m_limits(limits)
{
}

Result<std::unique_ptr<StoreServer>> StoreServer::start(
    FileDescriptor listening, const RendezvousSecret &secret, std::string generation, UnauthenticatedLimits limits)
{
    FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake)
        return Error{.what = "no descriptor for the store of the ranks: " + systemMessage(errno),
            .where = "rendezvous",
            .fault = Fault::Outside};
    setNonBlocking(listening.get());
    std::unique_ptr<StoreServer> server(
        new StoreServer(std::move(listening), std::move(wake), secret, std::move(generation), limits));
    server->m_thread = std::thread([own = server.get()] { own->serve(); });
    return server;
}

StoreServer::~StoreServer()
{
    m_stop = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_wake.get(), &one, sizeof one);
    m_thread.join();
}

void StoreServer::serve()
{
    while (!m_stop) {
        try {
            std::vector<pollfd> watched{{.fd = m_wake.get(), .events = POLLIN, .revents = 0},
                {.fd = m_full ? -1 : m_listening.get(), .events = POLLIN, .revents = 0}};
            for (const Connection &connection : m_connections)
                watched.push_back({.fd = connection.socket(), .events = connection.events(), .revents = 0});
            ::poll(watched.data(), watched.size(), pollTimeout());
            m_full = false;
            auto seen = watched.begin() + 2;
            for (auto connection = m_connections.begin(); connection != m_connections.end(); ++seen) {
                const bool continues = seen->revents == 0 || connection->handle(seen->revents, *this, m_table);
                connection = continues ? std::next(connection) : m_connections.erase(connection);
            }
            answerWaiting();
            if ((watched[1].revents & POLLIN) != 0)
                accept();
        } catch (const std::exception &) { // no memory for a request of a connection
            dropOldestUnauthenticated();
        }
    }
}

// Any request may have added the key that another connection waits for.
void StoreServer::answerWaiting()
{
    for (auto connection = m_connections.begin(); connection != m_connections.end();)
        connection = connection->answerWaiting(m_table) ? std::next(connection) : m_connections.erase(connection);
}

void StoreServer::accept()
{
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
        FileDescriptor socket(::accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            const bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
            m_full = full;
            if (full)
                dropOldestUnauthenticated();
            return;
        }
        sendAtOnce(socket.get());
        while (unauthenticated() >= m_limits.atMost)
            dropOldestUnauthenticated();
        m_connections.emplace_back(std::move(socket), after(static_cast<std::int64_t>(m_limits.timeout * 1e3)));
    }
}

std::size_t StoreServer::unauthenticated() const
{
    return static_cast<std::size_t>(std::count_if(
        m_connections.begin(), m_connections.end(), [](const Connection &connection) { return !connection.proven(); }));
}

void StoreServer::dropOldestUnauthenticated()
{
    const auto oldest = std::find_if(
        m_connections.begin(), m_connections.end(), [](const Connection &connection) { return !connection.proven(); });
    if (oldest != m_connections.end())
        m_connections.erase(oldest);
}

// Milliseconds until the next deadline; -1 if there is none.
int StoreServer::pollTimeout() const
{
    std::optional<Clock::time_point> next = m_full ? std::optional(Clock::now() + kWhileFull) : std::nullopt;
    for (const Connection &connection : m_connections) {
        const std::optional<Clock::time_point> due = connection.deadline();
        if (due && (!next || *due < *next))
            next = due;
    }
    if (!next)
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
}

} // namespace slipway
