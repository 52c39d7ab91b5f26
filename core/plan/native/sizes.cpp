// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/sizes.h"

#include <algorithm>
#include <cmath>

namespace slipway::native {

namespace {

// Each chunk reads and writes the whole fp32 gradient of the LM head. On an H100, its 2 V h numbers take as much time
// as the GEMMs of some 300 rows. bf16 runs only on GPUs, where chunks of 4,096 rows of 32,000 tokens keep this below a
// tenth. A CPU reads chunks of 64 MiB as fast as larger ones. All chunks but the last have the largest allowed size, so
// more tokens never need less memory.
constexpr std::int64_t kTileRows = 128;
constexpr Bytes kWideLogitsChunkBytes = 64 * kMiB, kNarrowLogitsChunkBytes = 256 * kMiB;

// LibTorch's workspace of cuBLAS on an H100 and newer; on older GPUs it has 8 MiB.
constexpr Bytes kBlasWorkspaceBytes = 32 * kMiB;

// The most rows that may arrive at the experts of a rank. They come from all ranks, at most as many per token as the
// rank's experts can be chosen.
std::int64_t mostExpertRows(const Sizes &s, const ExpertsModule &experts)
{
    if (s.expertRanks == 1)
        return s.tokens * experts.perToken;
    return s.tokens * s.expertRanks * std::min(experts.perToken, experts.count / s.expertRanks);
}

// Without expert parallelism, a rank has all rows of its tokens, however they are routed.
std::int64_t expertRows(const Sizes &s, const ExpertsModule &experts, double load)
{
    const std::int64_t even = s.tokens * experts.perToken;
    if (s.expertRanks == 1)
        return even;
    return std::min(s.mostExpertRows, static_cast<std::int64_t>(std::ceil(double(even) * load)));
}

} // namespace

Sizes sizesOf(const RunConfig &config, const ModelSpec &model)
{
    Sizes s{};
    s.batch = config.microBatch;
    s.wholeSeq = config.seqLen;
    s.contextRanks = config.parallel.cp;
    s.expertRanks = config.parallel.ep;
    s.seq = s.wholeSeq / s.contextRanks;
    s.tokens = s.batch * s.seq;
    const int tensorRanks = config.parallel.tp;
    s.tensorRanks = tensorRanks;
    s.streamTokens = ceilDiv(s.tokens, tensorRanks);
    s.heads = model.attention.heads / tensorRanks;
    s.kvHeads = std::max(1, model.attention.kvHeads / tensorRanks);
    s.hidden = model.hidden;
    s.qWidth = model.queryWidth() / tensorRanks;
    s.qkvWidth = s.qWidth + std::int64_t{2} * s.kvHeads * model.attention.headDim;
    s.vocab = ceilDiv(model.vocab, tensorRanks);
    s.type = config.precisionOrMixed() == Precision::Fp32 ? DType::Fp32 : DType::Bf16;
    s.blasWorkspace = s.type == DType::Bf16 && model.experts.count > 0 ? kBlasWorkspaceBytes : 0;
    s.attention = config.attentionOrFlash();
    s.separateDocuments = config.training.documents == Documents::Separate && config.parallel.cp == 1;
    s.fp8 = config.precisionOrMixed() == Precision::Fp8Mixed;
    s.muon = config.optimizer == OptimizerKind::Muon;
    s.balances = config.balanceLoss && model.experts.count > 0;
    s.averageDecay = static_cast<float>(config.ema);
    const std::int64_t ffn = ceilDiv(std::int64_t{model.mlp.width}, tensorRanks);
    s.ffn = laidOutWidth(s.fp8 ? roundUp(ffn, kFp8Multiple) : ffn, s.type);
    s.sharedFfn = ceilDiv(std::int64_t{model.experts.sharedWidth}, tensorRanks);
    s.vocabPitch = laidOutWidth(s.vocab, s.type);
    s.tableRows = model.head.tied ? s.vocabPitch : s.vocab;
    s.chunkRows = lossChunkRows(s.tokens, s.hidden, s.vocabPitch, sizeOf(s.type));
    s.mostExpertRows = mostExpertRows(s, model.experts);
    s.expertRows = expertRows(s, model.experts, config.expertCapacity);
    return s;
}

std::int64_t laidOutWidth(std::int64_t width, DType type)
{
    constexpr std::int64_t kWhole = 8, kLine = 64; // elements: 16 bytes, a cache line
    if (type != DType::Bf16 || width % kWhole == 0)
        return width;
    const std::int64_t lines = roundUp(width, kLine);
    return (lines - width) * 100 <= width ? lines
                                          : roundUp(width, kWhole); // padding by more than 1 % costs more than it gains
}

std::int64_t lossChunkRows(std::int64_t tokens, std::int64_t hidden, std::int64_t vocab, Bytes elementBytes)
{
    const Bytes usual = elementBytes == sizeOf(DType::Bf16) ? kNarrowLogitsChunkBytes : kWideLogitsChunkBytes;
    const Bytes limit = std::max(usual, tokens * hidden * elementBytes);
    const std::int64_t most = std::max<std::int64_t>(1, limit / (vocab * elementBytes));
    return std::min(tokens, most < kTileRows ? most : most / kTileRows * kTileRows);
}

} // namespace slipway::native
