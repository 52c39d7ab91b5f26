// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Asks a host, in one go, what it is and has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/host_facts.h"
#include "hosts/shell.h"

namespace slipway {

struct ProbeOrder {
    std::string home;               // Slipway's folder there; empty: ~/.local/share/slipway
    std::string place;              // where the run will write; empty: home
    Bytes diskNeeded = 0;           // so much is reserved for a moment, since only that tells of a quota
    std::vector<std::string> files; // whose sizes are wanted
    bool slurm = false;             // list partitions
    std::string trainer = {};       // that runs there would start; empty: where runs on other hosts find theirs
};

struct ProbeAnswer {
    HostFacts facts;
    std::vector<std::optional<Bytes>> fileSizes; // empty: not there, or not to be read
};

Result<ProbeAnswer> probeHost(Shell &shell, const ProbeOrder &order);

// What the probe's script printed: "key=value" records that end in NUL, the last one "end=". Anything before the first
// record, as a login may print, is skipped. `now` is our clock when it answered, `wait` how long it took.
Result<ProbeAnswer> parseProbe(const std::string &output, Seconds now, Seconds wait);

// Its clock less ours, from what its clock showed first and last within our wait; 0 where both clocks may agree.
Seconds clockSkew(Seconds begin, Seconds end, Seconds now, Seconds wait);

} // namespace slipway
