// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether a run has become slower than it usually was. A machine that others use too is never quiet: what counts is a
// change that stands out of the run's own spread and that lasts, there and back.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "runs/step_table.h"

namespace slipway {

struct SlowDown {
    Seconds usual = 0, ofLate = 0; // a step's time before, and since
    std::int64_t since = 0;        // the step from which on
    bool operator==(const SlowDown &) const = default;
};

// `factor`: slower than so many times the usual step, and beyond what its spread explains; `lasting`: for so long,
// though not for fewer than 15 steps. It is over when the run has been as fast as before, or nearly, for as long.
std::optional<SlowDown> slowDownOf(const StepTable &steps, double factor, Seconds lasting);

} // namespace slipway
