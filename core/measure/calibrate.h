// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Fits few constants of a device to measured runs: those that the runs can tell, and no more. What `slipway calibrate`
// answers.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hardware/calibration.h"
#include "measure/observation.h"

namespace slipway {

struct CalibrationRequest {
    std::string id, asOf;
    std::optional<std::vector<Constant>> wanted; // exactly these; else what the runs support and need
    std::vector<GemmTable> gemms;                // timed one by one; runs are fitted with them in place
    std::vector<LeftOutRow> leftOut;             // of the tables of the observations; listed among the rows
};

// A figure as measured, as predicted before and with the calibration.
struct BeforeAfter {
    double measured = 0, before = 0, after = 0;
    [[nodiscard]] double errorBefore() const { return before / measured - 1; }
    [[nodiscard]] double errorAfter() const { return after / measured - 1; }
};

struct CalibratedRow {
    std::string id, gpu, framework;
    std::optional<BeforeAfter> tokensPerSecondPerGpu;
    std::optional<BeforeAfter> peak; // bytes, of the kind that was measured
    MemoryKind peakKind = MemoryKind::Unknown;
    std::string skipped; // why it counts for nothing
};

// A constant that stays as it was, and why.
struct RefusedConstant {
    std::string gpu, framework;
    Constant constant = Constant::Gemm;
    std::string why;
};

struct MeanErrors {
    double before = 0, after = 0; // mean of absolute relative errors
    int rows = 0;
};

// How far GEMMs are from their measured times: as shipped, and told by the others that were measured.
struct GemmErrors {
    std::string gpu;
    MeanErrors errors;
    std::vector<std::string> leftOut; // rows of the table, and why
};

struct CalibrationOutcome {
    Calibration calibration;       // devices with fitted constants only
    std::vector<GemmErrors> gemms; // by GPU
    std::vector<RefusedConstant> refused;
    std::vector<CalibratedRow> rows;
    MeanErrors speed, memory;
};

// GPUs and frameworks are fitted apart. An error where a wanted constant is refused, or no row can be used.
// `progress(0 to 1)` returns false to cancel.
Result<CalibrationOutcome> calibrate(const std::vector<Observation> &observations, const CalibrationRequest &request,
    const Catalogue &catalogue, const std::function<bool(double)> &progress = {});

// Rows of a table with the calibration that they are predicted with: none for those that it was fitted to.
void applyCalibration(std::vector<MeasuredRow> &rows, const Calibration &calibration);

nlohmann::ordered_json toJson(const CalibrationOutcome &outcome);
std::string toText(const CalibrationOutcome &outcome);
// "GEMM rate", "outside the allocator": for people.
std::string_view titleOf(Constant constant);
// "0.83 x", "1.2 GiB".
std::string valueText(const FittedConstant &fitted);

} // namespace slipway
