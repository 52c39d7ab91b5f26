// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The processor of this machine as a device of the catalogue. Memory and cores are read from the system; the rates are
// estimates.
#pragma once

#include <filesystem>
#include <string>

#include "hardware/gpu.h"
#include "hardware/speed_rates.h"

namespace slipway {

// The inputs of the estimate, so that tests do not depend on the machine.
struct ProcessorFacts {
    std::string model = "processor";
    int cores = 1;          // cores that this process may use (affinity and cgroup)
    int threadsPerCore = 1; // hardware threads that share the execution units of one core
    double hertz = 2.5e9;
    int fp32PerCycle = 8; // FLOP per core and cycle: lanes x FMA units x 2
    Bytes memory = 0;     // memory that this process may use

    bool operator==(const ProcessorFacts &) const = default;
};

// Reads /proc and /sys below `root`, and queries the instruction sets of the processor.
ProcessorFacts processorFacts(const std::filesystem::path &root = "/");

// The device "cpu": the peak rate is cores x clock x FLOP per cycle; the memory bandwidth follows from the number of
// cores.
Gpu processorDevice(const ProcessorFacts &facts, const SpeedRates &constants);

} // namespace slipway
