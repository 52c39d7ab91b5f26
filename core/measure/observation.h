// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// An observation is a measurement with its configuration. slipway calibrate fits constants to observations.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
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
    bool onlyFirstNode = false;                       // whether only its ranks were read (measured_stage.h)
};

// The measured kind of peak that is nearest to device memory, and its bytes; 0 if none was measured.
std::pair<MemoryKind, Bytes> shownPeak(const Observation &observation);
// The predicted peak of this kind.
Bytes predictedPeak(const MemoryPrediction &prediction, const Observation &observation, MemoryKind kind);

// The observation of a run, from its steady steps. Fails if the run has no configuration or too few steps.
Result<Observation> observationOf(const RunData &run, const Catalogue &catalogue);

// The observations of a table: one for each row that can be planned and that did not run out of memory. The throughput
// of some rows follows from the hours of a whole run. `productiveTimeFraction` (SpeedRates) is the fraction of these
// hours that the steps take.
std::vector<Observation> observationsOf(const std::vector<MeasuredRow> &rows, double productiveTimeFraction);

// A row of a table that observationsOf() leaves out, with the reason.
struct LeftOutRow {
    std::string id, why;
};

std::vector<LeftOutRow> leftOutRows(const std::vector<MeasuredRow> &rows);

// The observation of a log. `config` is the configuration of the program that printed it.
Result<Observation> observationOf(
    const TrainingLog &log, const std::string &id, const RunConfig &config, const Catalogue &catalogue);

} // namespace slipway
