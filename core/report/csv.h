// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A plan or a run as a CSV table with a header. Numbers have a decimal point and the fewest digits that round-trip.
#pragma once

#include <string>
#include <string_view>

#include "predict/prediction.h"
#include "runs/run_reader.h"

namespace slipway {

// A cell with text from a user. A leading apostrophe keeps spreadsheets from running it as a formula.
std::string csvText(std::string_view text);

// One row: every setting under the name of its flag, then the verdict and the figures that `sweep` writes.
std::string planCsv(const Prediction &prediction);
// One row per step; the columns are the keys of metrics.jsonl.
std::string runCsv(const RunData &run);

} // namespace slipway
