// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Asks a host for its facts (hardware, software, free disk, Slurm) with one shell command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/host_facts.h"
#include "hosts/shell.h"

namespace slipway {

struct HostProbeRequest {
    std::string home;               // Slipway's folder on the host; empty: ~/.local/share/slipway
    std::string place;              // folder that the run will write to; empty: `home`
    Bytes diskNeeded = 0;           // allocated briefly in a temporary file, because only this reveals a quota
    std::vector<std::string> files; // files on the host whose sizes are returned
    bool slurm = false;             // also list partitions, nodes and the GPUs in use
    std::string trainer = {};       // path of slipway-train; empty: searched in the folders that launches use
};

struct HostProbeResult {
    HostFacts facts;
    std::vector<std::optional<Bytes>> fileSizes; // in the order of `files`; empty: missing or unreadable
};

Result<HostProbeResult> probeHost(Shell &shell, const HostProbeRequest &request);

// Parses the output of the probe's script: "key=value" records, each ended by NUL; the last record is "end=". Anything
// before the first NUL is skipped, because a login shell may print text. `now` is the local time at which the answer
// was complete, `wait` the time since the question.
Result<HostProbeResult> parseProbe(const std::string &output, Seconds now, Seconds wait);

// The host's clock minus the local clock. `begin` and `end` are the host's times at the begin and the end of the
// script, which ran between `now - wait` and `now` of the local clock; 0 if both clocks may agree.
Seconds clockSkew(Seconds begin, Seconds end, Seconds now, Seconds wait);

} // namespace slipway
