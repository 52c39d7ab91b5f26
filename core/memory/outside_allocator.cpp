// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/outside_allocator.h"

#include "base/text.h"

namespace slipway {

namespace {

Bytes gib(double n) { return static_cast<Bytes>(n * double(kGiB)); }

// Kernels that Slipway's trainer loads before the first step, and from Hopper on cuDNN's plans.
Bytes ownLibraries(const Gpu &gpu, const SpeedRates &rates)
{
    constexpr double kHopper = 9.0;
    return gib(parseNumber(gpu.computeCapability).value_or(0) >= kHopper ? rates.slipwayKernelsHopperGib
                                                                         : rates.slipwayKernelsGib);
}

} // namespace

OutsideAllocatorMemory outsideAllocatorMemory(const Gpu &gpu, const RunConfig &config, const SpeedRates &rates)
{
    if (gpu.isCpu)
        return {
            .bytes = gib(rates.cpuProcessGib), .p10 = gib(rates.cpuProcessP10Gib), .p90 = gib(rates.cpuProcessP90Gib)};
    const bool old = config.framework != Framework::Slipway && !config.simulated.torchChanges.loadsLazily;
    const Bytes context = old ? gib(rates.contextBeforeTorch2Gib) : gpu.contextBytes.value_or(gib(rates.contextGib));
    const Bytes own = context + (config.framework == Framework::Slipway ? ownLibraries(gpu, rates) : 0);
    OutsideAllocatorMemory outside{.bytes = own,
        .p10 = static_cast<Bytes>(double(own) * rates.contextP10),
        .p90 = static_cast<Bytes>(double(own) * rates.contextP90)};
    const Parallelism &p = config.parallel;
    const int axes = (p.dataParallel() > 1) + (p.tp > 1) + (p.pp > 1) + (p.cp > 1) + (p.ep > 1);
    if (axes > 0) {
        outside.bytes += gib(rates.ncclGib + rates.ncclAxisGib * (axes - 1));
        outside.p10 += gib(rates.ncclP10Gib);
        outside.p90 += gib(rates.ncclP90Gib + rates.ncclAxisP90Gib * (axes - 1));
    }
    if (p.ep > 1) { // an all-to-all connects every pair of ranks
        outside.bytes += gib(rates.ncclPairsGib);
        outside.p90 += gib(rates.ncclPairsP90Gib);
    }
    return outside;
}

Bytes cublasWorkspaces(const Gpu &gpu, const RunConfig &config)
{
    constexpr int kThreads = 2;
    constexpr double kHopper = 9.0, kAfterBlackwell = 11.0; // consumer GPUs of the Blackwell generation have 12.0
    const bool pytorch =
        config.framework != Framework::Slipway && config.simulated.lossPath != LossPath::InPlace; // llm.c's choice
    if (gpu.isCpu || !pytorch)
        return 0;
    const double capability = parseNumber(gpu.computeCapability).value_or(0);
    return kThreads * (capability >= kHopper && capability < kAfterBlackwell ? 32 * kMiB : 8 * kMiB + 128 * kKiB);
}

} // namespace slipway
