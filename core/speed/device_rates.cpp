// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/device_rates.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

// Large products reach 78 to 87 % of a data-sheet's peak (stas00/ml-engineering, matmul survey, A100 to B200).
constexpr double kGemmEfficiency = 0.78;
// An H100's best fp8 product reaches 1402.6 of 1979 TFLOPS, its best bf16 one 794.5 of 989 (same survey): less of its peak.
constexpr double kFp8Part = (1402.6 / 1979) / (794.5 / 989);
// FlashAttention's executed products, part of peak, forward and backward: FlashAttention-2's paper on A100 (Dao 2023,
// figures 5 and 6; Hopper and Blackwell run the same instructions at a lower part of their peak), FlashAttention-1 in the same figures.
struct AttentionEfficiency {
    double forward, backward;
};
constexpr AttentionEfficiency kFlash2{0.55, 0.45}, kFlash2Hopper{0.36, 0.30}, kFlash2Blackwell{0.18, 0.15}, kFlash1{0.33, 0.27};
constexpr int kTorchWithFlash2 = 200;
// Element-wise kernels reach 0.8 to 0.9 of an A100's bandwidth (SimuMax' tables).
constexpr double kBandwidthEfficiency = 0.85;
constexpr Seconds kKernelFloor = 2.5e-6;
// A lane of PCIe 3 carries 0.985 GB/s, a generation later twice that; copies of pinned memory reach four fifths.
constexpr double kBusCollectives = 0.7 / 0.8;
constexpr double kPcieLanes = 16, kPcie3Lane = 0.985e9 * 0.8;
// All-reduce on 2, 4 and 8 A100 over NVLink: 193, 218 and 227 of 300 GB/s after 46, 54 and 79 us (vTrain's traces).
constexpr double kLinkEfficiency = 0.78, kFewRanks = 0.36;
constexpr Seconds kLinkLatency = 35e-6, kLinkLatencyPerRank = 5.5e-6;
constexpr double kNetworkEfficiency = 0.75;
constexpr Seconds kNetworkLatency = 60e-6, kNetworkLatencyPerRank = 3e-6;
// Between nodes whose network is not known: what nodes of the card's generation are sold with, one network card of 400
// Gbit/s (Hopper and later) or 200 Gbit/s (Ampere) for each GPU on NVSwitch; else one of 100 Gbit/s a node.
double usualNetwork(const Gpu &gpu)
{
    if (gpu.linkKind.find("NVSwitch") == std::string::npos)
        return 12.5e9;
    return 8 * (gpu.arch == "ampere" ? 25e9 : 50e9);
}

bool isDataCentreBlackwell(const Gpu &gpu) { return gpu.computeCapability.starts_with("10."); }

// A training loop keeps less of that rate than a benchmark that runs one product again and again: other kernels evict its
// operands, bias epilogues and layouts differ, and the card's power limit holds. Megatron's layouts lose nothing that the
// published rows show; PyTorch's loop keeps these parts (fitted: llm-foundry's tables for torch 1.x, torchtitan's after).
double sustainedPart(const Gpu &gpu, const RunConfig &c)
{
    // Shapes of 8B to 405B models reach a median of 0.49 of a B200's peak, where the best product reaches 0.78; on an A100 the
    // tiles and waves explain that difference, here not all of it (SimuMax' tables).
    const double shapes = isDataCentreBlackwell(gpu) ? 0.72 : 1.0;
    if (c.framework == Framework::Megatron || c.framework == Framework::Slipway)
        return shapes;
    return 0.8 * shapes;
}

// Kernels over operands of different types, as autocast on torch 1.x launches them, load element by element.
constexpr double kMixedTypeBandwidth = 0.5;

// Host time of one kernel of the plan: dispatch, autograd and Python around it.
Seconds launchTime(const RunConfig &c)
{
    switch (c.framework) {
    case Framework::Slipway: return 5e-6;
    case Framework::PytorchEager: return c.torchVersion() < 200 ? 14e-6 : 9e-6;
    case Framework::PytorchCompile: return 6e-6;
    // Megatron's modules launch transposes, copies and checks that the plan counts with their kernel; vTrain's
    // launch-bound rows give the older recipe's time.
    case Framework::Megatron: return c.attention == Attention::Vanilla ? 64e-6 : 12e-6;
    }
    return 5e-6;
}

