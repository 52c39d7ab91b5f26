// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads rank, world size and rendezvous from the environment: torchrun's variables, which our launcher sets too, else
// Slurm's variables, else a single process.
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
    std::string origin; // "torchrun", "Slurm"; empty: a single process
    // The launcher restarted it, or Slurm requeued the job: the run resumes from its checkpoint.
    bool restarted = false;
    std::optional<int> causeFd; // descriptor of our launcher that receives the cause of this rank's failure
    [[nodiscard]] bool severalProcesses() const { return rendezvous.worldSize > 1; }
    bool operator==(const LaunchEnvironment &) const = default;
};

// `variable`: getenv. The error names the invalid variable.
Result<LaunchEnvironment> launchEnvironment(const std::function<const char *(const char *)> &variable);

// Time limits set by the user; 0: the default for the way in which ranks are launched.
struct GivenTimeouts {
    Seconds peer = deadline::kPeer, join = 0, load = 0;
};
// Sets the time limits of a run. `gpus`: whether it runs on GPUs, where a process first loads gigabytes of libraries,
// possibly from a slow disk.
Rendezvous withTimeouts(Rendezvous rendezvous, const GivenTimeouts &given, bool gpus);

// The first host of a Slurm node list: "gpu[07-09,12],login" is gpu07.
std::string firstHost(std::string_view nodeList);

} // namespace slipway
