// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/device_rates.h"

#include <algorithm>
#include <cmath>

#include "config/framework_use.h"
#include "plan/framework_recipe.h"

namespace slipway {

namespace {

// The bandwidth assumed for an unknown network: that of usual nodes with GPUs of this generation.
double defaultNetworkBandwidth(const Gpu &gpu, const SpeedRates &rates, int gpus)
{
    if (!hasSwitch(gpu.linkKind))
        return rates.defaultNetworkBandwidthNoSwitch;
    return gpus * (gpu.arch == "ampere" ? rates.defaultNetworkBandwidthAmpere : rates.defaultNetworkBandwidth);
}

// Links between GPUs without a switch. Each of eight V100 has six links: a pair shares one of them, a quad four. In
// nodes of four, a pair shares two. Each of eight MI300X has one link to each other GPU. (vTrain's traces of 2, 4 and 8
// V100: 22.6, 85.8 and 136 GB/s; MI300X, 2 and 8: 48 and 313, stas00/ml-engineering.)
void meshLinks(Link &link, const Gpu &gpu, int gpus)
{
    const bool cube = gpu.linkKind == LinkKind::CubeMesh, all = gpu.linkKind == LinkKind::AllToAll;
    if (!(cube || all) || gpus <= 2 || gpus > 8) // sixteen V100 have a switch: DGX-2
        return;
    link.smallGroupLoss = 0;
    link.pairEfficiency = cube && gpus > 4 ? 1.0 / 6 : 1.0 / (gpus - 1);
    link.quadEfficiency = gpus <= 4 ? 1 : cube ? 4.0 / 6 : 3.0 / (gpus - 1);
}

// An NVLink bridge connects two GPUs. More GPUs in a node communicate over the bus, like GPUs without links (Azure's
// health checks: 193 GB/s with two A100 PCIe, 25 with four).
bool meetOverBus(const Gpu &gpu, const Parallelism &p)
{
    const bool bridged = gpu.linkKind == LinkKind::Pairs;
    return gpu.linkBandwidth <= 0 || (bridged && std::min(p.gpusPerNode, p.gpus) > 2);
}

// Two to four GPUs share the bus of one CPU. A ring over more GPUs crosses between two CPUs.
Link busLink(double bus, const SpeedRates &constants, int gpus)
{
    const bool crosses = gpus > 4;
    const double few = crosses ? constants.pcieCollectiveEfficiency / constants.pcieManyGpusEfficiency : 1;
    return {.bandwidth = bus * (crosses ? constants.pcieManyGpusEfficiency : constants.pcieCollectiveEfficiency),
        .pairEfficiency = few,
        .quadEfficiency = few,
        .latency = constants.pcieLatency,
        .contention = constants.linkContention};
}

bool isDataCenterAmpere(const Gpu &gpu) { return gpu.computeCapability == "8.0"; }
bool isDataCenterBlackwell(const Gpu &gpu) { return gpu.computeCapability.starts_with("10."); }

// The fraction of the GEMM clocks that remains under the power limit. The reference is an A100's peak rate.
double clocksLeft(const Gpu &gpu, const SpeedRates &constants)
{
    constexpr double kPeak = 312e12;
    const double part = std::clamp(
        gpu.tdpWatts.value_or(0) > 0 ? *gpu.tdpWatts / constants.fullClockPower / (gpu.bf16Flops / kPeak) : 1,
        constants.idlePowerFraction, 1.0);
    return std::pow((part - constants.idlePowerFraction) / (1 - constants.idlePowerFraction), constants.powerExponent);
}

// The GEMM rate of a training loop as a fraction of the best rate. The best GEMM runs only for an instant; those of a
// loop reach the power limit.
double sustainedPart(const Gpu &gpu, const SpeedRates &constants)
{
    if (gpu.arch == "hopper")
        return constants.hopperSustainedFraction;
    if (isDataCenterBlackwell(gpu))
        return constants.blackwellSustainedFraction;
    return isDataCenterAmpere(gpu) ? constants.ampereSustainedFraction * clocksLeft(gpu, constants) : 1;
}

// The rates of links through a switch, and of those that meshLinks() changes.
Link linksOf(const Gpu &gpu, const SpeedRates &constants)
{
    Link link{.bandwidth = gpu.linkBandwidth * constants.linkEfficiency,
        .smallGroupLoss = constants.linkFewRanksLoss,
        .latency = constants.linkLatency,
        .latencyPerRank = constants.linkLatencyPerRank,
        .contention = constants.linkContention};
    if (isDataCenterBlackwell(gpu)) {
        link.bandwidth = gpu.linkBandwidth * constants.linkBlackwellEfficiency;
        link.smallGroupLoss = constants.linkBlackwellFewRanksLoss;
    }
    return link;
}

Seconds tileOverhead(const Gpu &gpu, const SpeedRates &constants)
{
    if (gpu.arch == "hopper")
        return constants.tileOverheadHopper;
    return isDataCenterBlackwell(gpu) ? constants.tileOverheadBlackwell : constants.tileOverhead;
}

AttentionKernel attentionKernel(const RunConfig &c, const Gpu &gpu)
{
    const bool picks = c.framework != Framework::Slipway; // as scaled_dot_product_attention does
    const bool generation2 = c.simulated.attentionKernel == AttentionKernel::Flash1 ||
                             c.simulated.attentionKernel == AttentionKernel::Flash2;
    // FlashAttention takes no mask. cuDNN's attention does, where PyTorch prefers it.
    if (c.simulated.denseMask && c.simulated.attentionKernel == AttentionKernel::Auto) {
        const bool prefers = isDataCenterBlackwell(gpu)
                                 ? c.simulated.torchChanges.cudnnOnBlackwell
                                 : gpu.arch == "hopper" && c.simulated.torchChanges.cudnnOnHopper;
        return picks && prefers ? AttentionKernel::Cudnn : AttentionKernel::Efficient;
    }
    // FlashAttention-2 has no kernels for data-center Blackwell. Versions of PyTorch that support it use cuDNN's there.
    if (isDataCenterBlackwell(gpu) && (generation2 || c.simulated.attentionKernel == AttentionKernel::Auto) &&
        c.simulated.torchChanges.cudnnOnBlackwell && picks)
        return AttentionKernel::Cudnn;
    if (c.simulated.attentionKernel != AttentionKernel::Auto)
        return c.simulated.attentionKernel;
    if (!c.software.empty() && gpu.arch == "hopper" && c.simulated.torchChanges.cudnnOnHopper)
        return AttentionKernel::Cudnn;
    if (c.framework == Framework::Megatron && (gpu.arch == "hopper" || gpu.arch == "blackwell"))
        return AttentionKernel::Cudnn; // the choice of TransformerEngine on these GPUs
    return c.simulated.torchChanges.flash2 ? AttentionKernel::Flash2 : AttentionKernel::Flash1;
}

void setAttention(DeviceRates &rates, const SpeedRates &constants, const RunConfig &c, const Gpu &gpu)
{
    const double peak = c.precisionOrMixed() != Precision::Fp32 ? gpu.bf16Flops : gpu.fp32Flops;
    const bool consumer = gpu.arch == "blackwell" && !isDataCenterBlackwell(gpu); // it has only Ampere's instructions
    const AttentionRate kernel = constants.attentionOf(enumName(attentionKernel(c, gpu)), consumer ? "" : gpu.arch);
    rates.attentionFlops = peak * kernel.forward;
    rates.attentionBackwardFlops = peak * kernel.backward;
    // Measured on an A100. Used for every GPU whose generation has no record.
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

// The mean of the largest of n standard normal values. It uses Blom's plotting position (1958, within 0.03) and the
// approximation of the quantile by Abramowitz and Stegun, 26.2.23 (within 0.0005).
double expectedLargest(int n)
{
    if (n <= 1)
        return 0;
    const double above = 0.625 / (n + 0.25); // fraction of the values above it
    const double t = std::sqrt(-2 * std::log(above));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

// Activation checkpointing by a list of ops calls Python for each op, in the first and second forward pass of a layer
// (torch.utils.checkpoint's dispatch modes). Compilers and traced graphs have done this beforehand.
bool seesEachOp(const RunConfig &c)
{
    return c.framework == Framework::PytorchEager && !c.simulated.tracesGraph() &&
           c.recompute == Recompute::Selective && !c.recomputes(RecomputeOp::LayerAlternate);
}

// Megatron-LM's timers synchronized the GPU at their start and stop, around each forward and backward pass of a
// micro-batch. This ended when they got levels (version 3.0 of 2022, timers.py and schedules.py, as recalled).
// DeepSpeed's engine has its own timers.
bool timesEachPass(const RunConfig &c)
{
    return c.framework == Framework::Megatron && c.simulated.olderRecipe && !runsPipelineEngine(c);
}

// Older modules launch more kernels than the plan has; optimizers do not, since theirs process many tensors at once.
// Returns the factor for the launches of the optimizer.
double optimizerLaunch(const RunConfig &c, const Gpu &gpu, const SpeedRates &constants, const FrameworkRate &older)
{
    if (c.framework != Framework::Megatron || older.launch <= 0)
        return 1;
    FrameworkUse use = frameworkUse(c, gpu);
    use.olderRecipe = false;
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
        .bandwidth = rates.memoryBandwidth / 3, .latency = constants.cpuThreadWakeup}; // two reads, one write
    rates.networkLink = rates.nodeLink;
    rates.gpusPerNode = ranks;
    return rates;
}

// Whether fp32 GEMMs run on tensor cores. Our own trainer does not allow it.
bool runsTf32(const Gpu &gpu, const RunConfig &config)
{
    return config.simulated.tf32.value_or(false) && gpu.tf32Flops && config.framework != Framework::Slipway;
}

void setGemms(DeviceRates &rates, const SpeedRates &constants, const FrameworkRate &framework, const RunConfig &config,
    const Gpu &gpu)
{
    const bool half = config.precisionOrMixed() != Precision::Fp32;
    const double peak = half ? gpu.bf16Flops : runsTf32(gpu, config) ? *gpu.tf32Flops : gpu.fp32Flops;
    const double halfFlops = (gpu.matmulAchievedFlops ? std::min(*gpu.matmulAchievedFlops, gpu.bf16Flops)
                                                      : gpu.bf16Flops * constants.gemmEfficiency) *
                             sustainedPart(gpu, constants) * framework.gemmFactor;
    rates.multiprocessors = gpu.multiprocessors;
    rates.oneLane = gpu.isCpu;
    rates.peakFlops = config.precisionOrMixed() == Precision::Fp8Mixed ? gpu.fp8Flops.value_or(peak) : peak;
    // Tensor cores reach the same fraction of their peak rate in TF32 as in bf16: assumed.
    rates.gemmFp32Flops = runsTf32(gpu, config) ? halfFlops * *gpu.tf32Flops / gpu.bf16Flops
                                                : gpu.fp32Flops * constants.gemmFp32Efficiency;
    rates.gemmFlops = half ? halfFlops : rates.gemmFp32Flops;
    if (gpu.fp8Flops)
        rates.gemmFp8Flops =
            rates.gemmFlops * *gpu.fp8Flops / gpu.bf16Flops *
            (isDataCenterBlackwell(gpu) ? constants.gemmFp8BlackwellEfficiency : constants.gemmFp8Efficiency) *
            (config.simulated.fp8Scales == Fp8Scales::Row && config.framework != Framework::Megatron
                    ? constants.gemmFp8RowScaledFactor
                    : 1);
    rates.tileOverhead = tileOverhead(gpu, constants);
    rates.choosesTileShape = gpu.arch == "hopper" || isDataCenterAmpere(gpu);
    if (half && gpu.arch == "hopper")
        rates.gemmBoost = std::max(1.0, gpu.bf16Flops * constants.gemmBurstHopperEfficiency / rates.gemmFlops);
    // Compilers pad such widths (torch._inductor's shape_padding), and so does our trainer.
    const bool padsWidths =
        (config.framework == Framework::PytorchCompile && config.simulated.torchChanges.padsWidths) ||
        config.framework == Framework::Slipway;
    rates.oddWidthSlowdown = padsWidths ? 1 : constants.oddWidthSlowdown;
    rates.gemmFlops *= config.simulated.gemmFactor;
    rates.gemmFp8Flops *= config.simulated.gemmFactor;
    rates.gemmFp32Flops *= config.simulated.gemmFactor;
}

double busBandwidth(const Gpu &gpu, const SpeedRates &constants)
{
    return std::pow(2.0, gpu.pcieGeneration.value_or(4) - 3) * constants.pcie3Bandwidth;
}

void setMemory(DeviceRates &rates, const SpeedRates &constants, const FrameworkRate &framework, const RunConfig &config,
    const Gpu &gpu)
{
    const double bandwidth = gpu.memoryBandwidthMeasured.value_or(gpu.memoryBandwidth * constants.bandwidthEfficiency);
    // A kernel has a limited number of bytes in flight on a multiprocessor, however fast the memory is.
    const double most = framework.multiprocessorBandwidth * gpu.multiprocessors;
    rates.memoryBandwidth =
        most > 0 ? std::min(bandwidth * framework.bandwidth, most) : bandwidth * framework.bandwidth;
    rates.mixedBandwidth = rates.memoryBandwidth * framework.mixedBandwidth / framework.bandwidth;
    rates.hostBandwidth = busBandwidth(gpu, constants) * constants.pcieCopyEfficiency;
    rates.hostAdamRate = constants.cpuAdamRate / std::min(config.parallel.gpusPerNode, config.parallel.gpus);
}

void setLaunches(DeviceRates &rates, const SpeedRates &constants, const FrameworkRate &framework,
    const RunConfig &config, const Gpu &gpu)
{
    rates.launch = framework.launch + (seesEachOp(config) ? framework.listLaunch : 0);
    rates.backwardLaunch = framework.backwardLaunch;
    rates.optimizerLaunch = optimizerLaunch(config, gpu, constants, framework);
    rates.waitsBetweenPasses = timesEachPass(config);
    rates.shardCollectiveLaunch = framework.shardCollectiveLaunch;
    rates.graphLaunch = framework.graphLaunch;
    rates.minKernelTime = constants.minKernelTime;
    rates.kernelGap = constants.kernelGap;
    for (Seconds *launch : {&rates.launch, &rates.backwardLaunch, &rates.shardCollectiveLaunch})
        *launch *= config.simulated.launchFactor;
}

void setLinks(DeviceRates &rates, const Catalogue &catalogue, const FrameworkRate &framework, const RunConfig &config,
    const Gpu &gpu)
{
    const SpeedRates &constants = catalogue.rates;
    rates.nodeLink = meetOverBus(gpu, config.parallel)
                         ? busLink(busBandwidth(gpu, constants), constants,
                               std::min(config.parallel.gpusPerNode, config.parallel.gpus))
                         : linksOf(gpu, constants);
    meshLinks(rates.nodeLink, gpu, config.parallel.gpusPerNode);
    if (framework.switchAdds && gpu.linkKind == LinkKind::SwitchSharp)
        rates.nodeSwitch = {
            .bandwidth = gpu.linkBandwidth *
                         (isDataCenterBlackwell(gpu) ? constants.nvlsBlackwellEfficiency : constants.nvlsEfficiency),
            .latency = constants.nvlsLatency};
    if (config.framework == Framework::Megatron) {
        rates.bucketElements = constants.bucketElementsPerRank;
        rates.fewestBucketElements = constants.fewestBucketElements;
    }
    rates.treeHopLatency = constants.treeHopLatency;
    rates.treeEfficiency = constants.treeEfficiency;
    rates.networkLink = {.bandwidth = nodeNetwork(config, gpu, catalogue).bandwidth * constants.networkEfficiency,
        .latency = constants.networkLatency,
        .latencyPerRank = constants.networkLatencyPerRank,
        .contention = constants.networkContention};
    for (Link *link : {&rates.nodeLink, &rates.nodeSwitch, &rates.networkLink})
        link->bandwidth *= config.simulated.collectiveFactor;
}

} // namespace

Seconds transferTime(const Link &link, double ranks, double volume)
{
    const double part = (1 - link.smallGroupLoss / ranks) * (ranks <= 2      ? link.pairEfficiency
                                                                : ranks <= 4 ? link.quadEfficiency
                                                                             : 1);
    return link.latency + ranks * link.latencyPerRank + volume / (link.bandwidth * part);
}

NodeNetwork nodeNetwork(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue)
{
    const int gpus = config.parallel.gpusPerNode; // with another number of GPUs, it is another node
    if (config.networkGbps)
        return {*config.networkGbps * 1e9 / 8};
    const auto node = std::find_if(catalogue.nodes.begin(), catalogue.nodes.end(),
        [&](const Node &n) { return n.gpu == gpu.id && n.gpus == gpus && n.networkBandwidth; });
    return node != catalogue.nodes.end() ? NodeNetwork{*node->networkBandwidth, &*node}
                                         : NodeNetwork{defaultNetworkBandwidth(gpu, catalogue.rates, gpus)};
}

DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config)
{
    const SpeedRates &constants = catalogue.rates;
    if (gpu.isCpu)
        return processorRates(gpu, constants, config.parallel.gpus);

    const FrameworkRate framework = constants.frameworkOf(frameworkUse(config, gpu));
    DeviceRates rates;
    setGemms(rates, constants, framework, config, gpu);
    setAttention(rates, constants, config, gpu);
    setMemory(rates, constants, framework, config, gpu);
    setLaunches(rates, constants, framework, config, gpu);
    rates.gpusPerNode = config.parallel.gpusPerNode;
    rates.slowestRankFactor = 1 + constants.gpuSpeedDeviation * expectedLargest(config.parallel.gpus);
    setLinks(rates, catalogue, framework, config, gpu);
    return rates;
}

} // namespace slipway
