// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "desktop/bench_runs.h"

namespace slipway::desktop {

// The table of a large grid: the time to sort it, and the time to show another part of it.
struct PointFigures {
    int points = 0;
    Times sortMs, scrollMs;
    Times sortWorkMs, scrollWorkMs; // processor time of the thread that draws
};
PointFigures benchPoints();

} // namespace slipway::desktop
