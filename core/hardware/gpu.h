// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A device that can be rented or is in this machine, as its data sheet and published measurements describe it.
// Rates are decimal (1e9, 1e12) and dense; an empty optional means "not known", never zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace slipway {

// How the GPUs of a node reach one another.
enum class LinkKind {
    None,        // not at all, or not known
    Pcie,        // over PCIe
    Pairs,       // bridges connect two GPUs each; more communicate over PCIe
    Bridge,      // bridges connect two or four GPUs
    CubeMesh,    // each of eight GPUs has six links, to four others: V100 and P100
    AllToAll,    // each of eight GPUs has one link to each other one: MI300X
    Links,       // links whose arrangement is not known
    Switch,      // all at full rate: NVSwitch
    SwitchSharp, // the same with all-reduces in the switch: NVLink SHARP
};

template<>
struct EnumNames<LinkKind> {
    static constexpr std::array<std::string_view, 9> names{
        "none", "pcie", "pairs", "bridge", "cube-mesh", "all-to-all", "links", "switch", "switch-sharp"};
};

struct Gpu {
    std::string id;   // "a100-sxm-80gb", "cpu"
    std::string name; // display name: "A100 80GB SXM4"
    std::vector<std::string> aliases;
    std::vector<std::string> priceListNames; // in SkyPilot's price lists, if they differ from the aliases
    std::string
        inSmallMachines; // id of the GPU that a name without form factor means in machines of up to 4; empty: this one
    std::string vendor;  // "nvidia", "amd"
    std::string arch;    // "hopper"
    std::string computeCapability; // "9.0", "gfx942"
    double nominalGb = 0.0;
    Bytes memoryBytes = 0;        // memory available to a program, as PyTorch reports it, else as the driver does
    double memoryBandwidth = 0.0; // bytes/s, from the data sheet
    std::optional<double> memoryBandwidthMeasured; // bytes/s
    double bf16Flops = 0.0;                        // FLOP/s, dense; the fp16 rate of GPUs without bf16 (V100, T4)
    double fp32Flops = 0.0;                        // FLOP/s without tensor cores
    std::optional<double> tf32Flops;
    std::optional<double> fp8Flops;
    std::optional<double> matmulAchievedFlops; // FLOP/s, measured, the best of all shapes
    int multiprocessors = 0;
    std::optional<Bytes> l2Bytes;
    std::optional<int> pcieGeneration;
    double linkBandwidth = 0.0; // bytes/s in one direction, between GPUs of a node
    LinkKind linkKind = LinkKind::None;
    std::string link; // "NVLink4 + NVSwitch"
    std::optional<double> tdpWatts;
    std::optional<Bytes> contextBytes; // size of the CUDA context
    std::string source;
    std::string notes;
    bool isCpu = false;

    bool operator==(const Gpu &) const = default;
};

// A kind of node: how its GPUs are connected to one another and to other nodes.
struct Node {
    std::string id; // "aws-p5.48xlarge"
    std::string provider;
    std::string gpu; // id in the catalogue
    int gpus = 0;
    LinkKind linkKind = LinkKind::None;
    std::string link;                       // "NVLink4"
    std::optional<double> linkBandwidth;    // bytes/s per GPU in one direction
    std::optional<double> networkBandwidth; // bytes/s of the whole node
    std::string networkKind;
    std::optional<double> allReduceBusBandwidth; // bytes/s, measured within the node, large messages
    // The same for messages of 16 MiB and 1 MiB.
    std::optional<double> allReduceBusBandwidth16MiB, allReduceBusBandwidth1MiB;
    std::optional<double> multiNodeAllReduceBusBandwidth; // bytes/s, large messages, over `multiNodes` nodes
    std::optional<int> multiNodes;
    std::string measuredHow;
    std::string source;
    std::string notes;

    bool operator==(const Node &) const = default;
};

constexpr bool hasSwitch(LinkKind kind) { return kind == LinkKind::Switch || kind == LinkKind::SwitchSharp; }

} // namespace slipway