// A processor's threads have no launch, but waking them for each op takes a few microseconds.
constexpr Seconds kThreadsWake = 4e-6;
// Parts of what the nominal clock promises, as our own ops reach them on two cores of a Zen 5 server, which boosts above
// that clock: products 151 to 198 of 166 GFLOP/s a core, attention 100 to 150; element-wise ops find much in the caches.
constexpr double kCpuGemmEfficiency = 1.0, kCpuAttentionEfficiency = 0.7, kCpuBandwidthEfficiency = 1.0;

DeviceRates processorRates(const Gpu &cpu, int ranks)
{
    DeviceRates rates;
    const double share = 1.0 / ranks;
    rates.peakFlops = cpu.fp32Flops * share;
    rates.gemmFlops = cpu.fp32Flops * kCpuGemmEfficiency * share;
    rates.attentionFlops = cpu.fp32Flops * kCpuAttentionEfficiency * share;
    rates.memoryBandwidth = cpu.memoryBandwidth * kCpuBandwidthEfficiency * share;
    rates.kernelFloor = kThreadsWake;
    rates.attentionBackwardFlops = rates.attentionFlops;
    rates.nodeLink = {.bandwidth = rates.memoryBandwidth / 3, .latency = kThreadsWake}; // read two, write one
    rates.networkLink = rates.nodeLink;
    rates.gpusPerNode = ranks;
    return rates;
}

double networkBandwidthPerNode(const Gpu &gpu, const Catalogue &catalogue)
{
    const auto node = std::find_if(catalogue.nodes.begin(), catalogue.nodes.end(), [&](const Node &n) { return n.gpu == gpu.id && n.networkBandwidth; });
    return node != catalogue.nodes.end() ? *node->networkBandwidth : usualNetwork(gpu);
}

} // namespace

DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config)
{
    if (gpu.isCpu)
        return processorRates(gpu, config.parallel.gpus);

    const bool half = config.precision != Precision::Fp32;
    DeviceRates rates;
    const double peak = half ? gpu.bf16Flops : gpu.fp32Flops;
    rates.peakFlops = config.precision == Precision::Fp8Mixed ? gpu.fp8Flops.value_or(peak) : peak;
    rates.gemmFlops = half && gpu.matmulAchievedFlops ? std::min(*gpu.matmulAchievedFlops, gpu.bf16Flops) : peak * kGemmEfficiency;
    const AttentionEfficiency attention = config.torchVersion() < kTorchWithFlash2 ? kFlash1 : gpu.arch == "hopper" ? kFlash2Hopper : isDataCentreBlackwell(gpu) ? kFlash2Blackwell : kFlash2;
    rates.gemmFlops *= sustainedPart(gpu, config);
    if (gpu.fp8Flops)
        rates.gemmFp8Flops = rates.gemmFlops * *gpu.fp8Flops / gpu.bf16Flops * kFp8Part;
    rates.attentionFlops = peak * attention.forward;
    rates.attentionBackwardFlops = peak * attention.backward;
    rates.memoryBandwidth = gpu.memoryBandwidthMeasured.value_or(gpu.memoryBandwidth * kBandwidthEfficiency);
    if (config.framework == Framework::PytorchEager && config.torchVersion() < 200)
        rates.memoryBandwidth *= kMixedTypeBandwidth;
    rates.multiprocessors = gpu.multiprocessors;
    rates.hostBandwidth = kPcieLanes * std::pow(2.0, gpu.pcieGeneration.value_or(4) - 3) * kPcie3Lane;
    rates.launch = launchTime(config);
    rates.kernelFloor = kKernelFloor;
    rates.gpusPerNode = config.parallel.gpusPerNode;
    rates.gemmFp32Flops = std::min(gpu.fp32Flops, rates.gemmFlops);
    // Cards without links of their own meet over the bus (0.70 of it: SimuMax' A100 PCIe).
    rates.nodeLink = {.bandwidth = gpu.linkBandwidth > 0 ? gpu.linkBandwidth * kLinkEfficiency : rates.hostBandwidth * kBusCollectives, .fewRanks = kFewRanks, .latency = kLinkLatency, .latencyPerRank = kLinkLatencyPerRank};
    rates.networkLink = {.bandwidth = (config.networkGbps ? *config.networkGbps * 1e9 / 8 : networkBandwidthPerNode(gpu, catalogue)) * kNetworkEfficiency, .latency = kNetworkLatency, .latencyPerRank = kNetworkLatencyPerRank};
    return rates;
}

} // namespace slipway
