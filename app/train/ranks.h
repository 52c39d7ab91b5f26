// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks of all commands except run. They were started by torchrun, Slurm or Slipway's own launcher, or are otherwise
// threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "comm/communicator.h"
#include "comm/rendezvous.h"

namespace slipway::train_app {

class Ranks {
public:
    // Returns the number of ranks that were started around this process. Empty if this process is alone.
    static Result<std::optional<int>> around();
    // Joins the other ranks if this process is one of several, of which there must be `count`. Otherwise the ranks will
    // be threads.
    static Result<Ranks> meet(int count, bool onGpus = false);

    [[nodiscard]] int count() const { return m_count; }
    // Returns whether this process has the first rank, which records the results of all ranks.
    [[nodiscard]] bool first() const { return !m_joined || m_joined->rank() == 0; }
    [[nodiscard]] bool processes() const { return m_processes; }
    // Runs `work` on every rank of this process. The first error ends all ranks.
    Result<void> run(const std::function<Result<void>(Communicator &)> &work) const;
    // Joins the GPUs of these processes with NCCL. The error contains the reason. After a failure of NCCL itself, the
    // ranks can no longer communicate (`lost`).
    Result<void> joinDevices();
    [[nodiscard]] bool lost() const { return m_processes && !m_joined; }
    // Waits for all ranks, and tells them how this process ended.
    Result<void> part(Result<void> done) const;

private:
    Ranks(int count, std::unique_ptr<Communicator> joined, const Rendezvous &rendezvous)
        : m_count(count),
          m_processes(joined != nullptr),
          m_rendezvous(rendezvous),
          m_joined(std::move(joined))
    {
    }

    int m_count;
    bool m_processes;
    Rendezvous m_rendezvous;
    std::unique_ptr<Communicator> m_joined; // null if the ranks are threads
};

// Starts this command again as `ranks` local processes and returns the exit status. Call it only if no ranks were
// started around this process.
int runAsProcesses(int ranks);

} // namespace slipway::train_app
