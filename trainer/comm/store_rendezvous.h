// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A rank's access to the rendezvous store: the first rank keeps the store, and all ranks connect to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/result.h"
#include "comm/rendezvous.h"
#include "comm/store_client.h"
#include "comm/store_server.h"

namespace slipway {

class StoreRendezvous {
public:
    // On the first rank, starts the store and writes the secret to a file if the others have no other way to get it.
    // Fault::Input if its port is in use, or if the user's secret file is invalid.
    static Result<std::unique_ptr<StoreRendezvous>> open(const Rendezvous &rendezvous);
    ~StoreRendezvous() { finish(); }
    StoreRendezvous(const StoreRendezvous &) = delete;
    StoreRendezvous &operator=(const StoreRendezvous &) = delete;

    // Opens a new connection of this rank. Fault::Peer if none succeeds within joinTimeout.
    [[nodiscard]] Result<std::unique_ptr<StoreClient>> connect() const;
    [[nodiscard]] Seconds timeLeft() const;
    // Called when all ranks have joined: removes the file of the secret.
    void finish();

private:
    explicit StoreRendezvous(const Rendezvous &rendezvous);
    Result<void> startStore();
    [[nodiscard]] Result<RendezvousSecret> secret() const;

    Rendezvous m_rendezvous;
    std::string m_generation; // distinguishes this rendezvous from others that use the same folder
    SocketClock::time_point m_deadline;
    std::optional<RendezvousSecret> m_secret;  // empty: read from the folder
    std::optional<SocketAddress> m_ownAddress; // of the store; set on the first rank
    std::filesystem::path m_secretFile;        // written by this rank; empty: it wrote none
    std::unique_ptr<StoreServer> m_server;
};

} // namespace slipway
