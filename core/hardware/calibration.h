// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Constants that were fitted to a user's own runs and replace those of the catalogue. Each calibration is a file of its
// own, stored separately from the shipped tables; `--calibration` selects one for a plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "hardware/gemm_table.h"

namespace slipway {

struct Catalogue;

// Rates are factors on the rates of the catalogue (data sheet times expected efficiency). Held and Outside are bytes:
// what the allocator reserves beyond the plan throughout the run, and the device memory outside the allocator.
// MemoryRatio is a factor on all memory that is planned in the allocator.
enum class Constant { Gemm, Attention, MemoryBandwidth, Launch, NodeLink, Network, Held, Outside, MemoryRatio };
template<>
struct EnumNames<Constant> {
    static constexpr std::array<std::string_view, 9> names{"gemm", "attention", "memory_bandwidth", "launch",
        "node_link", "network", "held_bytes", "outside_bytes", "memory_ratio"};
};
constexpr bool isBytes(Constant constant) { return constant == Constant::Held || constant == Constant::Outside; }
constexpr bool isOfMemory(Constant constant) { return isBytes(constant) || constant == Constant::MemoryRatio; }

struct FittedConstant {
    Constant constant = Constant::Gemm;
    double value = 1;
    double error = 0; // standard error, in the same unit as the value
    bool operator==(const FittedConstant &) const = default;
};

// The constants for one GPU under one framework, because frameworks use different kernels, which reach different rates.
struct DeviceCalibration {
    std::string gpu, framework;
    std::vector<FittedConstant> constants;
    double stepP10 = 0, stepP90 = 0; // measured over predicted step time of the fitted runs; 0: there were too few
    std::vector<std::string> rows;   // the fitted runs
    std::vector<MeasuredGemm> gemms; // timed on the GPU, independent of the framework

    [[nodiscard]] std::optional<double> find(Constant constant) const;
    [[nodiscard]] double factor(Constant constant) const { return find(constant).value_or(1); }
    [[nodiscard]] Bytes bytes(Constant constant) const { return static_cast<Bytes>(find(constant).value_or(0)); }
    [[nodiscard]] bool fitsSpeed() const;
    [[nodiscard]] bool fitsMemory() const;
    void set(Constant constant, double value, double error = 0);
    bool operator==(const DeviceCalibration &) const = default;
};

// The software settings that a user's runs on one GPU indicate, if the evidence was clear (`slipway calibrate
// --choose`). The constants were fitted to plans for this software.
struct SoftwareOfRuns {
    std::string gpu;
    std::string given;     // the framework as the runs named it: "hf-trainer"
    std::string framework; // "hf-trainer@4.30"
    std::string option;    // "limit_gathers=false"; empty: the setting of the profile
    bool operator==(const SoftwareOfRuns &) const = default;
};

struct Calibration {
    std::string id;
    std::string asOf; // date
    std::vector<DeviceCalibration> devices;
    std::vector<GemmTable> gemms; // measured GEMMs, one table per GPU
    std::vector<SoftwareOfRuns> software;

    // For an unknown device, all constants are those of the catalogue. The measured GEMMs of a GPU apply to every
    // framework.
    [[nodiscard]] DeviceCalibration of(std::string_view gpu, std::string_view framework) const;
    // nullptr if the runs of that GPU and framework were planned for the software that they named.
    [[nodiscard]] const SoftwareOfRuns *softwareOf(std::string_view gpu, std::string_view given) const;
    bool operator==(const Calibration &) const = default;
};

// $XDG_DATA_HOME/slipway/calibrations, else ~/.local/share/slipway/calibrations.
std::filesystem::path userCalibrationFolder();

// Writes the calibration atomically to `id`.yaml and replaces an earlier one with this name.
Result<std::filesystem::path> writeCalibration(const std::filesystem::path &folder, const Calibration &calibration);
Result<Calibration> readCalibration(const std::filesystem::path &file);

// Appends the calibrations of the folder, sorted by file name; a missing folder is treated as empty.
Result<void> addCalibrations(Catalogue &catalogue, const std::filesystem::path &folder = userCalibrationFolder());

} // namespace slipway
