// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How ranks come to the rendezvous store: the first rank keeps it, all connect to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/result.h"
#include "comm/rendezvous.h"
#include "comm/store_client.h"
#include "comm/store_server.h"

namespace slipway {

class StoreMeeting {
public:
    // The first rank's begins to listen, and leaves the secret for the others where they have no other way to it.
    // Fault::Input where its port is taken, or where the user's secret file is unfit.
    static Result<std::unique_ptr<StoreMeeting>> open(const Rendezvous &rendezvous);
    ~StoreMeeting() { allAreThere(); }
    StoreMeeting(const StoreMeeting &) = delete;
    StoreMeeting &operator=(const StoreMeeting &) = delete;

    // Another connection of this rank's. Fault::Peer where none succeeds within the time to join.
    [[nodiscard]] Result<std::unique_ptr<StoreClient>> connect() const;
    [[nodiscard]] Seconds timeLeft() const;
    // No other rank is to come: takes the secret's file away.
    void allAreThere();

private:
    explicit StoreMeeting(const Rendezvous &rendezvous);
    Result<void> keepStore();
    [[nodiscard]] Result<RendezvousSecret> secret() const;

    Rendezvous m_rendezvous;
    std::string m_generation; // of this meeting, also among others of the same folder
    SocketClock::time_point m_deadline;
    std::optional<RendezvousSecret> m_secret;  // known from the start; empty: it is looked for in the folder
    std::optional<SocketAddress> m_ownAddress; // of the store that this rank keeps
    std::filesystem::path m_secretFile;        // that this rank left; empty: none
    std::unique_ptr<StoreServer> m_server;
};

} // namespace slipway
