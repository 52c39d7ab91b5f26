// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The share of a run's time that failures, preemptions and checkpoints leave for training.
#pragma once

#include "base/units.h"

namespace slipway {

// Assumptions, not measurements. Each is a setting.
struct GoodputAssumptions {
    double failuresPerHour = 0;     // of the whole run: failures and preemptions
    Seconds restart = 0;            // from the failure to the first new step
    Seconds checkpointInterval = 0; // training time between two checkpoints
    Seconds checkpoint = 0;         // time that training stops for one
    bool operator==(const GoodputAssumptions &) const = default;
};

// The fraction of the time that is productive, 0 to 1. Failures are a Poisson process, and each returns the run to its
// last checkpoint, so that an interval takes (1/f + restart)(e^(f (interval + checkpoint)) - 1) on average: Daly 2006,
// "A higher order estimate of the optimum checkpoint interval", section 3.
double goodput(const GoodputAssumptions &assumptions);

// The interval with the highest goodput to first order: sqrt(2 checkpoint / f) (Young 1974). 0 if failuresPerHour is 0.
Seconds optimalCheckpointInterval(const GoodputAssumptions &assumptions);

} // namespace slipway
