// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the ranges are worth for runs that nobody has seen: each source is left out in turn, its rows are held against
// the errors of all others, and once more as software that nobody knows.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/csv.h"
#include "measure/validate.h"

namespace slipway {

// One metric over the rows of which the same is known. Each source counts alike, however many rows it has.
struct LeftOut {
    std::string known, metric; // class of the rows, as rowClass() names it
    int sources = 0, rows = 0;
    double medianError = 0;  // of the sources' mean absolute errors
    double p10 = 0, p90 = 0; // of measured over predicted, over all sources
    double inRange = 0;      // rows between the P10 and P90 that the catalogue gives them
    double inOthers = 0;     // rows between the P10 and P90 of the other sources' errors
    double above = 0;        // rows that are measured above the catalogue's P90
    bool operator==(const LeftOut &) const = default;
};

// What is known beforehand of a row: calibrated, known, known-other-card, unknown.
std::string_view rowClass(const MeasuredRow &row);

// The table without what it says of its software but its month: its profiles and what is known of its sources are left
// out.
CsvTable withoutSoftware(CsvTable table);

// By class and metric, of rows that have been predicted.
std::vector<LeftOut> leaveOneOut(const std::vector<PredictedRow> &rows);

std::string toText(const std::vector<LeftOut> &classes);
nlohmann::ordered_json toJson(const std::vector<LeftOut> &classes);

} // namespace slipway
