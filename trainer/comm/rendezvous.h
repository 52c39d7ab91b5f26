// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rendezvous of a run's processes: rank, world size, store and time limits.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "comm/communicator.h"
#include "comm/sockets.h"

namespace slipway {

// If a rank dies, hangs or runs out of memory, all ranks end within kAll. Ranks that wait for it give up after kPeer.
// The first rank keeps the store for the others to read the cause: for kReading if it failed itself, as the others may
// be busy, and for kReadingAfterWait if it has waited as long as they have. Reading the store takes at most kAnswer.
// Our launcher gives ranks kGrace to end by themselves, kGrace after SIGTERM, and then kills them.
namespace deadline {
inline constexpr Seconds kAll = 30, kPeer = 20, kAnswer = 2, kReading = 10, kReadingAfterWait = 3, kGrace = 2,
                         kToEnd = 3;
static_assert(kPeer + kGrace + kGrace + kToEnd < kAll &&
              kPeer + std::max(kReadingAfterWait, kAnswer) + kGrace + kToEnd < kAll &&
              kReading + kGrace + kToEnd < kAll);
} // namespace deadline

// Time limit of start-up work that depends on the system: loading a library from a slow disk, starting a device, the
// first connections between devices. Meanwhile heartbeats show that the process runs.
inline constexpr Seconds kLoading = 120;

// Time limit of collectives before the first step, while heartbeats find ranks that hang.
inline constexpr Seconds kStartupTimeout = 86400;

struct Rendezvous {
    int rank = 0, worldSize = 1;
    int localRank = 0, localWorldSize = 1; // among those on this machine
    bool oneMachine = true;                // all ranks are known to be on this machine
    std::string host = "127.0.0.1";        // MASTER_ADDR: where the store listens
    int port = 29500;
    std::optional<int> listenFd; // socket of the first rank, if the port is already bound
    std::optional<int> secretFd; // with our launcher: the secret that all ranks inherit
    // The user's secret (SLIPWAY_SECRET_FILE). If empty, the first rank writes a new secret to secretFolder, which all
    // ranks can read.
    std::filesystem::path secretFile = {}, secretFolder = {};
    bool launched = false;                  // by our launcher, which kills ranks that do not end
    bool hosted = false;                    // torchrun's agent keeps the store
    std::string generation = "0";           // number of restarts; ranks of other generations are refused
    Seconds joinTimeout = 300;              // until all ranks have joined
    Seconds startTimeout = deadline::kPeer; // without progress before the first step (heartbeat_monitor.h)
    Seconds loadTimeout = kLoading;         // for loading a library, and for NCCL's set-up before the first step
    Seconds peerTimeout = deadline::kPeer;  // for waiting for another rank
    bool operator==(const Rendezvous &) const = default;
};

// Finds errors early that would otherwise end in a time-out: a host name that does not resolve.
Result<void> checkRendezvous(const Rendezvous &rendezvous);

// The address of this machine for ranks on other machines: the source address of a route to `host`. The machine's own
// name often resolves to a loopback address (127.0.1.1). Empty: it has only such addresses.
std::optional<std::string> addressForOthers(const std::string &host);

// The only address at which this rank listens, for the store and Gloo: 127.0.0.1 if all ranks are on this machine, else
// that of the interface GLOO_SOCKET_IFNAME, else addressForOthers().
Result<std::string> addressOfRank(const Rendezvous &rendezvous);

// The addresses at which ranks try to reach the store of the first rank. A name of this machine itself is replaced by
// addressForOthers(), because the store does not listen on the loopback interface then.
std::vector<SocketAddress> addressesOfStore(const Rendezvous &rendezvous);

// Waits until torchrun's agent listens (`hosted`). Returns the rest of `joinTimeout`; empty: it has passed.
std::optional<Seconds> waitForHostedStore(const Rendezvous &rendezvous);

// Joins the processes over TCP by Gloo. Fault::Peer if not all ranks join.
Result<std::unique_ptr<Communicator>> joinGloo(const Rendezvous &rendezvous);
// The reason why this program has no Gloo; empty if it has.
std::string glooMissing();

} // namespace slipway
