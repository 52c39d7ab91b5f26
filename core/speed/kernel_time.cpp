// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/kernel_time.h"

#include <algorithm>

#include "speed/all_to_all.h"

namespace slipway {

namespace {

// Filling and draining a tile costs as much as so many more columns of K (fit over 183 A100 shapes, SimuMax' tables).
constexpr std::int64_t kTileOverheadK = 128;

// Waves of tiles over the multiprocessors: the last one takes as long as a full one. Relative to `gemmFlops`.
Seconds tiledTime(const Kernel &k, const DeviceRates &r)
{
    const std::int64_t tiles = ceilDiv(k.m, r.tileRows) * ceilDiv(k.n, r.tileColumns) * std::max(1, k.batch);
    // Where few tiles leave multiprocessors idle, libraries split K among them.
    const std::int64_t split = std::clamp<std::int64_t>(r.multiprocessors / tiles, 1, std::max<std::int64_t>(1, k.k / 512));
    const std::int64_t waves = ceilDiv(tiles * split, r.multiprocessors);
    const double perTile = 2.0 * r.tileRows * r.tileColumns * double(ceilDiv(k.k, split) + kTileOverheadK);
    return double(waves) * perTile * r.multiprocessors / (k.type == DType::Fp8 ? r.gemmFp8Flops : r.gemmFlops);
}

Seconds arithmeticTime(const Kernel &k, const DeviceRates &r)
{
    if (k.kind == OpKind::Gemm)
        return r.multiprocessors > 0 ? tiledTime(k, r) : k.flops / k.calls / r.gemmFlops;
    if (k.kind == OpKind::FlashAttentionBackward || k.kind == OpKind::VanillaAttentionBackward)
        return k.flops / r.attentionBackwardFlops;
    return k.kind == OpKind::FlashAttention || k.kind == OpKind::VanillaAttention ? k.flops / r.attentionFlops : 0;
}

} // namespace

Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates)
{
    if (kernel.kind == OpKind::View)
        return 0;
    if (kernel.kind == OpKind::HostCopy)
        return rates.hostBandwidth > 0 ? double(kernel.messageBytes) / rates.hostBandwidth : 0;
    const Seconds memory = double(kernel.bytesRead + kernel.bytesWritten) / kernel.calls / rates.memoryBandwidth;
    // Grouped products that stay fp32 beside half ones run on no tensor cores.
    const bool slow = kernel.kind == OpKind::Gemm && kernel.batch > 0 && kernel.type == DType::Fp32 && rates.gemmFp32Flops > 0;
    const Seconds arithmetic = arithmeticTime(kernel, rates) * (slow ? rates.gemmFlops / rates.gemmFp32Flops : 1);
    return kernel.calls * std::max({arithmetic, memory, rates.kernelFloor});
}

Seconds collectiveTime(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    if (group.size <= 1)
        return 0;
    if (kernel.kind == OpKind::AllToAll)
        return allToAllTime(kernel, group, rates);
    const double n = group.size;
    const double passes = kernel.kind == OpKind::AllReduce ? 2 * (n - 1) / n : kernel.kind == OpKind::SendReceive ? 1 : (n - 1) / n;
    const double volume = passes * double(kernel.messageBytes);
    const bool acrossNodes = group.size * group.stride > rates.gpusPerNode;
    const Link &near = rates.nodeLink;
    const Seconds within = near.latency + n * near.latencyPerRank + volume / (near.bandwidth * (1 - near.fewRanks / n));
    if (!acrossNodes)
        return within;
    // Ranks of a node that are in the same group cross the network once for all of them; those of other groups share it.
    const double inNode = std::max(1.0, double(rates.gpusPerNode) / group.stride);
    const double sharing = rates.gpusPerNode / std::min(inNode, n);
    const Link &far = rates.networkLink;
    const Seconds across = far.latency + n * far.latencyPerRank + volume * sharing / (far.bandwidth);
    return std::max(within, across);
}

} // namespace slipway
