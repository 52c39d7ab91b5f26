// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What `slipway launch --probe` prints about the proposed probe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frameworks/rewrite_arguments.h"
#include "measure/propose_probe.h"

namespace slipway::cli {

// A probe that was preferred to the launched one, but whose command cannot be rewritten.
struct PassedProbe {
    std::string settings;
    Error why;
};

// The probe to launch and what was considered. Another script has its command, rewritten.
struct ChosenProbe {
    ProbeProposal proposal;  // the first probe is launched
    std::size_t earlier = 0; // number of earlier probes
    std::optional<RewrittenCommand> command;
    std::vector<PassedProbe> passed;
};

// The error if none of them can be launched: that of the planned run in short, which needs the fewest changes.
Error refusalOf(const std::vector<PassedProbe> &passed);

std::string probeText(const ChosenProbe &chosen);
nlohmann::ordered_json probeJson(const ChosenProbe &chosen);

} // namespace slipway::cli
