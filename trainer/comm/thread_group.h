// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as threads of one process. Sums run in rank order, so that a run repeats bit for bit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/units.h"
#include "comm/communicator.h"
#include "comm/lone_watch.h"

namespace slipway {

class PollingThread;
class ThreadWatch;

class ThreadGroup {
public:
    // A thread cannot be ended: where a rank keeps others waiting for `patience` and does nothing, or one that is alone
    // shows no sign of life for `silence`, `end` is called, from another thread, and does not return.
    struct Hanging {
        Seconds patience = 0, silence = LoneWatch::kSilence;
        std::function<void(const std::string &cause)> end;
    };

    explicit ThreadGroup(int ranks, std::optional<Hanging> hanging = {});

    [[nodiscard]] int size() const { return m_size; }
    // Runs `work` once per rank, each on its own thread, and returns when all have. Where a rank throws, the others are
    // released from their collectives with PeerFailed, and the first rank's own exception is thrown here.
    void run(const std::function<void(Communicator &)> &work);

private:
    void watch(PollingThread &polling, ThreadWatch &ranks) const;

    int m_size;
    std::optional<Hanging> m_hanging;
};

} // namespace slipway
