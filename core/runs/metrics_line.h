// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A fast parser for the lines of metrics.jsonl as the trainer writes them, at a few hundred megabytes per second, so
// that a run with a million steps opens within a second. Lines in any other form are left to the full JSON parser.
#pragma once

#include <string_view>

#include "runs/run_directory.h"

namespace slipway {

// Returns false if the line does not have the plain form (escapes, unknown keys, null, NaN as text, damage). `metrics`
// is then unspecified, and the caller must use stepMetricsFromJson.
bool readPlainMetrics(std::string_view line, StepMetrics &metrics);
// Parses all lines that a trainer of this version may write, an order of magnitude more slowly. Both functions agree on
// lines that both accept.
Result<StepMetrics> readAnyMetrics(std::string_view line);

} // namespace slipway
