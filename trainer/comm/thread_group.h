// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as threads of one process. Sums run in rank order, so that a run repeats bit for bit.
#pragma once

#include <functional>

#include "comm/communicator.h"

namespace slipway {

class ThreadGroup {
public:
    explicit ThreadGroup(int ranks);

    [[nodiscard]] int size() const { return m_size; }
    // Runs `work` once per rank, each on its own thread, and returns when all have. Where a rank throws, the others are
    // released from their collectives with PeerFailed, and the first rank's own exception is thrown here.
    void run(const std::function<void(Communicator &)> &work);

private:
    int m_size;
};

} // namespace slipway
