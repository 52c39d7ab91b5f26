// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <string>

#include "runs/progress.h"
#include "runs/run_reader.h"

namespace slipway::cli {

// Shows a run's progress until it ends, and then its outcome. Returns Done if the run succeeded, and No otherwise. An
// interrupt ends only the following and never the run.
int followRun(const std::filesystem::path &directory);

// Formats as much as fits of "[######..............] 30 %  step 120 of 400  1.2K tokens/s  loss 4.2130  12 min left
// $0.42  ▇▆▅▄▃".
std::string progressLine(const RunData &run, const Progress &progress, std::size_t width);
// Describes the state of the run, and compares predicted with measured values.
std::string outcomeText(const RunData &run);

} // namespace slipway::cli
