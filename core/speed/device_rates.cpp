// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/device_rates.h"

#include <algorithm>

namespace slipway {

namespace {

// Large products reach 78 to 87 % of a data-sheet's peak (stas00/ml-engineering, matmul survey, A100 to B200).
constexpr double kGemmEfficiency = 0.78;
// Attention's inner products: forward on an A100 at head size 128 executes at about half of peak (SimuMax' tables).
constexpr double kAttentionEfficiency = 0.5;
// Element-wise kernels reach 0.8 to 0.9 of an A100's bandwidth (SimuMax' tables).
constexpr double kBandwidthEfficiency = 0.85;
// Host time of an op and least time of a kernel: eager code takes 5 to 8 us an op, of which the framework is most.
constexpr Seconds kLaunch = 5e-6;
constexpr Seconds kKernelFloor = 2.5e-6;
// A ring reaches about this part of NVLink's data-sheet rate: 227 of 300 GB/s on 8 A100 (vTrain's traces).
constexpr double kLinkEfficiency = 0.75;
constexpr Seconds kHopLatency = 5e-6, kNetworkHopLatency = 20e-6;
// Between nodes whose network is not known: one 100 Gbit/s card a node.
constexpr double kUnknownNetwork = 12.5e9;

// A processor's threads have no launch, but waking them for each op takes a few microseconds.
constexpr Seconds kThreadsWake = 4e-6;
constexpr double kCpuGemmEfficiency = 0.75, kCpuAttentionEfficiency = 0.35, kCpuBandwidthEfficiency = 0.7;

DeviceRates processorRates(const Gpu &cpu, int ranks)
{
    DeviceRates rates;
    const double share = 1.0 / ranks;
    rates.peakFlops = cpu.fp32Flops * share;
    rates.gemmFlops = cpu.fp32Flops * kCpuGemmEfficiency * share;
    rates.attentionFlops = cpu.fp32Flops * kCpuAttentionEfficiency * share;
    rates.memoryBandwidth = cpu.memoryBandwidth * kCpuBandwidthEfficiency * share;
    rates.kernelFloor = kThreadsWake;
    rates.linkBandwidth = rates.memoryBandwidth / 3; // read two, write one
    rates.linkLatency = kThreadsWake;
    return rates;
}

double networkBandwidthPerNode(const Gpu &gpu, const Catalogue &catalogue)
{
    const auto node = std::find_if(catalogue.nodes.begin(), catalogue.nodes.end(), [&](const Node &n) { return n.gpu == gpu.id && n.networkBandwidth; });
    return node != catalogue.nodes.end() ? *node->networkBandwidth : kUnknownNetwork;
}

} // namespace

DeviceRates deviceRates(const Gpu &gpu, const Catalogue &catalogue, const RunConfig &config)
{
    if (gpu.isCpu)
        return processorRates(gpu, config.parallel.gpus);

    const bool half = config.precision != Precision::Fp32;
    DeviceRates rates;
    rates.peakFlops = half ? gpu.bf16Flops : gpu.fp32Flops;
    rates.gemmFlops = half && gpu.matmulAchievedFlops ? std::min(*gpu.matmulAchievedFlops, gpu.bf16Flops) : rates.peakFlops * kGemmEfficiency;
    rates.attentionFlops = rates.peakFlops * kAttentionEfficiency;
    rates.memoryBandwidth = gpu.memoryBandwidthMeasured.value_or(gpu.memoryBandwidth * kBandwidthEfficiency);
    rates.multiprocessors = gpu.multiprocessors;
    rates.launch = kLaunch;
    rates.kernelFloor = kKernelFloor;
    rates.linkBandwidth = gpu.linkBandwidth * kLinkEfficiency;
    rates.linkLatency = kHopLatency;
    if (config.parallel.nodes() > 1) {
        // The GPUs of a node share its network; a ring crosses it once in each direction.
        rates.linkBandwidth = std::min(rates.linkBandwidth, networkBandwidthPerNode(gpu, catalogue) * kLinkEfficiency);
        rates.linkLatency = kNetworkHopLatency;
    }
    return rates;
}

} // namespace slipway
