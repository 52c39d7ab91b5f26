// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A line of metrics.jsonl as the trainer writes it, read at a few hundred megabytes a second: a run of a million steps
// opens within a second. Whatever is unusual about a line is left to the reader that knows all of JSON.
#pragma once

#include <string_view>

#include "runs/run_directory.h"

namespace slipway {

// False where the line is not of the plain form (escapes, unknown keys, null, NaN as text, damage): `metrics` is then
// unspecified and stepMetricsFromJson decides.
bool readPlainMetrics(std::string_view line, StepMetrics &metrics);
// Whatever a trainer of this version may have written, an order of magnitude slower. Both agree on what both read.
Result<StepMetrics> readAnyMetrics(std::string_view line);

} // namespace slipway
