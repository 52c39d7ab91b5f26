// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The kernels of attention. cuda_kernels_test.cpp says where they run.
#include <cmath>

#include "cuda_kernels_fixture.h"

namespace slipway::testing {
namespace {

// As LibTorch's attentions give them: [batch, seq, heads, headDim] in its own order, or with the heads in front.
TEST_P(CudaKernels, RopeOfPartsThatLieApart)
{
    for (const int headDim : {12, 64}) {
        constexpr std::int64_t kBatch = 2, kSeq = 20, kHeads = 6, kKeys = 2;
        Pair q = random(kBatch * kSeq * kHeads, headDim), k = random(kBatch * kSeq * kKeys, headDim),
             v = random(kBatch * kSeq * kKeys, headDim);
        Pair cosines = fp32(kSeq * headDim / 2), sines = fp32(kSeq * headDim / 2),
             qkv = random(kBatch * kSeq, (kHeads + 2 * kKeys) * headDim);
        both([&](const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            const fused_ops::Heads keys{.data = k.at(gpu),
                .batchStride = kSeq * kKeys * headDim,
                .tokenStride = headDim,
                .headStride = kSeq * headDim};
            table.rope({.tokens = kBatch * kSeq,
                           .seq = kSeq,
                           .heads = kHeads,
                           .kvHeads = kKeys,
                           .headDim = headDim,
                           .type = kind(),
                           .cosines = cosines.at<float>(gpu),
                           .sines = sines.at<float>(gpu),
                           .qkv = qkv.at(gpu),
                           .inverse = true,
                           .q = {.data = q.at(gpu),
                               .batchStride = kSeq * kHeads * headDim,
                               .tokenStride = kHeads * headDim,
                               .headStride = headDim},
                           .k = keys,
                           .v = {.data = v.at(gpu),
                               .batchStride = kSeq * kKeys * headDim,
                               .tokenStride = kKeys * headDim,
                               .headStride = headDim}},
                queue);
        });
        expectEqual({&qkv});
        const at::Tensor values =
            qkv.host.view({kBatch, kSeq, kHeads + 2 * kKeys, headDim}).narrow(2, kHeads + kKeys, kKeys);
        EXPECT_TRUE(values.equal(v.host.view({kBatch, kSeq, kKeys, headDim}))) << "v is not turned";
    }
}

TEST_P(CudaKernels, CausalSoftmaxAndItsGradient)
{
    for (const auto &[matrices, seq] : {std::pair(std::int64_t{3}, 24), std::pair(std::int64_t{2}, 77),
             std::pair(std::int64_t{1}, 130), std::pair(scaled(20), 512)}) {
        Pair scores = random(matrices * seq, seq), gradients = random(matrices * seq, seq);
        both([&, matrices = matrices, seq = seq](
                 const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            table.causalSoftmax(
                {.matrices = matrices, .seq = seq, .type = kind(), .scale = 0.3f, .scores = scores.at(gpu)}, queue);
            table.causalSoftmaxBackward({.matrices = matrices,
                                            .seq = seq,
                                            .type = kind(),
                                            .scale = 0.3f,
                                            .scores = gradients.at(gpu),
                                            .probabilities = scores.at(gpu)},
                queue);
        });
        expectEqual({&scores, &gradients});
        for (const Pair *pair : {&scores, &gradients})
            EXPECT_EQ(pair->device.view({matrices, seq, seq}).triu(1).count_nonzero().item<std::int64_t>(), 0)
                << "above the diagonal";
        EXPECT_LT((scores.device.cpu().to(at::kDouble).sum(1) - 1).abs().max().item<double>(), 0.02);
    }
}

// Rows of three sequences at unlike positions, whose blocks lie anywhere in the cache.
TEST_P(CudaKernels, PagedAttention)
{
    struct Case {
        std::int64_t heads, kvHeads, headDim, block, window;
        float softCap;
        bool alibi;
    };
    constexpr std::int64_t kSequences = 3, kPositions = 75;
    for (const Case &c : {Case{4, 2, 64, 16, 0, 0, false}, Case{3, 3, 10, 1, 0, 0, true},
             Case{2, 1, 128, 4, 20, 2, false}, Case{2, 2, 80, 128, 0, 0, false}, Case{1, 1, 256, 16, 1, 0, false}}) {
        const std::int64_t width = (kPositions + c.block - 1) / c.block, blocks = kSequences * width,
                           cache = blocks * c.block * c.kvHeads, pitch = (c.heads + 2 * c.kvHeads) * c.headDim;
        const std::vector<std::int32_t> positions{0, 74, 33, 8, 74};
        const auto rows = std::ssize(positions);
        Pair q = random(rows, pitch), keys = random(cache, c.headDim), values = random(cache, c.headDim),
             out = random(rows, c.heads * c.headDim), slopes = fp32(c.heads),
             tables = pair(at::randperm(blocks).to(at::kInt)),
             sequences = pair(at::tensor({0, 1, 2, 0, 2}).to(at::kInt)), places = pair(at::tensor(positions));
        both([&](const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            table.pagedAttention({.rows = rows,
                                     .heads = c.heads,
                                     .kvHeads = c.kvHeads,
                                     .headDim = c.headDim,
                                     .type = kind(),
                                     .q = q.at(gpu),
                                     .queryStride = pitch,
                                     .keys = keys.at(gpu),
                                     .values = values.at(gpu),
                                     .block = c.block,
                                     .tables = tables.at<std::int32_t>(gpu),
                                     .tableWidth = width,
                                     .sequences = sequences.at<std::int32_t>(gpu),
                                     .positions = places.at<std::int32_t>(gpu),
                                     .window = c.window,
                                     .scale = 0.3f,
                                     .softCap = c.softCap,
                                     .slopes = c.alibi ? slopes.at<float>(gpu) : nullptr,
                                     .out = out.at(gpu)},
                queue);
        });
        EXPECT_LT(out.distance(), kind() == fused_ops::Float::Fp32 ? 1e-5 : 1e-2)
            << c.heads << " x " << c.headDim << " in blocks of " << c.block;
    }
}

} // namespace
} // namespace slipway::testing
