// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A device that can be rented or is in this machine, as its data sheet and published measurements describe it.
// Rates are decimal (1e9, 1e12) and dense; an empty optional means "not known", never zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace slipway {

struct Gpu {
    std::string id;       // "a100-sxm-80gb", "cpu"
    std::string name;     // as shown: "A100 80GB SXM4"
    std::vector<std::string> aliases;
    std::string arch;     // "hopper"
    double computeCapability = 0.0;
    double nominalGb = 0.0;
    Bytes memoryBytes = 0;   // what a program can have: as torch reports it, else the driver's figure
    double memoryBandwidth = 0.0; // bytes/s, data sheet
    std::optional<double> memoryBandwidthMeasured; // bytes/s
    double bf16Flops = 0.0;  // FLOP/s, dense
    double fp32Flops = 0.0;  // FLOP/s outside tensor cores
    std::optional<double> tf32Flops;
    std::optional<double> matmulAchievedFlops; // FLOP/s, best over shapes, measured
    int multiprocessors = 0;
    double linkBandwidth = 0.0; // bytes/s in one direction, between GPUs of a node
    std::string linkKind;
    std::optional<double> tdpWatts;
    std::optional<Bytes> contextBytes; // CUDA context
    std::string source;
    std::string notes;
    bool isCpu = false;

    bool operator==(const Gpu &) const = default;
};

// How GPUs of different nodes reach one another.
struct Node {
    std::string id;        // "aws-p5.48xlarge"
    std::string provider;
    std::string gpu;       // id of the GPU catalogue
    int gpus = 0;
    std::string linkKind;
    std::optional<double> linkBandwidth;   // bytes/s in one direction and GPU
    std::optional<double> networkBandwidth; // bytes/s of the whole node
    std::optional<double> allReduceBusBandwidth; // bytes/s, measured within the node
    std::string source;
    std::string notes;

    bool operator==(const Node &) const = default;
};

} // namespace slipway
