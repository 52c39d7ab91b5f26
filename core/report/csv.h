// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A plan or a run as a table: a header always, decimal points, shortest doubles that read back as the same.
#pragma once

#include <string>
#include <string_view>

#include "predict/prediction.h"
#include "runs/run_reader.h"

namespace slipway {

// Text from a person, as a cell. What a spreadsheet would run as a formula gets a leading apostrophe.
std::string csvText(std::string_view text);

// One row: every choice under its flag's name, then verdict and figures, as `sweep` has them.
std::string planCsv(const Prediction &prediction);
// One row a step, the keys of metrics.jsonl as columns.
std::string runCsv(const RunData &run);

} // namespace slipway
