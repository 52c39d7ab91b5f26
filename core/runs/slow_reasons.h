// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a run is slower than its plan: which part differs, as far as its figures tell, each sentence with its evidence.
#pragma once

#include <string>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

// The most telling first. Never empty: without figures it says which are missing.
std::vector<std::string> slowReasons(const RunData &run);

} // namespace slipway
