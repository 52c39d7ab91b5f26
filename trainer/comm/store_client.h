// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A rank's connection to the rendezvous store. It is thread-safe and sends one request at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "comm/rendezvous_secret.h"
#include "comm/secure_channel.h"
#include "comm/sockets.h"
#include "comm/store_protocol.h"

namespace slipway {

class StoreClient {
public:
    struct JoinOptions {
        std::function<std::vector<SocketAddress>()> addresses; // called per attempt, as a name may resolve later
        std::function<Result<RendezvousSecret>()> secret;      // called per attempt, as it may not be written yet
        std::string generation;
        SocketClock::time_point deadline;
    };
    // Retries until the deadline. The error is that of the last attempt.
    static Result<std::unique_ptr<StoreClient>> join(const JoinOptions &options);

    // Sends a request and waits for the answer, for a Read longer than its own time limit. Fault::Peer if the
    // connection breaks; the client is then unusable.
    Result<StoreAnswer> ask(const StoreRequest &request);

private:
    StoreClient(FileDescriptor socket, const ChannelSession &session);
    static Result<std::unique_ptr<StoreClient>> authenticate(
        FileDescriptor socket, const RendezvousSecret &secret, const JoinOptions &options);
    std::optional<StoreAnswer> exchange(const StoreRequest &request);

    std::mutex m_oneRequest;
    FileDescriptor m_socket; // closed once the connection broke
    MessageSealer m_sealer;
    MessageOpener m_opener;
};

} // namespace slipway
