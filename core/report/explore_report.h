// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "explore/sweep.h"
#include "report/report.h"

namespace slipway {

// A grid on paper: how many of its points run, the best of each model, and the figures that its axes allow, a page
// each.
Report exploreReport(const Sweep &sweep);

} // namespace slipway
