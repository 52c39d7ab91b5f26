// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How fast a device and its links go, as one rank meets them: the catalogue's record of the card by the catalogue's
// rates.
#pragma once

#include <memory>

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "plan/step_plan.h"
#include "speed/measured_gemms.h"

namespace slipway {

// A collective of n ranks takes latency + n x latencyPerRank + its volume at the bandwidth that n ranks reach.
struct Link {
    double bandwidth = 0;                          // bytes/s of a large ring's bus
    double fewRanksLoss = 0;                       // two ranks reach a part 1 - fewRanksLoss / 2 of it
    double pairEfficiency = 1, quadEfficiency = 1; // of it where no switch joins a node's cards: of the links of two of
                                                   // them, of three or four, some go elsewhere
    Seconds latency = 0, latencyPerRank = 0;
    double contention = 0; // kernels beside it take so much longer
    bool operator==(const Link &) const = default;
};

struct DeviceRates {
    double gemmFlops = 0;     // FLOP/s that a large, aligned GEMM reaches: no GEMM is faster
    double gemmBurst = 1;     // times that, at which its tiles run where they leave the card below its power limit
    double gemmFp32Flops = 0; // the same with operands that stay fp32; 0: as the others
    double gemmFp8Flops = 0;  // the same with fp8 operands; 0: the card has none
    std::shared_ptr<const MeasuredGemms> measuredGemms; // null: none were
    double attentionFlops = 0; // FLOP/s of executed GEMMs inside flash attention over many tiles, forward
    double attentionBackwardFlops = 0;
    double attentionTail = 0, attentionBackwardTail = 0; // waves of tiles that its last ones cost
    double attentionRowOverheadKeys = 0; // a row of queries costs as much more as so many keys of heads of 128; 0: what
                                         // its tile on the diagonal costs
    double attentionHead64Speedup = 1,
           attentionBackwardHead64Speedup = 1; // times as fast with heads of 64 as with those of 128
    double cacheBandwidth = 0;                 // bytes/s of a cache that attention reads; 0: as element-wise kernels
    Seconds cacheLatency = 0;                  // more of an attention kernel that reads a cache
    Seconds cacheKey = 0;       // of a key, where such a kernel gives each head of a sequence to one block alone
    double memoryBandwidth = 0; // bytes/s that an element-wise kernel reaches
    double packedBandwidth = 0; // bytes/s of GEMMs that unpack weights of few bits; 0: as element-wise kernels
    double mixedBandwidth = 0;  // over operands of two types; 0: as the others
    double peakFlops = 0;       // FLOP/s, dense, data sheet: what MFU is relative to
    int multiprocessors = 0;    // 0: GEMMs are not tiled over any (processor)
    bool choosesTileShape =
        false;          // GEMMs take the tile, and the parts of K, that leave least idle; else tiles of 128 x 256
    Seconds launch = 0; // host time of one op
    Seconds backwardLaunch = 0;      // of one of the backward pass (what it recomputes is the forward's)
    double optimizerLaunch = 1;      // times that of one op takes one of the optimizer's
    bool waitsBetweenPasses = false; // the host waits for the card before and after each forward and backward
    Seconds unitLaunch = 0;          // of a collective of a sharded unit, beside that
    Seconds graphLaunch = 0;         // of one op in a CUDA graph of the step; 0: none is recorded
    Seconds tileOverhead = 0;        // of a GEMM's tile
    double oddWidthFactor = 1;       // so many times as long takes a GEMM of half numbers of which a width is odd
    Seconds minKernelTime = 0;       // least time of one kernel on the device
    double hostAdamRate = 0;         // parameters/s that a rank's part of the host's CPUs updates
    double hostBandwidth = 0;        // bytes/s between the host's memory and the card
    Link nodeLink, networkLink;      // within a node; between nodes, of one of a node's ranks that share it
    Link nodeSwitch; // all-reduce where the node's switch adds, in a ring's measure; bandwidth 0: it does not
    double bucketElements =
        0; // data-parallel ranks sum so many numbers for each of them in one collective; 0: a layer's
    Seconds treeHopLatency = 0; // from node to node up a tree
    double treeEfficiency = 1;  // of a ring's bandwidth that a tree over nodes keeps
    int gpusPerNode = 8;
    double slowestRankFactor = 1; // times a rank's own kernels: ranks wait for the slowest of them
    bool operator==(const DeviceRates &) const = default;
};

// A message that takes `volume` bytes over the link of each of so many ranks.
Seconds transferTime(const Link &link, double ranks, double volume);

// The configuration's training loop, as rates are kept by.
FrameworkUse frameworkUse(const RunConfig &config, const Gpu &gpu);

// What a node's cards share between nodes, bytes/s: as configured, else that of the catalogue's first node with so many
// of this card (`node`), else what the card's generation is sold with.
struct NodeNetwork {
    double bandwidth = 0;
    const Node *node = nullptr;
};
NodeNetwork nodeNetwork(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue);

// Of one rank. On a processor all ranks share the cores, and each gets its part.
DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config);

} // namespace slipway
