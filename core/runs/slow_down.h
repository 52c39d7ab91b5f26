// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether a run has become slower than before. On a shared machine step times vary, so a slowdown must exceed the run's
// own spread and last. The same holds for its end.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "runs/step_table.h"

namespace slipway {

struct SlowDown {
    Seconds usual = 0, recent = 0; // step time before and since the slowdown
    std::int64_t since = 0;        // first slow step
    bool operator==(const SlowDown &) const = default;
};

// A slowdown: step times exceed `factor` x the usual one and its spread for `lasting`, and for at least 15 steps. It
// ends when step times have been near the usual one for as long.
std::optional<SlowDown> slowDownOf(const StepTable &steps, double factor, Seconds lasting);

} // namespace slipway
