// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which short run tells most of how fast a planned run and others like it are: what `slipway launch --probe` makes.
#pragma once

#include <string>
#include <vector>

#include "measure/observation.h"

namespace slipway {

constexpr std::int64_t kProbeSteps = 10; // the first ones warm up, the others are measured

// A short run, and what it would tell.
struct Probe {
    RunConfig config;
    std::string settings; // what differs from the planned run: "micro_batch 16"; "as planned"
    std::string title;    // "10 steps with twice the micro-batch (16 sequences)"
    Seconds seconds = 0;  // of its steps, as predicted
    double after = 0;     // what the standard deviation of the runs' speeds would be, relative
};

struct ProbeProposal {
    double before = 0;         // that standard deviation without any of them
    std::vector<Probe> probes; // the one that tells most first
};

// Of runs like `planned`, whose micro-batch, sequences or recomputation differ. `known`: what earlier runs on the same
// GPU under the same framework have told. An error where none of them is likely to fit.
Result<ProbeProposal> proposeProbe(
    const RunConfig &planned, const std::vector<Observation> &known, const Catalogue &catalogue);

// Whether runs of both are fitted together.
bool isSameDevice(const Subject &a, const Subject &b);

} // namespace slipway
