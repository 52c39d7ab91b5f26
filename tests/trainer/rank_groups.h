// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as threads of the test, whatever carries what they say to each other.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "comm/rendezvous.h"
#include "comm/rendezvous_secret.h"
#include "comm/thread_group.h"

namespace slipway::testing {

inline void runOverThreads(int ranks, const std::function<void(Communicator &)> &work) { ThreadGroup(ranks).run(work); }

// Each rank has its own connections, as processes have, and ends as slipway-train does: who fails leaves word. The
// first failure that is no other rank's is thrown here; where there is none, the first one.
inline void runOverGloo(
    int ranks, const std::function<void(Communicator &)> &work, Seconds peerTimeout = deadline::kPeer)
{
    Result<FileDescriptor> socket = listenAt("127.0.0.1", 0);
    ASSERT_TRUE(socket);
    const FileDescriptor secret = std::move(secretDescriptor(newSecret().value())).value();
    const int port = portOf(socket->get()), listening = socket->release();
    std::mutex mutex;
    std::exception_ptr cause, heard;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            Rendezvous rendezvous{
                .rank = rank, .worldSize = ranks, .port = port, .secretFd = secret.get(), .peerTimeout = peerTimeout};
            if (rank == 0)
                rendezvous.listenFd = listening;
            auto joined = joinGloo(rendezvous);
            ASSERT_TRUE(joined) << joined.error().message();
            (*joined)->finishStartup();
            try {
                work(**joined);
                (*joined)->barrier(); // the first rank keeps the meeting place
            } catch (const PeerFailed &failure) {
                (*joined)->reportFailure(failure.what(), deadline::kReadingAfterWait);
                const std::lock_guard lock(mutex);
                heard = heard ? heard : std::current_exception();
            } catch (const std::exception &failure) {
                (*joined)->reportFailure((*joined)->nameOf(rank) + " failed: " + failure.what(), deadline::kReading);
                const std::lock_guard lock(mutex);
                cause = cause ? cause : std::current_exception();
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    if (cause || heard)
        std::rethrow_exception(cause ? cause : heard);
}

// A parameter of tests.
struct RankGroup {
    const char *name = "";
    void (*run)(int ranks, const std::function<void(Communicator &)> &work) = nullptr;
};

inline std::vector<RankGroup> everyRankGroup()
{
    std::vector<RankGroup> groups{{.name = "Threads", .run = runOverThreads}};
    if (glooMissing().empty())
        groups.push_back({.name = "Gloo",
            .run = [](int ranks, const std::function<void(Communicator &)> &work) { runOverGloo(ranks, work); }});
    return groups;
}

} // namespace slipway::testing
