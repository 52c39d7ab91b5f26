// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every point of a grid, predicted (contract, section 2, sweep).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explore/grid.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct SweepPoint {
    std::vector<std::string> values; // of the grid's axes
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0;
    double tokensPerSecond = 0, tokensPerSecondPerGpu = 0, mfu = 0;
    Seconds step = 0;
    std::optional<double> tokensPerUsd, usdPerBillionTokens;
    std::string skipped;             // why it cannot be planned; empty where it can
    bool pareto = false;             // no point that fits is faster, cheaper and smaller at once
};

struct Sweep {
    Grid grid;
    std::vector<SweepPoint> points;
    Seconds seconds = 0;
};

// `progress(done, all)` returns false to cancel; the points so far are kept.
Sweep sweep(const RunConfig &base, const Grid &grid, const Catalogue &catalogue, const std::function<bool(std::size_t, std::size_t)> &progress = {});

// The best point that runs for each combination of these axes' values: most tokens per dollar, else per second. Points
// of a combination where none runs: the first, as it is. An error names an axis that the grid does not have.
Result<Sweep> bestBy(const Sweep &sweep, const std::vector<std::string> &keys);

nlohmann::ordered_json toJson(const Sweep &sweep);
std::string toCsv(const Sweep &sweep);

} // namespace slipway
