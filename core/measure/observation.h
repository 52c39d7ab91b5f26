// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A measurement with its configuration. Constants are fitted to observations.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurement.h"
#include "measure/training_log.h"
#include "runs/run_reader.h"

namespace slipway {

struct Observation {
    std::string id;
    ResolvedConfig resolved; // without calibration
    std::optional<double> tokensPerSecondPerGpu;
    std::optional<Bytes> allocated, reserved, device; // peaks
};

// Of a run's steady steps. Errors: no configuration, too few steps.
Result<Observation> observationOf(const RunData &run, const Catalogue &catalogue);

// Of a table's rows that can be expressed and that ran. `productiveTimeFraction`: what part of a whole run's hours its
// steps take (SpeedRates); a row that follows from hours is as fast in its steps as `validate` compares it.
std::vector<Observation> observationsOf(const std::vector<MeasuredRow> &rows, double productiveTimeFraction);

// A row of a table that is no observation, and why.
struct LeftOutRow {
    std::string id, why;
};

// Of the rows that observationsOf() leaves out.
std::vector<LeftOutRow> leftOutRows(const std::vector<MeasuredRow> &rows);

// Of a log that a configuration printed.
Result<Observation> observationOf(
    const TrainingLog &log, const std::string &id, const RunConfig &config, const Catalogue &catalogue);

} // namespace slipway
