// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The kernels of a step, but for those of attention.
#include <cmath>
#include <cstring>

#include "cuda_kernels_fixture.h"

namespace slipway::testing {
namespace {

TEST_P(CudaKernels, NormAndItsGradient)
{
    for (const auto &[rows, width] :
        {std::pair(std::int64_t{37}, 77), std::pair(scaled(1000), 2048), std::pair(std::int64_t{1301}, 264),
            std::pair(std::int64_t{9}, 2332), std::pair(std::int64_t{6}, 78), std::pair(std::int64_t{3}, 4168),
            std::pair(std::int64_t{300}, 2560), std::pair(std::int64_t{3}, 8200), std::pair(std::int64_t{2}, 16400)}) {
        Pair x = random(rows, width), delta = random(rows, width), weight = random(1, width), sum = random(rows, width),
             y = random(rows, width), rstd = fp32(rows), dx = random(rows, width), dweight = fp32(width);
        const fused_ops::Rows shape{rows, width};
        both([&, rows = rows, width = width](const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            table.norm({.shape = shape,
                           .type = kind(),
                           .x = x.at(gpu),
                           .delta = delta.at(gpu),
                           .weight = weight.at(gpu),
                           .eps = 1e-5f,
                           .sum = sum.at(gpu),
                           .y = y.at(gpu),
                           .rstd = rstd.at<float>(gpu)},
                queue);
            table.normBackward({.shape = shape,
                                   .type = kind(),
                                   .dy = delta.at(gpu),
                                   .x = x.at(gpu),
                                   .rstd = rstd.at<float>(gpu),
                                   .weight = weight.at(gpu),
                                   .residual = dx.at(gpu),
                                   .dx = dx.at(gpu),
                                   .dweight = dweight.at<float>(gpu),
                                   .accumulate = true},
                queue);
        });
        expectEqual({&sum, &y, &rstd, &dx, &dweight});
    }
}

TEST_P(CudaKernels, RopeAndSwiGlu)
{
    for (const auto &[headDim, ffn] : {std::pair(12, 77), std::pair(20, 2332), std::pair(64, 2816)}) {
        const std::int64_t half = headDim / 2, rows = 7;
        Pair positions = pair(at::randint(40, {80}, at::kInt));
        Pair qkv = random(80, std::int64_t{6 + 2 * 2} * headDim), cosines = fp32(40 * half), sines = fp32(40 * half),
             gateUp = random(rows, std::int64_t{2} * ffn), product = random(rows, ffn);
        both([&, headDim = headDim, ffn = ffn](const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            for (const bool inverse : {false, true}) {
                table.rope({.tokens = 80,
                               .seq = 40,
                               .heads = 6,
                               .kvHeads = 2,
                               .headDim = headDim,
                               .type = kind(),
                               .cosines = cosines.at<float>(gpu),
                               .sines = sines.at<float>(gpu),
                               .positions = inverse ? positions.at<std::int32_t>(gpu) : nullptr,
                               .qkv = qkv.at(gpu),
                               .inverse = inverse,
                               .q = {},
                               .k = {},
                               .v = {}},
                    queue);
            }
            table.swiGlu(
                {.shape = {rows, ffn}, .type = kind(), .gateUp = gateUp.at(gpu), .product = product.at(gpu)}, queue);
            table.swiGluBackward(
                {.shape = {rows, ffn}, .type = kind(), .gateUp = gateUp.at(gpu), .dproduct = product.at(gpu)}, queue);
        });
        expectEqual({&qkv, &product, &gateUp});
    }
}

TEST_P(CudaKernels, CrossEntropyAndSums)
{
    const std::int64_t elements = scaled(300'000) + 3;
    for (const auto &[rows, width, pitch] : {std::tuple(scaled(30'000), std::int64_t{77}, std::int64_t{77}),
             std::tuple(scaled(200), std::int64_t{4096}, std::int64_t{4096}),
             std::tuple(std::int64_t{9}, std::int64_t{97}, std::int64_t{104}),
             std::tuple(std::int64_t{5}, std::int64_t{2017}, std::int64_t{2048})}) {
        Pair logits = random(rows, pitch), targets = pair(at::randint(-1, width, {rows}, at::kInt)), loss = fp32(1),
             values = fp32(elements), sum = fp32(1);
        both([&, rows = rows, width = width, pitch = pitch](
                 const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            for (const bool accumulate : {false, true}) {
                table.sumSquares({.elements = elements,
                                     .values = values.at<float>(gpu),
                                     .sum = sum.at<float>(gpu),
                                     .accumulate = accumulate},
                    queue);
                table.crossEntropy({.shape = {rows, width},
                                       .pitch = pitch,
                                       .type = kind(),
                                       .logits = logits.at(gpu),
                                       .targets = targets.at<std::int32_t>(gpu),
                                       .scale = 1.0f / static_cast<float>(rows),
                                       .loss = loss.at<float>(gpu),
                                       .accumulate = accumulate},
                    queue);
            }
        });
        expectEqual({&logits, &loss, &sum});
        EXPECT_EQ(logits.device.narrow(1, width, pitch - width).count_nonzero().item<std::int64_t>(), 0)
            << "what fills rows up";
    }
}

// Three ranks, the last of which has fewer ids or none.
TEST_P(CudaKernels, CrossEntropyOverAVocabularyThatRanksSplit)
{
    for (const auto &[rows, vocab, share, pitch] :
        {std::tuple(scaled(200), std::int64_t{97}, std::int64_t{40}, std::int64_t{40}),
            std::tuple(std::int64_t{7}, std::int64_t{2017}, std::int64_t{900}, std::int64_t{904}),
            std::tuple(std::int64_t{5}, std::int64_t{16}, std::int64_t{8}, std::int64_t{8})}) {
        constexpr std::int64_t kRanks = 3;
        Pair targets = pair(at::randint(-1, vocab, {rows}, at::kInt)), loss = fp32(1),
             statistics = fp32(kRanks * rows * fused_ops::kLogitStatistics);
        std::vector<Pair> logits;
        for (std::int64_t rank = 0; rank < kRanks; ++rank)
            logits.push_back(random(rows, pitch));
        const auto widthOf = [vocab = vocab, share = share](std::int64_t rank) {
            return std::clamp<std::int64_t>(vocab - rank * share, 0, share);
        };
        std::vector<at::Tensor> all;
        for (std::int64_t rank = 0; rank < kRanks; ++rank)
            all.push_back(logits[static_cast<std::size_t>(rank)].host.narrow(1, 0, widthOf(rank)).to(at::kDouble));
        const at::Tensor whole = at::cat(all, 1).log_softmax(1, at::kDouble), ids = targets.host.to(at::kLong),
                         counted = ids.ge(0);
        const double expected =
            -whole.gather(1, ids.clamp_min(0).unsqueeze(1)).squeeze(1).mul(counted).sum().item<double>();
        both([&, rows = rows, share = share, pitch = pitch](
                 const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
            float *const own = statistics.at<float>(gpu);
            for (std::int64_t rank = 0; rank < kRanks; ++rank)
                table.logitStatistics({.shape = {rows, widthOf(rank)},
                                          .pitch = pitch,
                                          .type = kind(),
                                          .logits = logits[static_cast<std::size_t>(rank)].at(gpu),
                                          .targets = targets.at<std::int32_t>(gpu),
                                          .firstId = rank * share,
                                          .statistics = own + rank * rows * fused_ops::kLogitStatistics},
                    queue);
            for (std::int64_t rank = 0; rank < kRanks; ++rank)
                table.crossEntropy({.shape = {rows, widthOf(rank)},
                                       .pitch = pitch,
                                       .type = kind(),
                                       .logits = logits[static_cast<std::size_t>(rank)].at(gpu),
                                       .targets = targets.at<std::int32_t>(gpu),
                                       .loss = loss.at<float>(gpu),
                                       .statistics = own,
                                       .ranks = kRanks,
                                       .firstId = rank * share},
                    queue);
        });
        for (std::int64_t rank = 0; rank < kRanks; ++rank) {
            const Pair &own = logits[static_cast<std::size_t>(rank)];
            if (widthOf(rank) > 0)
                expectEqual({&own});
            EXPECT_EQ(
                own.device.narrow(1, widthOf(rank), pitch - widthOf(rank)).count_nonzero().item<std::int64_t>(), 0)
                << "what fills rows up";
        }
        expectEqual({&loss});
        EXPECT_NEAR(loss.device.item<double>(), expected, 1e-4 * expected);
        double gradients = 0;
        for (const Pair &rank : logits)
            gradients += rank.device.to(at::kDouble).sum().item<double>();
        EXPECT_NEAR(gradients, 0, 1e-2 * static_cast<double>(rows)) << "a row's gradient sums to 0 over all ranks";
    }
}

// Tokens that are met once, some that fill several parts of the order, and one that all rows have.
TEST_P(CudaKernels, EmbeddingGradientOfTokensThatAreMetOftenAndSeldom)
{
    for (const auto &[rows, width, vocab] : {std::tuple(std::int64_t{1}, 8, 5), std::tuple(std::int64_t{31}, 77, 9),
             std::tuple(std::int64_t{200}, 24, 3), std::tuple(std::int64_t{160}, 66, 1),
             std::tuple(std::int64_t{64}, 12, 4000), std::tuple(scaled(8000), 264, 50)}) {
        const at::Tensor met = at::randn({rows}).mul_(static_cast<double>(vocab) / 4).abs_().clamp_(0, vocab - 1);
        const auto [ids, places] = at::sort(met.to(at::kInt), true, 0, false);
        Pair dx = random(rows, width), table = fp32(std::int64_t{vocab} * width), sorted = pair(ids),
             from = pair(places), parts = fp32(fused_ops::embeddingParts({rows, width}));
        // Where ranks split the vocabulary, some ids are of other ranks.
        const std::int64_t firstId = rows == 160 ? 0 : vocab / 5;
        both([&, rows = rows, width = width, vocab = vocab](
                 const fused_ops::Table &kernels, bool gpu, const fused_ops::Queue &queue) {
            kernels.embeddingBackward({.shape = {rows, width},
                                          .type = kind(),
                                          .dx = dx.at(gpu),
                                          .ids = sorted.at<std::int32_t>(gpu),
                                          .places = from.at<std::int64_t>(gpu),
                                          .parts = parts.at<float>(gpu),
                                          .table = table.at<float>(gpu),
                                          .firstId = firstId,
                                          .tableRows = vocab},
                queue);
        });
        EXPECT_LT(table.distance(), 1e-5) << rows << " rows of " << vocab << " tokens";
    }
}

TEST_P(CudaKernels, AdamWAndCasts)
{
    constexpr std::int64_t kElements = 7'001;
    Pair gradient = fp32(kElements), norm2 = pair(at::full({1}, 9.0f)), master = fp32(kElements),
         momentum = fp32(kElements), variance = pair(at::rand({kElements})), parameter = random(1, kElements),
         cast = random(1, kElements), rates = pair(at::tensor({1e-3f, 0.1f, 0.05f}));
    both([&](const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
        table.adamW({.elements = kElements,
                        .decayed = 5'000,
                        .type = kind(),
                        .beta1 = 0.9f,
                        .beta2 = 0.95f,
                        .eps = 1e-8f,
                        .weightDecay = 0.1f,
                        .gradClip = 1.0f,
                        .rates = rates.at<float>(gpu),
                        .gradient = gradient.at<float>(gpu),
                        .norm2 = norm2.at<float>(gpu),
                        .master = master.at<float>(gpu),
                        .momentum = momentum.at<float>(gpu),
                        .variance = variance.at<float>(gpu),
                        .parameter = parameter.at(gpu)},
            queue);
        table.castScale({.elements = kElements,
                            .from = fused_ops::Float::Fp32,
                            .to = kind(),
                            .source = master.at(gpu),
                            .target = cast.at(gpu),
                            .scale = 0.5f},
            queue);
    });
    expectEqual({&master, &momentum, &variance, &parameter, &cast});
}

// Byte for byte: both round to the nearest number of 8 bits.
TEST_P(CudaKernels, QuantizeToBothFormatsAsTheyAreAndTurned)
{
    for (const auto &[rows, width, size] :
        {std::tuple(std::int64_t{37}, std::int64_t{77}, 1.0), std::tuple(std::int64_t{80}, std::int64_t{144}, 1e-4),
            std::tuple(std::int64_t{3}, std::int64_t{16}, 0.0), std::tuple(std::int64_t{65}, std::int64_t{64}, 1e5)}) {
        for (const fused_ops::Float to : {fused_ops::Float::E4m3, fused_ops::Float::E5m2}) {
            for (const bool transposed : {false, true}) {
                Pair source = pair(at::randn({rows, width}).mul_(size).to(type())), factor = fp32(1),
                     target = pair(at::zeros({rows * width}, at::kByte));
                both([&, rows = rows, width = width](
                         const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
                    table.quantize({.shape = {rows, width},
                                       .type = kind(),
                                       .to = to,
                                       .transposed = transposed,
                                       .source = source.at(gpu),
                                       .factor = factor.at<float>(gpu),
                                       .target = target.at(gpu)},
                        queue);
                });
                EXPECT_EQ(factor.distance(), 0);
                EXPECT_EQ(target.distance(), 0) << rows << " x " << width << (transposed ? ", turned" : "");
            }
        }
    }
}

// Experts' rows in any order, of tokens with one row each and with several.
TEST_P(CudaKernels, RowsOfExpertsGoBackToTheirTokens)
{
    for (const auto &[tokens, perToken, width] :
        {std::tuple(std::int64_t{1}, 1, 8), std::tuple(std::int64_t{37}, 2, 77), std::tuple(scaled(400), 8, 2048),
            std::tuple(std::int64_t{9}, 4, 2332)}) {
        const std::int64_t slots = tokens * perToken;
        for (const bool adds : {false, true}) {
            Pair rows = random(slots, width), added = random(tokens, width), y = random(tokens, width),
                 sums = random(tokens, width), weights = fp32(slots), dweights = fp32(slots),
                 places = pair(at::randperm(slots).to(at::kInt));
            both([&, tokens = tokens, perToken = perToken, width = width](
                     const fused_ops::Table &table, bool gpu, const fused_ops::Queue &queue) {
                table.gatherRows({.shape = {tokens, width},
                                     .perToken = perToken,
                                     .type = kind(),
                                     .rows = rows.at(gpu),
                                     .places = places.at<std::int32_t>(gpu),
                                     .weights = weights.at<float>(gpu),
                                     .added = adds ? added.at(gpu) : nullptr,
                                     .y = y.at(gpu)},
                    queue);
                table.gatherRows({.shape = {tokens, width},
                                     .perToken = perToken,
                                     .type = kind(),
                                     .rows = rows.at(gpu),
                                     .places = places.at<std::int32_t>(gpu),
                                     .added = adds ? sums.at(gpu) : nullptr,
                                     .y = sums.at(gpu)},
                    queue);
                table.gatherRowsBackward({.shape = {tokens, width},
                                             .perToken = perToken,
                                             .type = kind(),
                                             .dy = added.at(gpu),
                                             .places = places.at<std::int32_t>(gpu),
                                             .weights = weights.at<float>(gpu),
                                             .rows = rows.at(gpu),
                                             .dweights = dweights.at<float>(gpu)},
                    queue);
            });
            expectEqual({&y, &sums, &rows, &dweights});
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, CudaKernels,
    ::testing::Combine(::testing::Values(Where::Gpu, Where::Emulated),
        ::testing::Values(fused_ops::Float::Fp32, fused_ops::Float::Bf16)),
    [](const auto &test) {
        return std::string(std::get<0>(test.param) == Where::Gpu ? "gpu_" : "emulated_") +
               (std::get<1>(test.param) == fused_ops::Float::Fp32 ? "fp32" : "bf16");
    });

} // namespace
} // namespace slipway::testing
