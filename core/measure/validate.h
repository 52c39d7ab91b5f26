// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares predictions with a measurement table: `slipway validate` (docs/guide/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <functional>

#include "measure/errors.h"
#include "measure/measurement.h"

namespace slipway {

struct PredictedRow {
    MeasuredRow row;
    std::optional<PredictedFigure> tokensPerSecondPerGpu;
    std::optional<PredictedFigure> peakGib; // of the kind that was measured
    std::optional<bool> oom;
    double oomProbability = 0;
};

struct Verdicts {
    int fits = 0, falseOom = 0, oom = 0, missedOom = 0;
};

struct Validation {
    std::vector<PredictedRow> rows;
    std::vector<ErrorSummary> summary; // all, by source, by gpu, by framework
    Verdicts verdicts;
};

// A row is predicted from its configuration alone. `progress(done, all)` returns false to cancel.
Validation validate(std::vector<MeasuredRow> rows, const Catalogue &catalogue,
    const std::function<bool(std::size_t, std::size_t)> &progress = {});

nlohmann::ordered_json toJson(const Validation &validation);
std::string toText(const Validation &validation);
// One record a row: id, measured and predicted columns, skipped.
std::string toCsv(const Validation &validation);

} // namespace slipway
