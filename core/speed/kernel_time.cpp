// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/kernel_time.h"

#include <algorithm>

namespace slipway {

namespace {

// Tensor cores are fed 16 bytes at a time; of half numbers in rows of an odd width two are never read together.
double oddWidthFactor(const Kernel &k, const DeviceRates &r)
{
    return k.type == DType::Bf16 && (k.m % 2 != 0 || k.n % 2 != 0 || k.k % 2 != 0) ? r.oddWidth : 1;
}

// Waves of tiles over the multiprocessors: the last one takes as long as a full one.
Seconds tiledTime(const Kernel &k, const DeviceRates &r)
{
    const std::int64_t tiles = ceilDiv(k.m, r.tileRows) * ceilDiv(k.n, r.tileColumns) * std::max(1, k.batch);
    // Where few tiles leave multiprocessors idle, libraries split K among them.
    const std::int64_t split = std::clamp<std::int64_t>(r.multiprocessors / tiles, 1, std::max<std::int64_t>(1, k.k / 512));
    const std::int64_t waves = ceilDiv(tiles * split, r.multiprocessors);
    const double rate = (k.type == DType::Fp8 ? r.gemmFp8Flops : r.gemmFlops) / r.multiprocessors;
    const double perTile = 2.0 * r.tileRows * r.tileColumns * double(ceilDiv(k.k, split)) / rate + r.tileOverhead;
    return double(waves) * perTile;
}

constexpr int kQueryTile = 128;

// Heads of 64 and 128 were measured; what lies between takes a time between. `narrow`: times as fast with the former.
double headFactor(int headDim, double narrow)
{
    const double wide = std::clamp((headDim - 64) / 64.0, 0.0, 1.0);
    return wide + (1 - wide) / narrow;
}

// The multiprocessors run dry over the last tiles of 128 queries, which are causal attention's longest. Half of a tile on the diagonal is
// computed and masked: of few tiles a row that is much. Rates were measured over 4,096 tokens.
Seconds flashTime(const Kernel &k, double flops, double tail, double narrow, const DeviceRates &r)
{
    constexpr double kMeasuredOver = 4096;
    const double tiles = double(k.batch) * k.heads * double(ceilDiv(k.seq, kQueryTile));
    const double keys = double(std::max<std::int64_t>(k.k > 0 ? k.k : k.seq, kQueryTile));
    const double diagonal = (1 + kQueryTile / keys) / (1 + kQueryTile / kMeasuredOver);
    return k.flops / flops * diagonal * headFactor(k.headDim, narrow) * (1 + tail * r.multiprocessors / tiles);
}

Seconds arithmeticTime(const Kernel &k, const DeviceRates &r)
{
    switch (k.kind) {
    case OpKind::Gemm: return r.multiprocessors > 0 ? tiledTime(k, r) * oddWidthFactor(k, r) : k.flops / k.calls / r.gemmFlops;
    case OpKind::FlashAttention: return flashTime(k, r.attentionFlops, r.attentionTail, r.attentionNarrow, r);
    case OpKind::FlashAttentionBackward: return flashTime(k, r.attentionBackwardFlops, r.attentionBackwardTail, r.attentionBackwardNarrow, r);
    case OpKind::VanillaAttention: return k.flops / r.attentionFlops;
    case OpKind::VanillaAttentionBackward: return k.flops / r.attentionBackwardFlops;
    default: return 0;
    }
}

} // namespace

Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates)
{
    if (kernel.kind == OpKind::View)
        return 0;
    if (kernel.kind == OpKind::HostCopy)
        return rates.hostBandwidth > 0 ? double(kernel.messageBytes) / rates.hostBandwidth : 0;
    const Seconds memory = double(kernel.bytesRead + kernel.bytesWritten) / kernel.calls / (kernel.mixed && rates.mixedBandwidth > 0 ? rates.mixedBandwidth : rates.memoryBandwidth);
    // Grouped products that stay fp32 beside half ones run on no tensor cores.
    const bool slow = kernel.kind == OpKind::Gemm && kernel.batch > 0 && kernel.type == DType::Fp32 && rates.gemmFp32Flops > 0;
    const Seconds arithmetic = arithmeticTime(kernel, rates) * (slow ? rates.gemmFlops / rates.gemmFp32Flops : 1);
    const double measured = kernel.kind == OpKind::Gemm && rates.measuredProducts ? rates.measuredProducts->factor(kernel) : 1;
    return kernel.calls * measured * std::max({arithmetic, memory, rates.kernelFloor});
}

DeviceRates withProducts(DeviceRates rates, const std::vector<MeasuredProduct> &products)
{
    if (products.empty())
        return rates;
    std::vector<Seconds> modelled;
    modelled.reserve(products.size());
    for (const MeasuredProduct &product : products)
        modelled.push_back(kernelTime(kernelOf(product), rates));
    rates.measuredProducts = std::make_shared<const MeasuredProducts>(products, modelled);
    return rates;
}

} // namespace slipway
