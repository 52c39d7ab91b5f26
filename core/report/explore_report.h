// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "explore/sweep.h"
#include "report/report.h"

namespace slipway {

// The report on a grid: how many points run, the best point of each model, and one page for each figure that the grid's
// axes allow. The catalogue names the GPUs.
Report exploreReport(const Sweep &sweep, const Catalogue &catalogue);

} // namespace slipway
