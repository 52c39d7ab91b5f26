// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which rank this process is and where the others are met: torchrun's variables (our own launcher sets the same), else
// Slurm's, else the only process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "comm/rendezvous.h"

namespace slipway {

struct LaunchEnvironment {
    Rendezvous rendezvous;
    std::string origin;         // "torchrun", "Slurm"; empty: the only process
    bool restarted = false;     // the starter's next try, or a requeued job: the run goes on from its checkpoint
    std::optional<int> causeFd; // our launcher's: what ended this rank is told there
    [[nodiscard]] bool severalProcesses() const { return rendezvous.world > 1; }
    bool operator==(const LaunchEnvironment &) const = default;
};

// `variable` is getenv. The error names the variable that is wrong.
Result<LaunchEnvironment> launchEnvironment(const std::function<const char *(const char *)> &variable);

// What a user gives in seconds; 0: as the starter of the ranks has it.
struct GivenTimeouts {
    Seconds peer = deadline::kPeer, join = 0, load = 0;
};
// The limits of a run. `gpus`: a process that computes on them loads gigabytes of libraries before it meets the others,
// from a disk that may be cold.
Rendezvous withTimeouts(Rendezvous rendezvous, const GivenTimeouts &given, bool gpus);

// The first host of a Slurm node list: "gpu[07-09,12],login" is gpu07.
std::string firstHost(std::string_view nodeList);

} // namespace slipway
