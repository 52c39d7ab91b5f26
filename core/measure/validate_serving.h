// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predicted against measured over a table of serving. Its settings are columns with the names of serve-plan's keys.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/enum_names.h"
#include "measure/errors.h"
#include "serve/serving.h"

namespace slipway {

// Time to first token of one request at an idle server; time per output token with the batch; tokens of answers per
// second with the batch; GEMMs, attention and all-reduces of a decode step.
enum class ServedMetric { Ttft, Tpot, TokensPerSecond, DecodeKernels };
template<>
struct EnumNames<ServedMetric> { // the columns
    static constexpr std::array<std::string_view, 4> names{"ttft_ms", "tpot_ms", "tokens_per_s", "decode_kernels_ms"};
};

struct ServedRow {
    std::string id, source, gpu, framework;
    std::string use;                                          // column `use`: "fit", "held out"; empty: not said
    ServeConfig config;                                       // where it was not skipped
    std::array<std::optional<double>, 4> measured, predicted; // by ServedMetric, in its column's unit
    std::string skipped;                                      // why, with the place in the table
};

struct ServingValidation {
    std::vector<ServedRow> rows;
    std::vector<ErrorSummary> summary; // all, by source, gpu, framework and use
};

// Whether the table has a metric of serving.
bool isServingTable(const CsvTable &table);

// A row is predicted from its settings alone; columns that are neither settings nor metrics are ignored.
ServingValidation validateServing(const CsvTable &table, const Catalogue &catalogue, const Frameworks &frameworks);

nlohmann::ordered_json toJson(const ServingValidation &validation);
std::string toText(const ServingValidation &validation);
// One record a row: id, each metric measured and predicted, skipped.
std::string toCsv(const ServingValidation &validation);

} // namespace slipway
