// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rates of a device and its links in one configuration, as one rank sees them: the record of the GPU in the
// catalogue, scaled by the efficiencies in the catalogue's rates (hardware/speed_rates.h).
#pragma once

#include <memory>

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "plan/step_plan.h"
#include "speed/measured_gemms.h"

namespace slipway {

// A collective of n ranks takes latency + n x latencyPerRank + its volume / the bandwidth that n ranks reach.
struct Link {
    double bandwidth = 0;      // bytes/s of bus bandwidth that a large ring reaches
    double smallGroupLoss = 0; // n ranks reach 1 - smallGroupLoss / n of it
    // The fraction of it that groups of two, and of three or four, reach in nodes without a switch: some of the links
    // of these GPUs lead to other GPUs.
    double pairEfficiency = 1, quadEfficiency = 1;
    Seconds latency = 0, latencyPerRank = 0;
    double contention = 0; // fraction by which kernels slow down while a collective runs
    bool operator==(const Link &) const = default;
};

struct DeviceRates {
    double gemmFlops = 0;     // FLOP/s of a large, aligned GEMM, the upper limit of all GEMMs
    double gemmBoost = 1;     // factor on gemmFlops for GEMMs that leave the GPU below its power limit
    double gemmFp32Flops = 0; // gemmFlops for fp32 operands; 0: the same
    double gemmFp8Flops = 0;  // gemmFlops for fp8 operands; 0: the GPU has no fp8
    std::shared_ptr<const MeasuredGemms> measuredGemms; // null: none
    double attentionFlops = 0; // FLOP/s of the executed GEMMs in flash attention's forward kernel, over many tiles
    double attentionBackwardFlops = 0;
    double attentionTail = 0, attentionBackwardTail = 0; // cost of the last tiles, in waves of tiles
    // Cost of a row of queries beyond its keys, in keys of head dimension 128. 0: the cost of its tile on the diagonal.
    double attentionRowOverheadKeys = 0;
    // Rate with head dimension 64, relative to 128.
    double attentionHead64Speedup = 1, attentionBackwardHead64Speedup = 1;
    double cacheBandwidth = 0;   // bytes/s at which attention reads a KV cache; 0: as elementwise kernels
    Seconds cacheLatency = 0;    // additional time of an attention kernel that reads a KV cache
    Seconds cacheTimePerKey = 0; // time per key of such a kernel, if one block computes a whole head of a sequence
    double memoryBandwidth = 0;  // bytes/s that an elementwise kernel reaches
    double packedBandwidth = 0; // bytes/s of GEMMs with quantized weights, which they unpack; 0: as elementwise kernels
    double mixedBandwidth = 0;  // memoryBandwidth for operands of two types; 0: the same
    double peakFlops = 0;       // FLOP/s, dense, of the data sheet: the denominator of MFU
    int multiprocessors = 0;    // 0 on a CPU, where GEMMs are not tiled over multiprocessors
    bool oneLane = false; // a CPU: our trainer runs collectives between the kernels, and only sends messages aside
    // Whether the library chooses the tile shape and the split of K with the least idle time. Otherwise tiles are
    // 128 x 256.
    bool choosesTileShape = false;
    Seconds launch = 0;                // host time per kernel launch
    Seconds backwardLaunch = 0;        // the same in the backward pass, except for recomputation
    double optimizerLaunch = 1;        // factor on `launch` for the optimizer's kernels
    bool waitsBetweenPasses = false;   // the host waits for the GPU before and after each forward and backward pass
    Seconds shardCollectiveLaunch = 0; // additional host time of a collective of a sharded unit
    Seconds graphLaunch = 0;           // time per kernel in a CUDA graph of the step; 0: no graph is recorded
    Seconds tileOverhead = 0;          // per tile of a GEMM
    double oddWidthSlowdown = 1;       // factor on the time of a bf16 or fp16 GEMM with an odd width
    Seconds minKernelTime = 0;         // shortest time of a kernel on the device, the gap after it included
    Seconds kernelGap = 0;             // time between the end of a kernel and the start of the next one on its stream
    double hostAdamRate = 0;           // parameters/s that a rank's share of the host's CPUs updates
    double hostBandwidth = 0;          // bytes/s between host and GPU
    Link nodeLink, networkLink;        // within a node; between nodes, per rank of a node, as they share the network
    Link nodeSwitch; // all-reduce by the switch of a node (NVLink SHARP), as a ring's bandwidth; bandwidth 0: none
    double bucketElements = 0; // gradients per bucket, per data-parallel rank; 0: the gradients of one layer
    double fewestBucketElements = 0;
    Seconds treeHopLatency = 0; // per hop from node to node in a tree
    double treeEfficiency = 1;  // bandwidth of a tree over nodes, relative to a ring
    int gpusPerNode = 8;
    double slowestRankFactor = 1; // factor on the time of a rank's kernels, as all ranks wait for the slowest
    bool operator==(const DeviceRates &) const = default;
};

// Time of a message of `volume` bytes over the link of each of `ranks` ranks.
Seconds transferTime(const Link &link, double ranks, double volume);

// The network bandwidth of a node in bytes/s, shared by its GPUs: as configured, else that of `node`, the first node of
// the catalogue with this GPU and this number of GPUs, else a default for the GPU's generation.
struct NodeNetwork {
    double bandwidth = 0;
    const Node *node = nullptr;
};
NodeNetwork nodeNetwork(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue);

// The rates of one rank. On a CPU, all ranks of the machine share its cores equally.
DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config);

} // namespace slipway
