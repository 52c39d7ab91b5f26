// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Explains why a run is slower than its plan: which part of the step differs, as far as the metrics show it. Each
// sentence contains its evidence.
#pragma once

#include <string>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

// The most significant reason is first. Never empty: without metrics, it says which are missing.
std::vector<std::string> slowReasons(const RunData &run);

} // namespace slipway
