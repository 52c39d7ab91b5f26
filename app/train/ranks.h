// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks of commands other than run: those that torchrun, Slurm or our own launcher started, else threads.
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
    // How many were started around this process; empty where it is alone.
    static Result<std::optional<int>> around();
    // Meets the others where this process is one of several, which must be `count`; else they will be threads.
    static Result<Ranks> meet(int count, bool onGpus = false);

    [[nodiscard]] int count() const { return m_count; }
    // Whether this process keeps what all found out: it has the first rank.
    [[nodiscard]] bool first() const { return !m_joined || m_joined->rank() == 0; }
    [[nodiscard]] bool processes() const { return m_processes; }
    // Runs `work` on every rank of this process. The first one's error ends all.
    Result<void> run(const std::function<Result<void>(Communicator &)> &work) const;
    // Joins the GPUs of these processes by NCCL. An error says why not; where NCCL itself failed no rank is met any
    // more (`lost`).
    Result<void> joinDevices();
    [[nodiscard]] bool lost() const { return m_processes && !m_joined; }
    // Waits for all, and tells them how this process ended.
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
    std::unique_ptr<Communicator> m_joined; // null: threads
};

// Starts this very command again as `ranks` local processes; returns the exit status. Only where no ranks are around.
int runAsProcesses(int ranks);

} // namespace slipway::train_app
