// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares predictions with a table of measured servers. The columns of settings have the names of serve-plan's keys.
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

// Ttft: time to first token of one request at an idle server. Tpot: time per output token with the batch.
// TokensPerSecond: output tokens per second with the batch. DecodeKernels: the time of a decode step's GEMMs, attention
// and all-reduces, added up.
enum class ServedMetric { Ttft, Tpot, TokensPerSecond, DecodeKernels };
template<>
struct EnumNames<ServedMetric> { // names of the columns
    static constexpr std::array<std::string_view, 4> names{"ttft_ms", "tpot_ms", "tokens_per_s", "decode_kernels_ms"};
};

struct ServedRow {
    std::string id, source, gpu, framework;
    std::string use;                                          // column `use`: "fit" or "held out"; empty: not given
    ServeConfig config;                                       // valid if the row was not skipped
    std::array<std::optional<double>, 4> measured, predicted; // indexed by ServedMetric, in the unit of the column
    std::string skipped; // the reason, with its place in the table; empty: compared
};

struct ServingValidation {
    std::vector<ServedRow> rows;
    std::vector<ErrorSummary> summary; // of all rows, and by source, gpu, framework and use
};

// Whether the table has one of the columns ttft_ms, tpot_ms and decode_kernels_ms.
bool isServingTable(const CsvTable &table);

// A row is predicted from its settings alone; columns that are neither settings nor metrics are ignored.
ServingValidation validateServing(const CsvTable &table, const Catalogue &catalogue, const Frameworks &frameworks);

nlohmann::ordered_json toJson(const ServingValidation &validation);
std::string toText(const ServingValidation &validation);
// One line per row: id, each metric measured and predicted, skipped.
std::string toCsv(const ServingValidation &validation);

} // namespace slipway
