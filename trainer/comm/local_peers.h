// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The other ranks that are processes of this machine. One that is stopped (SIGSTOP) hears of no failure and of no
// SIGTERM until somebody continues it: who started it would wait for it, torchrun 30 s and srun without end.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace slipway {

class LocalPeers {
public:
    // What a process shows the others of itself.
    static std::string ownMark();

    LocalPeers() = default;
    // `marks` of all ranks, this one's among them; those of other machines are nobody here.
    LocalPeers(const std::vector<std::string> &marks, int rank);

    // Ranks whose process is stopped now.
    [[nodiscard]] std::vector<int> stopped() const;
    // Ends those that are stopped for a second and more, and that are siblings of this process: of the same user, and
    // started by the same parent, as torchrun and Slurm start ranks. Who continues all ranks does so one after the
    // other. For a
    // process that is about to end itself: it takes no SIGTERM any more, which who started them now sends, so that it
    // can say why.
    void endStopped() const;

private:
    struct Peer {
        int rank = 0;
        pid_t pid = 0;
        std::string startTime; // of the process: its number may be another's by now
    };
    [[nodiscard]] static bool isStopped(const Peer &peer);
    [[nodiscard]] static bool isSibling(pid_t pid);
    std::vector<Peer> m_peers;
};

// "rank 1", "ranks 1, 3"
std::string ranksText(const std::vector<int> &ranks);

} // namespace slipway
