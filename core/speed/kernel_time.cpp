// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/kernel_time.h"

#include <algorithm>
#include <array>
#include <limits>

#include "plan/kernel_work.h"

namespace slipway {

namespace {

// Tensor cores are fed 16 bytes at a time. In rows of an odd width, no two 16-bit numbers are read together.
double oddWidthSlowdown(const Kernel &k, const DeviceRates &r)
{
    return k.type == DType::Bf16 && (k.m % 2 != 0 || k.n % 2 != 0 || k.k % 2 != 0) ? r.oddWidthSlowdown : 1;
}

struct Tile {
    std::int64_t rows, columns;
};
constexpr std::array kTiles{Tile{128, 256}, Tile{256, 128}, Tile{128, 128}};
constexpr std::int64_t kLeastRows = 16; // rows that tensor cores multiply at once
constexpr std::array<std::int64_t, 11> kSplits{2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};
constexpr std::int64_t kLeastOfK = 512;       // a smaller part of K is not worth its overhead
constexpr std::int64_t kWavesOfManyTiles = 8; // the last wave matters little

// Tiles run in waves over the multiprocessors, and the last wave takes as long as a full one. For few rows, as in
// decoding, libraries have flatter tiles.
Seconds wavesTime(
    const Kernel &k, std::int64_t tiles, const Tile &tile, std::int64_t depth, double rate, const DeviceRates &r)
{
    const std::int64_t rows = std::min(tile.rows, kLeastRows * ceilDiv(k.m, kLeastRows));
    const double perTile = 2.0 * double(rows * tile.columns * depth) / rate + r.tileOverhead;
    return double(ceilDiv(tiles, std::int64_t{r.multiprocessors})) * perTile;
}

// All GEMMs use one tile size. If few tiles leave multiprocessors idle, libraries split K over the idle ones.
Seconds oneTileTime(const Kernel &k, double rate, const DeviceRates &r)
{
    const Tile &tile = kTiles[0];
    const std::int64_t tiles = ceilDiv(k.m, tile.rows) * ceilDiv(k.n, tile.columns) * std::max(1, k.batch);
    const std::int64_t split =
        std::clamp<std::int64_t>(r.multiprocessors / tiles, 1, std::max<std::int64_t>(1, k.k / kLeastOfK));
    return wavesTime(k, tiles * split, tile, ceilDiv(k.k, split), rate, r);
}

// The best tile and split of K. The parts are summed in fp32.
Seconds fittingTileTime(const Kernel &k, double rate, const DeviceRates &r)
{
    const std::int64_t batch = std::max(1, k.batch);
    const Seconds addPart = 2.0 * 4 * double(k.m) * double(k.n) * double(batch) / r.memoryBandwidth;
    Seconds least = std::numeric_limits<Seconds>::infinity();
    for (const Tile &tile : kTiles) {
        const std::int64_t tiles = ceilDiv(k.m, tile.rows) * ceilDiv(k.n, tile.columns) * batch;
        least = std::min(least, wavesTime(k, tiles, tile, k.k, rate, r));
        if (tiles > kWavesOfManyTiles * r.multiprocessors)
            continue;
        for (const std::int64_t split : kSplits) {
            const std::int64_t depth = ceilDiv(k.k, split);
            if (depth < kLeastOfK)
                break;
            least = std::min(least, wavesTime(k, tiles * split, tile, depth, rate, r) + double(split) * addPart);
        }
    }
    return least;
}

Seconds tiledTime(const Kernel &k, const DeviceRates &r)
{
    const double most = k.type == DType::Fp8 ? r.gemmFp8Flops : r.gemmFlops;
    const double rate = most * r.gemmBoost / r.multiprocessors;
    const Seconds tiles = r.choosesTileShape ? fittingTileTime(k, rate, r) : oneTileTime(k, rate, r);
    return r.gemmBoost > 1 ? std::max(tiles, k.flops / k.calls / most) : tiles;
}

constexpr int kQueryTile = 128;

// Head dimensions of 64 and 128 were measured, and values between are interpolated. `narrow` is the speed with 64
// relative to 128.
double headFactor(int headDim, double narrow)
{
    const double wide = std::clamp((headDim - 64) / 64.0, 0.0, 1.0);
    return wide + (1 - wide) / narrow;
}

// The overhead at the start and end of a row of queries, in addition to its keys. If it is not known, it is half of the
// tile on the diagonal, which is computed and masked. The rates were then measured with 4,096 tokens.
double rowFactor(const Kernel &k, const DeviceRates &r)
{
    constexpr double kMeasuredOver = 4096, kWideHead = 128;
    const double keys = double(std::max<std::int64_t>(k.k > 0 ? k.k : std::int64_t{k.past} + k.seq, kQueryTile));
    if (r.attentionRowOverheadKeys > 0) // in addition to the keys of a causal row, of which it sees half on average
        return 1 + r.attentionRowOverheadKeys * kWideHead / k.headDim / (k.denseMask ? 2 * keys : keys);
    return (k.denseMask ? 1 : 1 + kQueryTile / keys) / (1 + kQueryTile / kMeasuredOver);
}

// Multiprocessors run idle during the last tiles of 128 queries, which are the longest ones of causal attention.
Seconds flashTime(const Kernel &k, double flops, double tail, double narrow, const DeviceRates &r)
{
    const double tiles = double(k.batch) * k.heads * double(ceilDiv(k.seq, kQueryTile));
    return k.flops / flops * rowFactor(k, r) * headFactor(k.headDim, narrow) * (1 + tail * r.multiprocessors / tiles);
}

// The GEMM of one expert, where each is launched by itself. All have equally many rows.
Kernel oneExpertsGemm(const Kernel &k)
{
    Kernel one = k;
    one.kind = OpKind::Gemm;
    std::int64_t &rows = k.form == GemmForm::WeightGradient ? one.k : one.m;
    rows = std::max<std::int64_t>(1, rows / k.calls);
    one.batch = 0;
    one.calls = 1;
    one.flops = k.flops / k.calls;
    return one;
}

Seconds arithmeticTime(const Kernel &k, const DeviceRates &r)
{
    switch (k.kind) {
    case OpKind::Gemm:
        return r.multiprocessors > 0 ? tiledTime(k, r) * oddWidthSlowdown(k, r) : k.flops / k.calls / r.gemmFlops;
    case OpKind::GroupedGemm:
        return k.calls > 1 && r.multiprocessors > 0 ? tiledTime(oneExpertsGemm(k), r) : k.flops / k.calls / r.gemmFlops;
    case OpKind::FlashAttention:
        return flashTime(k, r.attentionFlops, r.attentionTail, r.attentionHead64Speedup, r);
    case OpKind::FlashAttentionBackward:
        return flashTime(k, r.attentionBackwardFlops, r.attentionBackwardTail, r.attentionBackwardHead64Speedup, r);
    case OpKind::VanillaAttention:
        return k.flops / r.attentionFlops;
    case OpKind::VanillaAttentionBackward:
        return k.flops / r.attentionBackwardFlops;
    default:
        return 0;
    }
}

// Our trainer's vanilla attention runs one batched GEMM over the key-value heads for each sequence and each query head
// of a group (trainer/exec/vanilla_gemms.cpp), two forward and four backward. Half of them have scores as their result,
// the others as an operand. These kernels take some 10 us, so the time in which one ends and the next one begins
// counts. The softmax reads and writes the scores of all sequences.
Seconds vanillaTime(const Kernel &k, const DeviceRates &r)
{
    const std::int64_t keys = k.k > 0 ? k.k : k.seq;
    const std::int32_t keyHeads = std::max(1, k.kvHeads);
    const auto product = [&](std::int64_t n, std::int64_t depth) {
        Kernel gemm{.kind = OpKind::Gemm,
            .type = k.type,
            .cost = CostClass::Attention,
            .m = k.seq,
            .n = n,
            .k = depth,
            .batch = keyHeads,
            .calls = k.batch * (k.heads / keyHeads)};
        addWork(gemm);
        return kernelTime(gemm, r) + gemm.calls * r.minKernelTime;
    };
    const bool backward = k.kind == OpKind::VanillaAttentionBackward;
    const double scores = double(k.batch) * k.heads * double(k.seq) * double(keys) * double(sizeOf(k.type));
    return (backward ? 2 : 1) * (product(keys, k.headDim) + product(k.headDim, keys)) +
           (backward ? 3 : 2) * scores / r.memoryBandwidth;
}

} // namespace

Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates)
{
    if (kernel.kind == OpKind::View)
        return 0;
    const bool vanilla = kernel.kind == OpKind::VanillaAttention || kernel.kind == OpKind::VanillaAttentionBackward;
    if (vanilla && rates.multiprocessors > 0)
        return vanillaTime(kernel, rates);
    if (kernel.kind == OpKind::HostCopy && kernel.cost == CostClass::Optimizer) // the part that the host's CPUs update
        return rates.hostAdamRate > 0 ? double(kernel.messageBytes) / rates.hostAdamRate : 0;
    if (kernel.kind == OpKind::HostCopy)
        return rates.hostBandwidth > 0 ? double(kernel.messageBytes) / rates.hostBandwidth : 0;
    const bool readsCache = kernel.kind == OpKind::FlashAttention && kernel.storedBits > 0;
    const bool unpacks = (kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm) && kernel.storedBits > 0;
    const double bandwidth = kernel.mixed && rates.mixedBandwidth > 0 ? rates.mixedBandwidth
                             : readsCache && rates.cacheBandwidth > 0 ? rates.cacheBandwidth
                             : unpacks && rates.packedBandwidth > 0   ? rates.packedBandwidth
                                                                      : rates.memoryBandwidth;
    const Seconds bytes = double(kernel.bytesRead + kernel.bytesWritten) / kernel.calls / bandwidth;
    const std::int64_t keys = kernel.window > 0 ? std::min<std::int64_t>(kernel.window, kernel.past) : kernel.past;
    const Seconds memory =
        readsCache ? std::max(bytes, double(keys) * rates.cacheTimePerKey) + rates.cacheLatency : bytes;
    // Grouped GEMMs in fp32, next to others in 16 bits, do not use tensor cores.
    const bool slow =
        kernel.kind == OpKind::Gemm && kernel.batch > 0 && kernel.type == DType::Fp32 && rates.gemmFp32Flops > 0;
    const Seconds arithmetic = arithmeticTime(kernel, rates) * (slow ? rates.gemmFlops / rates.gemmFp32Flops : 1);
    const double measured =
        kernel.kind == OpKind::Gemm && rates.measuredGemms ? rates.measuredGemms->factor(kernel) : 1;
    return kernel.calls * measured * std::max(std::max(arithmetic, memory) + rates.kernelGap, rates.minKernelTime);
}

DeviceRates withMeasuredGemms(DeviceRates rates, const std::vector<MeasuredGemm> &gemms)
{
    if (gemms.empty())
        return rates;
    std::vector<Seconds> modeled;
    modeled.reserve(gemms.size());
    for (const MeasuredGemm &gemm : gemms)
        modeled.push_back(kernelTime(kernelOf(gemm), rates));
    rates.measuredGemms = std::make_shared<const MeasuredGemms>(gemms, modeled);
    return rates;
}

} // namespace slipway
