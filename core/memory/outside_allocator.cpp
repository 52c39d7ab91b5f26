// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/outside_allocator.h"

#include "base/text.h"

namespace slipway {

namespace {

Bytes gib(double n) { return static_cast<Bytes>(n * double(kGiB)); }

// Kernels that Slipway's trainer loads before the first step, and from Hopper on cuDNN's plans. An H200 had 699 MiB in
// use besides the allocator's, and 599 MiB with FlashAttention-2 instead of cuDNN (docs/measurements/h200.csv).
Bytes ownLibraries(const Gpu &gpu)
{
    constexpr double kHopper = 9.0;
    return parseNumber(gpu.computeCapability).value_or(0) >= kHopper ? 136 * kMiB : 36 * kMiB;
}

} // namespace

OutsideAllocatorMemory outsideAllocatorMemory(const Gpu &gpu, const RunConfig &config)
{
    if (gpu.isCpu)
        return {.bytes = gib(0.25), .p10 = gib(0.15), .p90 = gib(0.5)};
    constexpr int kLazyLoading = 200;
    const bool old = config.framework != Framework::Slipway && config.torchVersion() < kLazyLoading;
    const Bytes context = old ? gib(1.5) : gpu.contextBytes.value_or(gib(0.55));
    const Bytes own = context + (config.framework == Framework::Slipway ? ownLibraries(gpu) : 0);
    OutsideAllocatorMemory outside{.bytes = own, .p10 = own * 8 / 10, .p90 = own * 17 / 10};
    const Parallelism &p = config.parallel;
    const int axes = (p.dataParallel() > 1) + (p.tp > 1) + (p.pp > 1) + (p.cp > 1) + (p.ep > 1);
    if (axes > 0) {
        outside.bytes += gib(1.0 + 0.3 * (axes - 1));
        outside.p10 += gib(0.5);
        outside.p90 += gib(1.6 + 0.6 * (axes - 1));
    }
    // An all-to-all connects every pair of ranks. The first one of 8 H100 raised memory from 1.06 to 4.34 GB
    // (NVIDIA/nccl issue 1685).
    if (p.ep > 1) {
        outside.bytes += gib(0.5);
        outside.p90 += gib(2.5);
    }
    return outside;
}

Bytes cublasWorkspaces(const Gpu &gpu, const RunConfig &config)
{
    constexpr int kThreads = 2;
    constexpr double kHopper = 9.0, kAfterBlackwell = 11.0; // consumer GPUs of the Blackwell generation have 12.0
    const bool pytorch =
        config.framework != Framework::Slipway && config.lossPath != LossPath::InPlace; // llm.c's choice
    if (gpu.isCpu || !pytorch)
        return 0;
    const double capability = parseNumber(gpu.computeCapability).value_or(0);
    return kThreads * (capability >= kHopper && capability < kAfterBlackwell ? 32 * kMiB : 8 * kMiB + 128 * kKiB);
}

} // namespace slipway
