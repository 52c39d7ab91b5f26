// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The constants of the speed and memory models: which fraction of the data sheet's rates kernels, links and frameworks
// reach, and how far predictions of memory are from runs. Each constant has a source or a fit
// (resources/catalogue/rates.yaml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "base/yaml.h"

namespace slipway {

// A flash attention kernel on one generation of GPUs. `forward` and `backward` are fractions of the GPU's peak rate
// that executed GEMMs reach over many tiles of 128 queries. The last tiles cost another `tail` waves of tiles. With
// `rowOverheadKeys`, the fractions hold for long sequences, and each row of queries costs that many additional keys of
// head dimension 128. Without it, they hold for a sequence length of 4,096.
struct AttentionRate {
    std::string kernel; // flash-1, flash-2, flash-3, cudnn
    std::string arch;   // architecture as in the catalogue; empty: every one without a row of its own
    double forward = 0, backward = 0;
    double forwardTail = 0, backwardTail = 0;
    double rowOverheadKeys = 0;
    std::string source;
    bool operator==(const AttentionRate &) const = default;
};

// The properties of a training loop that select its rates.
struct FrameworkUse {
    std::string_view framework;
    int torch = 0; // version of PyTorch, 112 for 1.12
    bool olderRecipe = false;
    bool tensorParallel = false;
    std::string_view arch; // architecture of the GPU, as in the catalogue
};

// The rates of a framework's training loop. A row without a PyTorch version or an architecture holds for all of
// them.
struct FrameworkRate {
    std::string framework;
    bool olderRecipe = false;    // only for Megatron-LM's recipes before 2023
    int torchFrom = 0;           // first version of PyTorch, 112 for 1.12
    bool tensorParallel = false; // only for tensor-parallel ranks
    std::string arch;            // generation of GPUs; empty: any
    Seconds launch = 0;          // host time per kernel of the plan: dispatch, autograd and the Python code around it
    Seconds backwardLaunch = 0;  // the same for kernels that the autograd engine launches, without Python
    Seconds listLaunch = 0; // additional host time per kernel under selective checkpointing, whose policy is in Python
    // Host time per collective of a sharded unit: its hooks, streams, views and copies.
    Seconds shardCollectiveLaunch = 0;
    // Time per kernel if the loop records the launch-bound step of a single rank as a CUDA graph; 0: it does not.
    Seconds graphLaunch = 0;
    bool switchAdds = true;    // all-reduces by NVLink SHARP on nodes that have it
    double gemmFactor = 1;     // factor on the rate of GEMMs, for older libraries
    double bandwidth = 1;      // fraction of the GPU's bandwidth that elementwise kernels reach
    double mixedBandwidth = 1; // the same for operands of two types
    // Highest bytes/s of such a kernel on one multiprocessor, as a thread loads only so many bytes at once; 0: no
    // limit.
    double multiprocessorBandwidth = 0;
    // Measured over predicted step time of published runs, where each source has the same weight.
    double stepP10 = 1, stepP90 = 1;
    std::string source;
    bool operator==(const FrameworkRate &) const = default;
};

// Measured over predicted reserved memory of runs of a simulated framework, or of our own trainer on a GPU.
struct MemoryRate {
    std::string framework;
    double p10 = 1, p50 = 1, p90 = 1;
    std::string source;
    bool operator==(const MemoryRate &) const = default;
};

// Measured over predicted values of runs that no fit has used, by what is known of the software and the GPU.
struct KnowledgeRate {
    std::string knowledge; // name of a SoftwareKnowledge
    double stepP10 = 1, stepP90 = 1;
    double reservedP10 = 1, reservedP90 = 1;
    std::string source;
    bool operator==(const KnowledgeRate &) const = default;
};

// Published runs with a GPU and a framework, and the mean absolute errors of their predictions.
struct PublishedRuns {
    std::string framework, gpu;
    int speedRows = 0, memoryRows = 0;
    double speedError = 0, memoryError = 0;
    bool operator==(const PublishedRuns &) const = default;
};

struct SpeedRates {
    double gemmEfficiency = 0;             // large, aligned GEMMs, of the peak rate, if the GPU has no measured rate
    double gemmFp8Efficiency = 0;          // efficiency of fp8 GEMMs, relative to that of bf16 GEMMs
    double gemmFp8BlackwellEfficiency = 0; // the same on data-center Blackwell
    // Fraction of the peak rate of fp32 GEMMs on CUDA cores, which stay below the power limit.
    double gemmFp32Efficiency = 0;
    double gemmFp8RowScaledFactor = 0;     // fp8 GEMMs with one scale per row, relative to one scale per tensor
    double ampereSustainedFraction = 0;    // GEMMs in a training loop on an A100, relative to the fastest GEMM
    double hopperSustainedFraction = 0;    // the same on Hopper
    double blackwellSustainedFraction = 0; // the same on data-center Blackwell
    double idlePowerFraction = 0;          // fraction of the power limit that does not depend on the clock
    double powerExponent = 0;              // the rate of GEMMs is the rest of the power to this exponent
    Seconds tileOverhead = 0;              // to fill and drain one tile of a GEMM
    Seconds tileOverheadHopper = 0, tileOverheadBlackwell = 0; // the same on Hopper and data-center Blackwell
    double gemmBurstHopperEfficiency = 0; // fraction of the peak rate of GEMMs that stay below the power limit
    double oddWidthSlowdown = 1;          // factor on the time of a bf16 or fp16 GEMM with an odd width
    double bandwidthEfficiency =
        0;                     // elementwise kernels, of the data sheet's bandwidth, if the GPU has no measured one
    Seconds minKernelTime = 0; // shortest time of a kernel, the gap after it included
    Seconds kernelGap = 0;     // between two kernels on a stream, even if the second one was launched long before
    double pcie3Bandwidth = 0; // bytes/s of 16 lanes; each later generation has twice the bandwidth
    double pcieCopyEfficiency = 0;
    // Fraction of the bus bandwidth that a large ring reaches with two to four GPUs, and with more GPUs, which no CPU
    // connects to one bus.
    double pcieCollectiveEfficiency = 0, pcieManyGpusEfficiency = 0;
    Seconds pcieLatency = 0;     // of a collective over PCIe
    double linkEfficiency = 0;   // fraction of the bandwidth of the GPU's links that a large ring reaches
    double linkFewRanksLoss = 0; // n ranks reach 1 - linkFewRanksLoss / n of it
    Seconds linkLatency = 0, linkLatencyPerRank = 0;
    // linkEfficiency and linkFewRanksLoss on data-center Blackwell.
    double linkBlackwellEfficiency = 0, linkBlackwellFewRanksLoss = 0;
    // Fraction of the bandwidth of the GPU's links that an all-reduce in the switch (NVLink SHARP) reaches, as a ring's
    // bandwidth.
    double nvlsEfficiency = 0, nvlsBlackwellEfficiency = 0;
    Seconds nvlsLatency = 0;
    double networkEfficiency = 0;
    Seconds networkLatency = 0, networkLatencyPerRank = 0;
    Seconds treeHopLatency = 0;                       // per hop from node to node in a tree
    double treeEfficiency = 0;                        // bandwidth of a tree over nodes, relative to a ring
    double linkContention = 0, networkContention = 0; // fraction by which kernels slow down during a collective
    // bytes/s per GPU by generation, and per node without NVSwitch.
    double defaultNetworkBandwidth = 0, defaultNetworkBandwidthAmpere = 0, defaultNetworkBandwidthNoSwitch = 0;
    double unknownNetworkBandwidthAmpere = 0; // bytes/s per GPU, for measured runs on a cluster that is not named
    double bucketElementsPerRank = 0, fewestBucketElements = 0; // of Megatron-LM's reductions
    double cpuGemmEfficiency = 0, cpuAttentionEfficiency = 0, cpuBandwidthEfficiency = 0;
    Seconds cpuThreadWakeup = 0;
    // Memory bandwidth of a CPU without a measurement: of one core, and at most of a socket.
    double cpuCoreBandwidth = 0, cpuSocketBandwidth = 0;
    // Measured CPUs: GEMMs relative to the measured peak rate, elementwise kernels relative to a copy's bandwidth.
    double cpuGemmOfPeak = 0, cpuElementwiseOfCopy = 0;
    double cpuProcessGib = 0, cpuProcessP10Gib = 0, cpuProcessP90Gib = 0; // memory of a process besides its tensors
    double gpuSpeedDeviation = 0; // standard deviation of the speed of GPUs of one kind; a step waits for the slowest
    double cpuAdamRate = 0;       // parameters/s that the CPUs of a node update
    // Fraction of the time from the first to the last day of a run; evaluation, checkpoints, restarts and idle nodes
    // take the rest.
    double productiveTimeFraction = 1;
    Seconds allocatorRetry = 0; // a failed cudaMalloc, a cache flush and a second attempt
    // Live bytes relative to the allocator's limit, above which sharded runs flush the cache in every layer.
    double allocatorThrashThreshold = 0;
    // The same ratio, above which a run fails if the simulated allocator does.
    double allocatorOomThreshold = 0;
    // A simulated run counts as out of memory only if it also fails with this multiple of the memory limit, because it
    // depends on chance which block the allocator splits.
    double allocatorOomMargin = 1;
    double fullClockPower = 0; // W, of an A100 whose GEMMs run at the highest clock
    // Device memory outside the allocator: the CUDA context, also before PyTorch 2.0, whose P10 and P90 are factors on
    // it; the kernels of our own trainer, also from Hopper on.
    double contextGib = 0, contextBeforeTorch2Gib = 0, contextP10 = 1, contextP90 = 1;
    double slipwayKernelsGib = 0, slipwayKernelsHopperGib = 0;
    // NCCL's buffers: of the first communicator, of each further axis of the mesh, and of connections between all pairs
    // of ranks.
    double ncclGib = 0, ncclP10Gib = 0, ncclP90Gib = 0, ncclAxisGib = 0, ncclAxisP90Gib = 0, ncclPairsGib = 0,
           ncclPairsP90Gib = 0;
    // Standard deviations of the logs of measured over predicted speeds and peaks: of a run and its repetition, of runs
    // of one source on one GPU, and of sources; of each rate of a source beyond the factor that all have in common.
    double speedNoise = 0, speedWithinSource = 0, speedBetweenSources = 0, speedBetweenConstants = 0;
    double peakWithinSource = 0, peakBetweenSources = 0;
    // Prior odds of other software than the one that is named: all other versions together, each version relative to
    // the latest if none is named, each option of another value, and all other profiles together.
    double otherVersionsOdds = 0, unnamedVersionOdds = 0, otherOptionOdds = 0, otherProfilesOdds = 0;
    std::vector<AttentionRate> attention;
    std::vector<FrameworkRate> frameworks;
    std::vector<MemoryRate> memory;
    std::vector<KnowledgeRate> knowledge;
    std::vector<PublishedRuns> published;

    // The row for GPUs of that generation, else the row for all others.
    [[nodiscard]] AttentionRate attentionOf(std::string_view kernel, std::string_view arch) const;
    // The last row that applies to `use`.
    [[nodiscard]] FrameworkRate frameworkOf(const FrameworkUse &use) const;
    // All factors are 1 for a framework without a row.
    [[nodiscard]] MemoryRate memoryOf(std::string_view framework) const;
    // nullptr if there is no row.
    [[nodiscard]] const KnowledgeRate *rangeOf(std::string_view known) const;
    // Without a row, the number of runs is 0.
    [[nodiscard]] PublishedRuns publishedOf(std::string_view framework, std::string_view gpu) const;
    bool operator==(const SpeedRates &) const = default;
};

// Requires every constant exactly once, with a source. The error for an unknown or missing constant names file and
// line.
Result<SpeedRates> speedRatesOf(const YamlNode &file, const std::string &where);

} // namespace slipway
