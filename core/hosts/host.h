// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where runs run. A host starts a command in a run directory so that it outlives whoever started it, and stops it. What
// the run does meanwhile is read from its directory, never from the host's answer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"
#include "runs/liveness.h"

namespace slipway {

struct StartRequest {
    std::filesystem::path directory;    // exists and holds run.yaml
    std::vector<std::string> command;   // argv; never passes through a shell unquoted
    int attempt = 0;                    // the token: one attempt is started once, however often it is asked for
};

struct Started {
    std::int64_t processGroup = 0;
    bool already = false;               // an earlier call had started this attempt; nothing was started now
};

// One thing that was looked at before a launch.
struct PreflightCheck {
    std::string what;                   // "trainer", "data", "disk"
    bool passed = false;
    std::string detail;                 // what was found, or what is missing and how to get it
    Fault fault = Fault::Input;         // of a failure: the user's to mend, or the machine's
};

struct Preflight {
    std::vector<PreflightCheck> checks;
    [[nodiscard]] bool passed() const;
    [[nodiscard]] std::string failures() const; // one line each
    [[nodiscard]] Fault fault() const;          // of the first failure
};

class Host {
public:
    virtual ~Host() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    // What a launch into `directory` (which may not exist yet) would miss. `diskNeeded`: for its checkpoints, 0 if not known.
    virtual Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) = 0;
    // The trainer's argv for a run directory on this host. `resume`: it goes on from the last checkpoint, if there is one.
    [[nodiscard]] virtual std::vector<std::string> trainerCommand(const RunConfig &config, const std::filesystem::path &directory, bool resume) const = 0;
    virtual Result<Started> start(const StartRequest &request) = 0;
    [[nodiscard]] virtual RunStanding standing(const RunPaths &paths) const = 0;
    // Asks for a checkpoint and a clean end (stop.request).
    virtual Result<void> requestStop(const RunPaths &paths) = 0;
    // SIGTERM or SIGKILL to the whole process group, only if it is still the one that was started.
    virtual Result<void> signalGroup(const RunPaths &paths, int signalNumber) = 0;
};

// "local"; other hosts are refused with what is accepted.
Result<std::unique_ptr<Host>> makeHost(const std::string &name);

} // namespace slipway
