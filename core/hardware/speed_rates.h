// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How much of a data sheet kernels, links and frameworks reach, and how far plans of memory are from runs: every
// constant of these models, each with its source or fit, from resources/catalogue/rates.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "base/yaml.h"

namespace slipway {

// A flash attention kernel on one generation of cards. `forward` and `backward` are the part of the card's peak that
// executed GEMMs reach over many tiles of 128 queries; the last ones cost as much as `tail` more waves of tiles.
// With `rowOverheadKeys` they are what is reached over long sequences, and each row of queries takes as much longer as
// so many more keys of heads of 128; without, what is reached over 4,096.
struct AttentionRate {
    std::string kernel; // flash-1, flash-2, flash-3, cudnn
    std::string arch;   // of the catalogue; empty: every other one
    double forward = 0, backward = 0;
    double forwardTail = 0, backwardTail = 0;
    double rowOverheadKeys = 0;
    std::string source;
    bool operator==(const AttentionRate &) const = default;
};

// A training loop that rates are asked for.
struct FrameworkUse {
    std::string_view framework;
    int torch = 0; // version of PyTorch, 112 for 1.12
    std::string_view attention;
    bool tensorParallel = false;
    std::string_view arch; // of the card, as the catalogue has it
};

// What a framework's training loop makes of a card.
struct FrameworkRate {
    std::string framework;
    std::string attention;       // of this kind alone; empty: of any
    int torchFrom = 0;           // of this version of PyTorch and later, 112 for 1.12
    bool tensorParallel = false; // of tensor-parallel ranks alone
    std::string arch;            // of cards of this generation alone; empty: of any
    Seconds launch = 0;          // host time of one kernel of the plan: dispatch, autograd and the Python around it
    Seconds backwardLaunch = 0;  // the same of one that the backward engine starts, without Python
    Seconds listLaunch = 0; // more of a kernel under selective checkpointing by a list of ops: Python sees each one
    Seconds unitLaunch = 0; // host time of one collective of a sharded unit: its hooks, streams, views and copies
    Seconds graphLaunch =
        0; // of one kernel where the loop records a single rank's launch-bound step as a CUDA graph; 0: it does not
    bool switchAdds = true;             // all-reduces by NVLink SHARP where the node has it
    double gemmFactor = 1;              // of the usual rate of GEMMs, by the libraries of its day
    double bandwidth = 1;               // part of a card's bandwidth that its element-wise kernels reach
    double mixedBandwidth = 1;          // the same of those over operands of two types
    double multiprocessorBandwidth = 0; // bytes/s that such a kernel moves at most on one multiprocessor, by the bytes
                                        // that a thread loads at once; 0: no such limit
    double stepP10 = 1,
           stepP90 = 1; // measured over predicted time of a step on published runs, each source counting alike
    std::string source;
    bool operator==(const FrameworkRate &) const = default;
};

// Reserved bytes of runs, measured over predicted, of a simulated framework or our own trainer on a GPU: P10, median,
// P90.
struct MemoryRate {
    std::string framework;
    double p10 = 1, p50 = 1, p90 = 1;
    std::string source;
    bool operator==(const MemoryRate &) const = default;
};

// Ranges of figures by what is known of the software and the card: measured over predicted of runs that no fit had
// seen.
struct KnowledgeRate {
    std::string knowledge; // of Knowledge
    double stepP10 = 1, stepP90 = 1;
    double reservedP10 = 1, reservedP90 = 1;
    std::string source;
    bool operator==(const KnowledgeRate &) const = default;
};

// Published runs of a card under a framework, and the mean absolute error of what is predicted for them.
struct PublishedRuns {
    std::string framework, gpu;
    int speedRows = 0, memoryRows = 0;
    double speedError = 0, memoryError = 0;
    bool operator==(const PublishedRuns &) const = default;
};

struct SpeedRates {
    double gemmEfficiency = 0;    // of peak: a large, aligned GEMM, where the card's record has no measured one
    double gemmFp8Efficiency = 0; // fp8 GEMMs reach this part of what bf16 ones do, relative to their peaks
    double gemmFp8BlackwellEfficiency = 0; // the same on data-centre Blackwell
    double gemmFp32Efficiency = 0; // of peak: fp32 GEMMs, which run on the CUDA cores and stay below the power limit
    double gemmFp8RowScaledFactor = 0;     // with a scale for each row, relative to one for the tensor
    double ampereSustainedFraction = 0;    // of the best GEMM, by those of a training loop on an A100
    double hopperSustainedFraction = 0;    // the same on Hopper
    double blackwellSustainedFraction = 0; // the same on data-centre Blackwell
    double idlePowerFraction = 0;          // of a card's power limit, which clocks do not change
    double powerExponent = 0;              // GEMMs' rate goes with the rest of the power to this
    Seconds tileOverhead = 0;              // filling and draining one tile of a GEMM
    Seconds tileOverheadHopper = 0, tileOverheadBlackwell = 0; // the same on Hopper and on data-centre Blackwell
    double gemmBurstHopperEfficiency = 0; // of peak: a GEMM that its tiles or its bytes keep below the power limit
    double oddWidthFactor = 1;            // of a GEMM of half numbers of which a width is odd, as GPT-2's 50,257 words
    double bandwidthEfficiency = 0;       // of peak: element-wise kernels, where the card's record has no measured one
    Seconds minKernelTime = 0;            // least time of one kernel
    double pcie3Bandwidth = 0;            // bytes/s of 16 lanes; a generation later twice that
    double pcieCopyEfficiency = 0;
    double pcieCollectiveEfficiency = 0,
           pcieManyGpusEfficiency = 0; // of the bus, by a large ring of two to four cards, and of more,
                                       // which no processor has at its own bus
    Seconds pcieLatency = 0;           // of a collective over it
    double linkEfficiency = 0;         // of the card's links, by a large ring
    double linkFewRanksLoss = 0;       // n ranks reach 1 - this / n of that
    Seconds linkLatency = 0, linkLatencyPerRank = 0;
    double linkBlackwellEfficiency = 0,
           linkBlackwellFewRanksLoss = 0; // as linkEfficiency and linkFewRanksLoss, on data-centre Blackwell
    double nvlsEfficiency = 0,
           nvlsBlackwellEfficiency =
               0; // of the card's links, by an all-reduce that the switch adds, in a ring's measure
    Seconds nvlsLatency = 0;
    double networkEfficiency = 0;
    Seconds networkLatency = 0, networkLatencyPerRank = 0;
    Seconds treeHopLatency = 0;                       // from node to node up a tree
    double treeEfficiency = 0;                        // of a ring's bandwidth that a tree over nodes keeps
    double linkContention = 0, networkContention = 0; // kernels take so much longer while a collective runs beside them
    double defaultNetworkBandwidth = 0, defaultNetworkBandwidthAmpere = 0,
           defaultNetworkBandwidthNoSwitch = 0; // bytes/s of a card, by generation; of a node without NVSwitch
    double cpuGemmEfficiency = 0, cpuAttentionEfficiency = 0, cpuBandwidthEfficiency = 0;
    Seconds cpuThreadWakeup = 0;
    double gpuSpeedDeviation =
        0;                  // standard deviation of the speeds of cards of one kind, each step waits for the slowest
    double cpuAdamRate = 0; // parameters/s that the CPUs of a node update
    double productiveTimeFraction = 1; // of the hours that a run took from its first to its last day: evaluation,
                                       // checkpoints, restarts and idle nodes take the rest
    Seconds allocatorRetry = 0;        // cudaMalloc failing, giving segments back and asking again
    double allocatorThrashThreshold =
        0; // live bytes over what the allocator may have: from here on sharded runs give segments back in every layer
    double allocatorOomThreshold = 0; // and from here on they die where the replay does
    double allocatorOomMargin =
        1; // a replay that dies must do so with this much more as well: which block is split is a matter of chance
    std::vector<AttentionRate> attention;
    std::vector<FrameworkRate> frameworks;
    std::vector<MemoryRate> memory;
    std::vector<KnowledgeRate> knowledge;
    std::vector<PublishedRuns> published;

    // The kernel on cards of that generation, else on all others.
    [[nodiscard]] AttentionRate attentionOf(std::string_view kernel, std::string_view arch) const;
    // The last row that holds for all of it.
    [[nodiscard]] FrameworkRate frameworkOf(const FrameworkUse &use) const;
    // Of a framework that the file does not name: exact.
    [[nodiscard]] MemoryRate memoryOf(std::string_view framework) const;
    // nullptr where the file does not name it.
    [[nodiscard]] const KnowledgeRate *rangeOf(std::string_view known) const;
    // None: without rows.
    [[nodiscard]] PublishedRuns publishedOf(std::string_view framework, std::string_view gpu) const;
    bool operator==(const SpeedRates &) const = default;
};

// Every constant once, each with a source; an unknown or missing one is named with file and line.
Result<SpeedRates> speedRatesOf(const YamlNode &file, const std::string &where);

} // namespace slipway
