// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where the processes of a run meet, and who they are there.
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

// Where a rank dies, hangs or finds no memory, all have ended within 30 s. Whoever waits for it gives up; the first
// rank keeps what was said for the others to read, longer where it failed itself, since others may be busy, than where
// it has waited as long as they, who do not wait for its answer where it has stopped itself; our own launcher lets the
// rest end by themselves, then asks them to, then ends them.
namespace deadline {
inline constexpr Seconds kAll = 30, kPeer = 20, kAnswer = 2, kReading = 10, kReadingAfterWait = 3, kGrace = 2,
                         kToEnd = 3;
static_assert(kPeer + kGrace + kGrace + kToEnd < kAll &&
              kPeer + std::max(kReadingAfterWait, kAnswer) + kGrace + kToEnd < kAll &&
              kReading + kGrace + kToEnd < kAll);
} // namespace deadline

// For the part of a start whose time is not ours: a library that comes from a disk far away, a device's driver, the
// first connections of a library between devices. Ranks that wait for it meanwhile see that its process runs.
inline constexpr Seconds kLoading = 120;

// Of collectives before the first step, while heartbeats tell whether the ranks get on.
inline constexpr Seconds kWhileOthersStart = 86400;

struct Rendezvous {
    int rank = 0, world = 1;
    int localRank = 0, localWorld = 1; // among those on this machine
    bool oneMachine = true;            // whether all are known to be on it
    std::string host = "127.0.0.1";    // of the meeting place
    int port = 29500;
    std::optional<int> listenFd; // the first rank's, where the port is bound already
    std::optional<int> secretFd; // our launcher's: the secret that all ranks inherit
    // The user's secret (SLIPWAY_SECRET_FILE). Empty: the first rank makes one and leaves it in the folder, which all
    // ranks see.
    std::filesystem::path secretFile = {}, secretFolder = {};
    bool launched = false;        // by our own launcher, which ends who does not answer
    bool hosted = false;          // somebody else keeps the meeting place: torchrun's agent
    std::string generation = "0"; // of restarts: ranks of another one are not met
    Seconds joinTimeout = 300;    // for all to come
    Seconds startTimeout =
        deadline::kPeer;                   // for a rank to get on by itself before the first step (heartbeat_monitor.h)
    Seconds loadTimeout = kLoading;        // for a library to load, and for NCCL to set itself up before the first step
    Seconds peerTimeout = deadline::kPeer; // for a rank that others wait for
    bool operator==(const Rendezvous &) const = default;
};

// Errors that would come back as a time-out: the host's name does not resolve.
Result<void> checkRendezvous(const Rendezvous &rendezvous);

// Where ranks on other machines reach this one, who meet at `host`: the address that a way there begins with. A
// machine's own name often stands for itself alone (127.0.1.1). Empty: it has no address but that.
std::optional<std::string> addressForOthers(const std::string &host);

// The one address at which this rank listens, for the store and for Gloo: 127.0.0.1 where all ranks are on this
// machine, else that of the interface GLOO_SOCKET_IFNAME, else addressForOthers().
Result<std::string> addressOfRank(const Rendezvous &rendezvous);

// Where the other ranks look for the store that the first rank keeps. A name that means this machine itself stands for
// the address that other machines reach, since the store does not listen on the loopback interface then.
std::vector<SocketAddress> addressesOfStore(const Rendezvous &rendezvous);

// Waits until somebody listens at a store that is not ours (`hosted`): the time of `joinTimeout` that is left then;
// empty: nobody has come in all of it.
std::optional<Seconds> waitForHostedStore(const Rendezvous &rendezvous);

// Processes over TCP, by Gloo. Fault::Peer where not all come.
Result<std::unique_ptr<Communicator>> joinGloo(const Rendezvous &rendezvous);
// Empty where this program can; else why not.
std::string glooMissing();

} // namespace slipway
