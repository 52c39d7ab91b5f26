// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <string>

#include "runs/progress.h"
#include "runs/run_reader.h"

namespace slipway::cli {

// Shows a run's progress until it ends, then what came of it. Done where it succeeded, else No. An interrupt ends the
// following, never the run.
int followRun(const std::filesystem::path &directory);

// "[######..............] 30 %  step 120 of 400  1.2K tokens/s  loss 4.2130  12 min left  $0.42  ▇▆▅▄▃", as much as
// fits.
std::string progressLine(const RunData &run, const Progress &progress, std::size_t width);
// Predicted against measured, and where the run stands.
std::string outcomeText(const RunData &run);

} // namespace slipway::cli
