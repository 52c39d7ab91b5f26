// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// This machine's processor as a device of the catalogue. Its memory and cores are read; its rates are estimates.
#pragma once

#include <filesystem>
#include <string>

#include "hardware/gpu.h"

namespace slipway {

// What the estimate is made from, so that tests need no particular machine.
struct ProcessorFacts {
    std::string model = "processor";
    int cores = 1;          // that this process may use (affinity and cgroup)
    int threadsPerCore = 1; // hardware threads that share one core's units
    double hertz = 2.5e9;
    int fp32PerCycle = 8; // FLOP of one core in a cycle: lanes x FMA units x 2
    Bytes memory = 0;     // that this process may use

    bool operator==(const ProcessorFacts &) const = default;
};

// Reads /proc and /sys below `root`, and the instruction sets of the processor.
ProcessorFacts processorFacts(const std::filesystem::path &root = "/");

// The device "cpu": peak = cores x clock x FLOP a cycle, memory bandwidth by the number of cores.
Gpu processorDevice(const ProcessorFacts &facts);

} // namespace slipway
