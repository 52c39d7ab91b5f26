// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predicted against measured over a table: what `slipway validate` answers (contract, section 2).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <functional>

#include "measure/measurement.h"

namespace slipway {

struct PredictedFigure {
    double value = 0, p10 = 0, p90 = 0;

    bool operator==(const PredictedFigure &) const = default;
};

struct PredictedRow {
    MeasuredRow row;
    std::optional<PredictedFigure> tokensPerSecondPerGpu;
    std::optional<PredictedFigure> peakGib; // of the kind that was measured
    std::optional<bool> oom;
    double oomProbability = 0;
};

// Errors of a metric over the rows that share a value of a column. Relative, predicted against measured.
struct ErrorSummary {
    std::string by, value, metric;
    int rows = 0;
    double meanAbsolute = 0, bias = 0, largest = 0;
    double inRange = 0;               // part of the rows that lie between P10 and P90
    double p10 = 0, p50 = 0, p90 = 0; // of measured over predicted: what the ranges of a framework are read off
    std::string worstId;
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
