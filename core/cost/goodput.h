// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What failures, preemptions and checkpoints take of a run's time.
#pragma once

#include "base/units.h"

namespace slipway {

// Stated, not measured: each is a setting that a user who knows better changes.
struct GoodputAssumptions {
    double failuresPerHour = 0;     // of the whole run: failures and preemptions
    Seconds restart = 0;            // from the failure to the first new step
    Seconds checkpointInterval = 0; // of training between two checkpoints
    Seconds checkpoint = 0;         // that training stands still for one
    bool operator==(const GoodputAssumptions &) const = default;
};

// The part of the time that ends up in the weights, 0 to 1. Failures come at random and throw back to the last
// checkpoint, so that an interval takes (1/f + restart)(e^(f (interval + checkpoint)) - 1) on average: Daly 2006, "A
// higher order estimate of the optimum checkpoint interval", section 3.
double goodput(const GoodputAssumptions &assumptions);

// The interval that loses least, to first order: sqrt(2 checkpoint / f) (Young 1974). 0 where nothing fails.
Seconds optimalCheckpointInterval(const GoodputAssumptions &assumptions);

} // namespace slipway
