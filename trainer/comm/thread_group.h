// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as threads of one process. Sums run in rank order, so that a run repeats bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace slipway {

class ThreadGroup {
public:
    explicit ThreadGroup(int ranks);
    ~ThreadGroup();
    ThreadGroup(const ThreadGroup &) = delete;
    ThreadGroup &operator=(const ThreadGroup &) = delete;

    [[nodiscard]] int size() const;
    // Runs `work` once per rank, each on its own thread, and returns when all have. Where a rank throws, the others are
    // released from their collectives with PeerFailed, and the first rank's own exception is thrown here.
    void run(const std::function<void(Communicator &)> &work);

private:
    struct Shared;
    std::unique_ptr<Shared> m_shared;
};

} // namespace slipway
