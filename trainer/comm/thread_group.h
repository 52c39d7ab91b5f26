// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as threads of one process. Sums are computed in rank order, so that runs are bitwise reproducible.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/units.h"
#include "comm/communicator.h"
#include "comm/stall_detector.h"

namespace slipway {

class PollingThread;
class ThreadMonitor;

class ThreadGroup {
public:
    // A hanging thread cannot be ended by itself. If a rank makes no progress while others wait for it for `timeout`,
    // or a single rank shows no activity for `silence`, `end` is called from another thread. It must not return.
    struct Hanging {
        Seconds timeout = 0, silence = StallDetector::kSilence;
        std::function<void(const std::string &cause)> end;
    };

    explicit ThreadGroup(int ranks, std::optional<Hanging> hanging = {});

    [[nodiscard]] int size() const { return m_size; }
    // Runs `work` once per rank, each on its own thread, and waits for all. If a rank throws, collectives of the others
    // throw PeerFailed, and run() throws the exception of the rank that failed first.
    void run(const std::function<void(Communicator &)> &work);

private:
    void watch(PollingThread &polling, ThreadMonitor &ranks) const;

    int m_size;
    std::optional<Hanging> m_hanging;
};

} // namespace slipway
