// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rates of one GPU under one framework, from the speed of runs on it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "measure/calibrate.h"

namespace slipway {

inline constexpr std::array kSpeedConstants{Constant::Gemm, Constant::Attention, Constant::MemoryBandwidth,
    Constant::Launch, Constant::NodeLink, Constant::Network};

struct SpeedRow {
    ResolvedConfig resolved;
    RunPlan plan;
    int retries = 0;
    double tokensPerSecondPerGpu = 0; // measured
    double predicted = 0;             // as shipped
};

struct SpeedFit {
    std::vector<FittedConstant> constants;
    std::vector<RefusedConstant> refused; // without the device's name
    double stepP10 = 0, stepP90 = 0;
};

// One constant needs one row, k of them k + 1 rows that differ. `wanted` constants are taken together; else one after
// the other, as long as each brings the predictions nearer.
SpeedFit fitSpeed(
    std::vector<SpeedRow> rows, const std::optional<std::vector<Constant>> &wanted, const Catalogue &catalogue);

} // namespace slipway
