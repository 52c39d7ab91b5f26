// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predicted against measured: the errors of one metric over a group of rows.
#pragma once

#include <string>
#include <vector>

namespace slipway {

// Limit of rows that a summary as text lists as skipped, and of its warnings.
inline constexpr int kListed = 10;

struct PredictedFigure {
    double value = 0, p10 = 0, p90 = 0;

    bool operator==(const PredictedFigure &) const = default;
};

// Errors of a metric over the rows that share a value of a column. Relative, predicted against measured.
struct ErrorSummary {
    std::string by, value, metric;
    int rows = 0;
    double meanAbsolute = 0, bias = 0, largest = 0;
    double inRange = 0;               // fraction of the rows between P10 and P90
    double p10 = 0, p50 = 0, p90 = 0; // of measured over predicted: what the ranges of a framework are read off
    std::string worstId;
};

// Adds rows up to a summary.
class Errors {
public:
    // `measured` and the prediction are above 0.
    void add(const std::string &id, double measured, const PredictedFigure &predicted);
    [[nodiscard]] ErrorSummary of(std::string by, std::string value, std::string metric) const;

private:
    ErrorSummary m_summary;
    std::vector<double> m_residuals; // measured over predicted
};

} // namespace slipway
