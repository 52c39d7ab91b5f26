// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/store_rendezvous.h"

#include <algorithm>
#include <fcntl.h>
#include <system_error>
#include <utility>

namespace slipway {

namespace {

// The port of the first rank may be bound already, by its launcher, which has passed it to the other ranks.
Result<FileDescriptor> listeningSocket(const Rendezvous &r)
{
    if (r.listenFd) {
        ::fcntl(*r.listenFd, F_SETFD, FD_CLOEXEC);
        return FileDescriptor(*r.listenFd);
    }
    const Result<std::string> address = addressOfRank(r);
    return address ? listenAt(*address, r.port) : Result<FileDescriptor>(address.error());
}

} // namespace

StoreRendezvous::StoreRendezvous(const Rendezvous &rendezvous)
    : m_rendezvous(rendezvous),
      m_generation(
          rendezvous.generation + "/" + std::to_string(rendezvous.port) + "/" + std::to_string(rendezvous.worldSize)),
      m_deadline(
          SocketClock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(rendezvous.joinTimeout * 1e3)))
{
}

Result<std::unique_ptr<StoreRendezvous>> StoreRendezvous::open(const Rendezvous &rendezvous)
{
    std::unique_ptr<StoreRendezvous> opened(new StoreRendezvous(rendezvous));
    if (rendezvous.secretFd || !rendezvous.secretFile.empty()) {
        const Result<RendezvousSecret> given =
            rendezvous.secretFd ? readSecret(*rendezvous.secretFd) : readSecretFile(rendezvous.secretFile);
        if (!given)
            return given.error();
        opened->m_secret = *given;
    }
    if (const Result<void> kept = rendezvous.rank == 0 ? opened->startStore() : Result<void>(); !kept)
        return kept.error();
    return opened;
}

Result<void> StoreRendezvous::startStore()
{
    Result<FileDescriptor> socket = listeningSocket(m_rendezvous);
    if (!socket)
        return socket.error();
    m_ownAddress = boundAddress(socket->get());
    if (!m_secret) {
        const Result<RendezvousSecret> made = newSecret();
        if (!made)
            return made.error();
        if (const Result<void> folder = makePrivateFolder(m_rendezvous.secretFolder); !folder)
            return folder;
        const std::filesystem::path file = secretFileIn(m_rendezvous.secretFolder, m_generation);
        if (const Result<void> left = writeSecretFile(file, *made); !left)
            return left;
        m_secret = *made;
        m_secretFile = file;
    }
    Result<std::unique_ptr<StoreServer>> server = StoreServer::start(std::move(*socket), *m_secret, m_generation);
    if (!server)
        return server.error();
    m_server = std::move(*server);
    return {};
}

Result<RendezvousSecret> StoreRendezvous::secret() const
{
    if (m_secret)
        return *m_secret;
    std::error_code ignored;
    const std::filesystem::path file = secretFileIn(m_rendezvous.secretFolder, m_generation);
    if (std::filesystem::exists(file, ignored))
        return readSecretFile(file);
    return Error{.what = "rank 0 has left no secret in " + m_rendezvous.secretFolder.string() +
                         ": it has not started, or it uses another folder; SLIPWAY_SECRET_FILE can name a file with "
                         "the secret on every node"};
}

Result<std::unique_ptr<StoreClient>> StoreRendezvous::connect() const
{
    return StoreClient::join(
        {.addresses = [this] { return m_ownAddress ? std::vector{*m_ownAddress} : addressesOfStore(m_rendezvous); },
            .secret = [this] { return secret(); },
            .generation = m_generation,
            .deadline = m_deadline});
}

Seconds StoreRendezvous::timeLeft() const
{
    return std::max(0.0, std::chrono::duration<double>(m_deadline - SocketClock::now()).count());
}

void StoreRendezvous::finish()
{
    std::error_code ignored;
    if (!m_secretFile.empty())
        std::filesystem::remove(std::exchange(m_secretFile, {}), ignored);
}

} // namespace slipway
