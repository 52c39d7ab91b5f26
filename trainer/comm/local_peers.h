// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The other ranks that are processes on this machine. A rank that is stopped (SIGSTOP) notices neither a failure nor
// SIGTERM until it is continued. Its launcher would wait for it: torchrun for 30 s, srun forever.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace slipway {

class LocalPeers {
public:
    // Identifies this process to the others.
    static std::string ownMark();

    LocalPeers() = default;
    // `marks`: ownMark() of all ranks, this one included. Ranks of other machines are ignored.
    LocalPeers(const std::vector<std::string> &marks, int rank);

    // Ranks whose process is stopped now.
    [[nodiscard]] std::vector<int> stopped() const;
    // Ends processes that have been stopped for at least a second and are siblings of this one: of the same user and
    // the same parent, as torchrun and Slurm start ranks. The second matters because whoever continues all ranks does
    // so one after the other. Must be called by a process that is about to end: from then on it ignores the SIGTERM
    // that the launcher then sends, so that it can report the cause.
    void endStopped() const;

private:
    struct Peer {
        int rank = 0;
        pid_t pid = 0;
        std::string startTime; // start time of the process, because its pid may be reused
    };
    [[nodiscard]] static bool isStopped(const Peer &peer);
    [[nodiscard]] static bool isSibling(pid_t pid);
    std::vector<Peer> m_peers;
};

// "rank 1", "ranks 1, 3"
std::string ranksText(const std::vector<int> &ranks);

} // namespace slipway
