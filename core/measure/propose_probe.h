// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Chooses the short run that reduces the uncertainty of the speed of a planned run and similar ones the most. `slipway
// launch --probe` launches it.
#pragma once

#include <string>
#include <vector>

#include "measure/observation.h"

namespace slipway {

constexpr std::int64_t kProbeSteps = 10; // the first ones warm up, the others are measured

// A short run, and how much it would reduce the uncertainty.
struct Probe {
    RunConfig config;
    std::string settings; // what differs from the planned run: "micro_batch 16"; "as planned"
    std::string title;    // "10 steps with twice the micro-batch (16 sequences)"
    Seconds seconds = 0;  // of its steps, as predicted
    double after = 0;     // relative standard deviation of the runs' speeds after the probe
};

struct ProbeProposal {
    double before = 0;         // that standard deviation without any of them
    std::vector<Probe> probes; // first the shortest of the best ones, then ordered by `after`
};

// Of runs like `planned`, whose micro-batch, sequences or recomputation differ. `known`: what earlier runs on the same
// GPU under the same framework have told. `fewerMicroBatches`: whether a probe's step may have fewer of them. An error
// where none of them is likely to fit.
Result<ProbeProposal> proposeProbe(const RunConfig &planned, const std::vector<Observation> &known,
    const Catalogue &catalogue, bool fewerMicroBatches = true);

// The micro-batches in the step of a probe. A pipeline keeps its own, since its bubble depends on them.
std::int64_t probeGradAccum(const RunConfig &planned);

// Whether runs of both are fitted together.
bool isSameDevice(const ResolvedConfig &a, const ResolvedConfig &b);

} // namespace slipway
