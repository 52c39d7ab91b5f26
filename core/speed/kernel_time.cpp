// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/kernel_time.h"

#include <algorithm>

namespace slipway {

namespace {

// Filling and draining a tile costs as much as so many more columns of K (fit over 183 A100 shapes, SimuMax' tables).
constexpr std::int64_t kTileOverheadK = 128;

// Waves of tiles over the multiprocessors: the last one takes as long as a full one. Relative to `gemmFlops`.
Seconds tiledTime(const Kernel &k, const DeviceRates &r)
{
    const std::int64_t tiles = ceilDiv(k.m, r.tileRows) * ceilDiv(k.n, r.tileColumns);
    // Where few tiles leave multiprocessors idle, libraries split K among them.
    const std::int64_t split = std::clamp<std::int64_t>(r.multiprocessors / tiles, 1, std::max<std::int64_t>(1, k.k / 512));
    const std::int64_t waves = ceilDiv(tiles * split, r.multiprocessors);
    const double perTile = 2.0 * r.tileRows * r.tileColumns * double(ceilDiv(k.k, split) + kTileOverheadK);
    return double(waves) * perTile * r.multiprocessors / r.gemmFlops;
}

Seconds arithmeticTime(const Kernel &k, const DeviceRates &r)
{
    if (k.kind == OpKind::Gemm)
        return r.multiprocessors > 0 ? tiledTime(k, r) : k.flops / r.gemmFlops;
    return k.cost == CostClass::Attention ? k.flops / r.attentionFlops : 0;
}

} // namespace

Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates)
{
    const Seconds memory = double(kernel.bytesRead + kernel.bytesWritten) / rates.memoryBandwidth;
    return std::max({arithmeticTime(kernel, rates), memory, rates.kernelFloor});
}

Seconds collectiveTime(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    if (group.size <= 1)
        return 0;
    const double n = group.size;
    const double passes = kernel.kind == OpKind::AllReduce ? 2 * (n - 1) / n : (n - 1) / n;
    const double hops = kernel.kind == OpKind::AllReduce ? 2 * (n - 1) : n - 1;
    return passes * double(kernel.messageBytes) / rates.linkBandwidth + hops * rates.linkLatency;
}

} // namespace slipway
