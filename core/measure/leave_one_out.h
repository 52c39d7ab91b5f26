// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Leave-one-out validation of the predicted ranges. Each source is left out in turn, and its rows are compared with the
// errors of all other sources; so is each framework. They are also predicted as unknown software.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/csv.h"
#include "measure/validate.h"

namespace slipway {

// One metric over the rows of one class. Each source has the same weight, whatever its number of rows.
struct LeftOut {
    std::string known, metric; // known: class of the rows, see rowClass()
    int sources = 0, rows = 0;
    double medianError = 0;       // of the sources' mean absolute errors
    double p10 = 0, p90 = 0;      // of measured over predicted, over all sources
    double inRange = 0;           // fraction of rows between the catalogue's P10 and P90
    double inOthers = 0;          // fraction of rows between P10 and P90 of the other sources' errors
    double inOtherFrameworks = 0; // the same with the errors of all other frameworks
    double above = 0;             // fraction of rows above the catalogue's P90
    bool operator==(const LeftOut &) const = default;
};

// The class of a row by what is known of its software: calibrated, known, known-other-card (known on another GPU),
// unknown.
std::string_view rowClass(const MeasuredRow &row);

// The table without its software, except the month: without profiles and without annotations of its sources.
CsvTable withoutSoftware(CsvTable table);

// One entry per class and metric, from predicted rows.
std::vector<LeftOut> leaveOneOut(const std::vector<PredictedRow> &rows);

std::string toText(const std::vector<LeftOut> &classes);
nlohmann::ordered_json toJson(const std::vector<LeftOut> &classes);

} // namespace slipway
