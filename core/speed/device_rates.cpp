// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/device_rates.h"

#include <algorithm>
#include <cmath>

#include "plan/framework_recipe.h"

namespace slipway {

namespace {

// shape_padding is on by default since (_inductor/config.py of the wheels of 2.0.1 and 2.1.2).
constexpr int kTorchThatFillsUp = 201;

constexpr double kGrowingBucket = 1e6; // numbers for each rank: collective_time.cpp

// Between nodes whose network is not known: what nodes of the GPU's generation are sold with.
double defaultNetworkBandwidth(const Gpu &gpu, const SpeedRates &rates, int cards)
{
    if (gpu.linkKind.find("NVSwitch") == std::string::npos)
        return rates.defaultNetworkBandwidthNoSwitch;
    return cards * (gpu.arch == "ampere" ? rates.defaultNetworkBandwidthAmpere : rates.defaultNetworkBandwidth);
}

// Links from GPU to GPU, no switch between: eight V100 have six links each, of which a pair shares one and a quad
// four, and in nodes of four a pair shares two; eight MI300X have one link to each other. (vTrain's traces of 2, 4 and
// 8 V100: 22.6, 85.8 and 136 GB/s; MI300X, 2 and 8: 48 and 313, stas00/ml-engineering.)
void meshLinks(Link &link, const Gpu &gpu, int cards)
{
    const bool cube = gpu.linkKind.find("hybrid cube mesh") != std::string::npos,
               all = gpu.linkKind.find("all-to-all") != std::string::npos;
    if (!(cube || all) || cards <= 2 || cards > 8) // sixteen V100 have a switch: DGX-2
        return;
    link.fewRanksLoss = 0;
    link.pairEfficiency = cube && cards > 4 ? 1.0 / 6 : 1.0 / (cards - 1);
    link.quadEfficiency = cards <= 4 ? 1 : cube ? 4.0 / 6 : 3.0 / (cards - 1);
}

// A bridge joins two GPUs: more of them in a node meet over the bus, as GPUs without links of their own do (Azure's
// health checks: 193 GB/s with two A100 PCIe, 25 with four).
bool meetOverBus(const Gpu &gpu, const Parallelism &p)
{
    const bool bridged = gpu.linkKind.find("pairs only") != std::string::npos;
    return gpu.linkBandwidth <= 0 || (bridged && std::min(p.gpusPerNode, p.gpus) > 2);
}

// Two to four GPUs share a processor's bus; a ring over more crosses between two.
Link busLink(double bus, const SpeedRates &constants, int cards)
{
    const bool crosses = cards > 4;
    const double few = crosses ? constants.pcieCollectiveEfficiency / constants.pcieManyGpusEfficiency : 1;
    return {.bandwidth = bus * (crosses ? constants.pcieManyGpusEfficiency : constants.pcieCollectiveEfficiency),
        .pairEfficiency = few,
        .quadEfficiency = few,
        .latency = constants.pcieLatency,
        .contention = constants.linkContention};
}

bool isDataCentreAmpere(const Gpu &gpu) { return gpu.computeCapability == "8.0"; }
bool isDataCentreBlackwell(const Gpu &gpu) { return gpu.computeCapability.starts_with("10."); }

// What a power limit leaves to the clocks of GEMMs beside 300 W for an A100's peak, with which SimuMax' GEMMs
// lose nothing.
double clocksLeft(const Gpu &gpu, const SpeedRates &constants)
{
    constexpr double kWatts = 300, kPeak = 312e12;
    const double part = std::clamp(gpu.tdpWatts.value_or(0) > 0 ? *gpu.tdpWatts / kWatts / (gpu.bf16Flops / kPeak) : 1,
        constants.idlePowerFraction, 1.0);
    return std::pow((part - constants.idlePowerFraction) / (1 - constants.idlePowerFraction), constants.powerExponent);
}

// Of the best GEMM, which runs for an instant, by those of a training loop, which meet the power limit.
double sustainedPart(const Gpu &gpu, const SpeedRates &constants)
{
    if (gpu.arch == "hopper")
        return constants.hopperSustainedFraction;
    if (isDataCentreBlackwell(gpu))
        return constants.blackwellSustainedFraction;
    return isDataCentreAmpere(gpu) ? constants.ampereSustainedFraction * clocksLeft(gpu, constants) : 1;
}

// Of links by way of a switch, and of those that meshLinks() changes.
Link linksOf(const Gpu &gpu, const SpeedRates &constants)
{
    Link link{.bandwidth = gpu.linkBandwidth * constants.linkEfficiency,
        .fewRanksLoss = constants.linkFewRanksLoss,
        .latency = constants.linkLatency,
        .latencyPerRank = constants.linkLatencyPerRank,
        .contention = constants.linkContention};
    if (isDataCentreBlackwell(gpu)) {
        link.bandwidth = gpu.linkBandwidth * constants.linkBlackwellEfficiency;
        link.fewRanksLoss = constants.linkBlackwellFewRanksLoss;
    }
    return link;
}

Seconds tileOverhead(const Gpu &gpu, const SpeedRates &constants)
{
    if (gpu.arch == "hopper")
        return constants.tileOverheadHopper;
    return isDataCentreBlackwell(gpu) ? constants.tileOverheadBlackwell : constants.tileOverhead;
}

AttentionKernel attentionKernel(const RunConfig &c, const Gpu &gpu)
{
    constexpr int kTorchWithFlash2 = 202; // release notes of PyTorch 2.2
    constexpr int kTorchWithBlackwell = 207, kTorchThatPrefersCudnn = 208;
    const bool generation2 =
        c.attentionKernel == AttentionKernel::Flash1 || c.attentionKernel == AttentionKernel::Flash2;
    // FlashAttention-2 has no kernels for data-centre Blackwell: PyTorch takes cuDNN's there since it knows it.
    if (isDataCentreBlackwell(gpu) && (generation2 || c.attentionKernel == AttentionKernel::Auto) &&
        c.torchVersion() >= kTorchWithBlackwell)
        return AttentionKernel::Cudnn;
    if (c.attentionKernel != AttentionKernel::Auto)
        return c.attentionKernel;
    // scaled_dot_product_attention prefers it on Hopper as well, since then; as recalled.
    if (!c.software.empty() && gpu.arch == "hopper" && c.torchVersion() >= kTorchThatPrefersCudnn)
        return AttentionKernel::Cudnn;
    if (c.framework == Framework::Megatron && (gpu.arch == "hopper" || gpu.arch == "blackwell"))
        return AttentionKernel::Cudnn; // TransformerEngine's choice there
    return c.torchVersion() < kTorchWithFlash2 ? AttentionKernel::Flash1 : AttentionKernel::Flash2;
}

void setAttention(DeviceRates &rates, const SpeedRates &constants, const RunConfig &c, const Gpu &gpu, double peak)
{
    const bool consumer = gpu.arch == "blackwell" && !isDataCentreBlackwell(gpu); // Ampere's instructions
    const AttentionRate kernel = constants.attentionOf(enumName(attentionKernel(c, gpu)), consumer ? "" : gpu.arch);
    rates.attentionFlops = peak * kernel.forward;
    rates.attentionBackwardFlops = peak * kernel.backward;
    // Measured on an A100, and taken for every GPU whose generation has no record of its own.
    const std::string name(enumName(attentionKernel(c, gpu)));
    const AttentionRate narrow = constants.attentionOf(name + "-d64", kernel.arch),
                        wide = constants.attentionOf(name, narrow.arch);
    if (narrow.forward > 0) {
        rates.attentionHead64Speedup = narrow.forward / wide.forward;
        rates.attentionBackwardHead64Speedup = narrow.backward / wide.backward;
    }
    rates.attentionTail = kernel.forwardTail;
    rates.attentionBackwardTail = kernel.backwardTail;
    rates.attentionRowOverheadKeys = kernel.rowOverheadKeys;
}

// Mean of the largest of n standard normal values, by Blom's plotting position (1958, within 0.03) and the quantile's
// approximation of Abramowitz and Stegun, 26.2.23 (within 0.0005).
double expectedLargest(int n)
{
    if (n <= 1)
        return 0;
    const double above = 0.625 / (n + 0.25); // part of the values that lie beyond
    const double t = std::sqrt(-2 * std::log(above));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

// Checkpointing by a list of ops asks Python about each of them, in a layer's first and second forward
// (torch.utils.checkpoint's dispatch modes); compilers and traced graphs have asked before.
bool seesEachOp(const RunConfig &c)
{
    return c.framework == Framework::PytorchEager && !c.tracesGraph() && c.recompute == Recompute::Selective &&
           !c.recomputes(RecomputeOp::LayerAlternate);
}

// Megatron-LM's timers synchronised the GPU where they started and stopped, around each forward and backward of a
// micro-batch, until they got levels (its 3.0 of 2022, timers.py and schedules.py, as recalled), which is before its
// flash attention; DeepSpeed's engine has its own.
bool timesEachPass(const RunConfig &c)
{
    return c.framework == Framework::Megatron && c.attention == Attention::Vanilla && !runsPipelineEngine(c);
}

// What older modules launch beside a kernel of the plan, optimizers do not: theirs take many tensors at once.
double optimizerLaunch(const RunConfig &c, const Gpu &gpu, const SpeedRates &constants, const FrameworkRate &older)
{
    if (c.framework != Framework::Megatron || older.launch <= 0)
        return 1;
    FrameworkUse use = frameworkUse(c, gpu);
    use.attention = enumName(Attention::Flash);
    return constants.frameworkOf(use).launch / older.launch;
}

DeviceRates processorRates(const Gpu &cpu, const SpeedRates &constants, int ranks)
{
    DeviceRates rates;
    const double share = 1.0 / ranks;
    const double gemm = cpu.matmulAchievedFlops.value_or(cpu.fp32Flops * constants.cpuGemmEfficiency);
    rates.peakFlops = cpu.fp32Flops * share;
    rates.gemmFlops = gemm * share;
    rates.attentionFlops = gemm * constants.cpuAttentionEfficiency / constants.cpuGemmEfficiency * share;
    rates.attentionBackwardFlops = rates.attentionFlops;
    rates.memoryBandwidth =
        cpu.memoryBandwidthMeasured.value_or(cpu.memoryBandwidth * constants.cpuBandwidthEfficiency) * share;
    rates.minKernelTime = constants.cpuThreadWakeup;
    rates.nodeLink = {
        .bandwidth = rates.memoryBandwidth / 3, .latency = constants.cpuThreadWakeup}; // read two, write one
    rates.networkLink = rates.nodeLink;
    rates.gpusPerNode = ranks;
    return rates;
}

} // namespace

Seconds transferTime(const Link &link, double ranks, double volume)
{
    const double part = (1 - link.fewRanksLoss / ranks) * (ranks <= 2      ? link.pairEfficiency
                                                              : ranks <= 4 ? link.quadEfficiency
                                                                           : 1);
    return link.latency + ranks * link.latencyPerRank + volume / (link.bandwidth * part);
}

FrameworkUse frameworkUse(const RunConfig &config, const Gpu &gpu)
{
    // A traced graph runs operations on plain tensors: what DTensor decides was decided when it was traced.
    return {.framework = enumName(config.framework),
        .torch = config.torchVersion(),
        .attention = enumName(config.attention),
        .tensorParallel = config.parallel.tp > 1 && !config.tracesGraph(),
        .arch = gpu.arch};
}

NodeNetwork nodeNetwork(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue)
{
    const int cards = config.parallel.gpusPerNode; // nodes with another number of GPUs are other nodes
    if (config.networkGbps)
        return {*config.networkGbps * 1e9 / 8};
    const auto node = std::find_if(catalogue.nodes.begin(), catalogue.nodes.end(),
        [&](const Node &n) { return n.gpu == gpu.id && n.gpus == cards && n.networkBandwidth; });
    return node != catalogue.nodes.end() ? NodeNetwork{*node->networkBandwidth, &*node}
                                         : NodeNetwork{defaultNetworkBandwidth(gpu, catalogue.rates, cards)};
}

DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config)
{
    const SpeedRates &constants = catalogue.rates;
    if (gpu.isCpu)
        return processorRates(gpu, constants, config.parallel.gpus);

    const bool half = config.precision != Precision::Fp32;
    const FrameworkRate framework = constants.frameworkOf(frameworkUse(config, gpu));
    DeviceRates rates;
    const double peak = half ? gpu.bf16Flops : gpu.fp32Flops;
    rates.peakFlops = config.precision == Precision::Fp8Mixed ? gpu.fp8Flops.value_or(peak) : peak;
    if (half)
        rates.gemmFlops = (gpu.matmulAchievedFlops ? std::min(*gpu.matmulAchievedFlops, gpu.bf16Flops)
                                                   : peak * constants.gemmEfficiency) *
                          sustainedPart(gpu, constants) * framework.gemmFactor;
    else
        rates.gemmFlops = peak * constants.gemmFp32Efficiency;
    if (gpu.fp8Flops)
        rates.gemmFp8Flops =
            rates.gemmFlops * *gpu.fp8Flops / gpu.bf16Flops *
            (isDataCentreBlackwell(gpu) ? constants.gemmFp8BlackwellEfficiency : constants.gemmFp8Efficiency) *
            (config.fp8Scales == Fp8Scales::Row && config.framework != Framework::Megatron
                    ? constants.gemmFp8RowScaledFactor
                    : 1);
    setAttention(rates, constants, config, gpu, peak);
    const double bandwidth = gpu.memoryBandwidthMeasured.value_or(gpu.memoryBandwidth * constants.bandwidthEfficiency);
    rates.multiprocessors = gpu.multiprocessors;
    // A kernel has so many bytes under way on a multiprocessor, however fast the memory is.
    const double most = framework.multiprocessorBandwidth * gpu.multiprocessors;
    rates.memoryBandwidth =
        most > 0 ? std::min(bandwidth * framework.bandwidth, most) : bandwidth * framework.bandwidth;
    rates.mixedBandwidth = rates.memoryBandwidth * framework.mixedBandwidth / framework.bandwidth;
    const double bus = std::pow(2.0, gpu.pcieGeneration.value_or(4) - 3) * constants.pcie3Bandwidth;
    rates.hostBandwidth = bus * constants.pcieCopyEfficiency;
    rates.hostAdamRate = constants.cpuAdamRate / std::min(config.parallel.gpusPerNode, config.parallel.gpus);
    rates.launch = framework.launch + (seesEachOp(config) ? framework.listLaunch : 0);
    rates.backwardLaunch = framework.backwardLaunch;
    rates.optimizerLaunch = optimizerLaunch(config, gpu, constants, framework);
    rates.waitsBetweenPasses = timesEachPass(config);
    rates.unitLaunch = framework.unitLaunch;
    rates.graphLaunch = framework.graphLaunch;
    rates.tileOverhead = tileOverhead(gpu, constants);
    rates.choosesTileShape = gpu.arch == "hopper" || isDataCentreAmpere(gpu);
    if (half && gpu.arch == "hopper")
        rates.gemmBurst = std::max(1.0, gpu.bf16Flops * constants.gemmBurstHopperEfficiency / rates.gemmFlops);
    // Compilers fill such widths up (torch._inductor's shape_padding), our trainer does, too.
    const bool fillsUp =
        (config.framework == Framework::PytorchCompile && config.torchVersion() >= kTorchThatFillsUp) ||
        config.framework == Framework::Slipway;
    rates.oddWidthFactor = fillsUp ? 1 : constants.oddWidthFactor;
    rates.minKernelTime = constants.minKernelTime;
    rates.gemmFlops *= config.gemmFactor;
    rates.gemmFp8Flops *= config.gemmFactor;
    for (Seconds *launch : {&rates.launch, &rates.backwardLaunch, &rates.unitLaunch})
        *launch *= config.launchFactor;
    rates.gpusPerNode = config.parallel.gpusPerNode;
    rates.slowestRankFactor = 1 + constants.gpuSpeedDeviation * expectedLargest(config.parallel.gpus);
    rates.gemmFp32Flops = gpu.fp32Flops * constants.gemmFp32Efficiency;
    rates.nodeLink = meetOverBus(gpu, config.parallel)
                         ? busLink(bus, constants, std::min(config.parallel.gpusPerNode, config.parallel.gpus))
                         : linksOf(gpu, constants);
    meshLinks(rates.nodeLink, gpu, config.parallel.gpusPerNode);
    if (framework.switchAdds && gpu.linkKind.find("NVLS") != std::string::npos)
        rates.nodeSwitch = {
            .bandwidth = gpu.linkBandwidth *
                         (isDataCentreBlackwell(gpu) ? constants.nvlsBlackwellEfficiency : constants.nvlsEfficiency),
            .latency = constants.nvlsLatency};
    rates.bucketElements = config.framework == Framework::Megatron ? kGrowingBucket : 0;
    rates.treeHopLatency = constants.treeHopLatency;
    rates.treeEfficiency = constants.treeEfficiency;
    rates.networkLink = {.bandwidth = nodeNetwork(config, gpu, catalogue).bandwidth * constants.networkEfficiency,
        .latency = constants.networkLatency,
        .latencyPerRank = constants.networkLatencyPerRank,
        .contention = constants.networkContention};
    for (Link *link : {&rates.nodeLink, &rates.nodeSwitch, &rates.networkLink})
        link->bandwidth *= config.collectiveFactor;
    return rates;
}

} // namespace slipway
