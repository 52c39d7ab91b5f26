// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a user's own runs say about the devices that they ran on: a few constants, each in place of the catalogue's. One
// file a calibration, kept apart from the shipped tables; a plan names it by `--calibration`.
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

// Rates are factors on what the catalogue promises, times factors on what it expects; Held and Outside are bytes: what
// the allocator holds beyond the plan all the run long, and what the device shows beyond the allocator. MemoryRatio is
// a factor on all that is planned in the allocator.
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
    double error = 0; // standard error, of the same unit
    bool operator==(const FittedConstant &) const = default;
};

// Of one GPU under one framework: kernels differ, and so do their rates.
struct DeviceCalibration {
    std::string gpu, framework;
    std::vector<FittedConstant> constants;
    double stepP10 = 0, stepP90 = 0; // measured over predicted, of the runs that it was fitted to; 0: too few of them
    std::vector<std::string> rows;   // those runs
    std::vector<MeasuredGemm> gemms; // timed on the GPU, whatever the framework

    [[nodiscard]] std::optional<double> find(Constant constant) const;
    [[nodiscard]] double factor(Constant constant) const { return find(constant).value_or(1); }
    [[nodiscard]] Bytes bytes(Constant constant) const { return static_cast<Bytes>(find(constant).value_or(0)); }
    [[nodiscard]] bool fitsSpeed() const;
    [[nodiscard]] bool fitsMemory() const;
    void set(Constant constant, double value, double error = 0);
    bool operator==(const DeviceCalibration &) const = default;
};

// What own runs on one GPU looked like, where that was clear (`slipway calibrate --choose`). The constants were fitted
// to the runs as that software plans them.
struct SoftwareOfRuns {
    std::string gpu;
    std::string given;     // as the runs named their framework: "hf-trainer"
    std::string framework; // "hf-trainer@4.30"
    std::string option;    // "limit_gathers=false"; empty: as the profile has it
    bool operator==(const SoftwareOfRuns &) const = default;
};

struct Calibration {
    std::string id;
    std::string asOf; // date
    std::vector<DeviceCalibration> devices;
    std::vector<GemmTable> gemms; // measured, by GPU
    std::vector<SoftwareOfRuns> software;

    // Nothing is known of other devices: all constants as shipped. The GPU's GEMMs count under every framework.
    [[nodiscard]] DeviceCalibration of(std::string_view gpu, std::string_view framework) const;
    // Null where the runs of that GPU and framework were taken as they were given.
    [[nodiscard]] const SoftwareOfRuns *softwareOf(std::string_view gpu, std::string_view given) const;
    bool operator==(const Calibration &) const = default;
};

// $XDG_DATA_HOME/slipway/calibrations, else ~/.local/share/slipway/calibrations.
std::filesystem::path userCalibrationFolder();

// As `id`.yaml, whole or not at all, in place of an earlier one of that name.
Result<std::filesystem::path> writeCalibration(const std::filesystem::path &folder, const Calibration &calibration);
Result<Calibration> readCalibration(const std::filesystem::path &file);

// Appends the folder's calibrations, by name of the file; a missing folder holds none.
Result<void> addCalibrations(Catalogue &catalogue, const std::filesystem::path &folder = userCalibrationFolder());

} // namespace slipway
