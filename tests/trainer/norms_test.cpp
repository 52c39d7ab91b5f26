// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Norms, biases, scales and learned positions against LibTorch's autograd in fp64.
#include <gtest/gtest.h>

#include "cpu_ops/bias.h"
#include "cpu_ops/embedding.h"
#include "cpu_ops/layer_norm.h"
#include "cpu_ops/qk_norm.h"
#include "exact_ops.h"
#include "fixed_seed.h"

namespace slipway::testing {
namespace {

struct NormCase {
    std::int64_t rows, width;
    bool weight, bias;
    float offset;
};

class Norms : public ::testing::TestWithParam<NormCase> {
protected:
    testing::FixedSeed m_seed;
    NormCase c = GetParam();
    at::Tensor x = randomFloats({c.rows, c.width}).add_(0.5), delta = randomFloats({c.rows, c.width}),
               dy = randomFloats({c.rows, c.width}), residual = randomFloats({c.rows, c.width}),
               weight = c.weight ? randomFloats({c.width}) : at::Tensor(),
               bias = c.bias ? randomFloats({c.width}) : at::Tensor();
    at::Tensor sum = nans({c.rows, c.width}), y = nans({c.rows, c.width}), mean = nans({c.rows}), rstd = nans({c.rows});
};

TEST_P(Norms, RmsNormMatchesAutogradWithItsResidual)
{
    const float eps = 1e-5f;
    cpu_ops::addRmsNorm({c.rows, c.width}, dataOf(x), dataOf(delta), dataOf(weight), eps, dataOf(sum), dataOf(y),
        dataOf(rstd), c.offset);
    const at::Tensor x64 = exact(x), delta64 = exact(delta), w64 = c.weight ? exact(weight) : at::Tensor();
    const at::Tensor sum64 = x64 + delta64, y64 = exactRmsNorm(sum64, w64, static_cast<double>(c.offset), 1e-5);
    EXPECT_LT(distanceOf(y, y64), kNear);
    EXPECT_LT(distanceOf(sum, sum64), kNear);
    ((y64 * dy.to(at::kDouble)).sum() + (sum64 * residual.to(at::kDouble)).sum()).backward();

    const at::Tensor again = nans({c.rows, c.width}), rstdAgain = nans({c.rows});
    cpu_ops::rmsNorm({c.rows, c.width}, dataOf(sum), dataOf(weight), eps, dataOf(again), dataOf(rstdAgain), c.offset);
    EXPECT_TRUE(again.equal(y) && rstdAgain.equal(rstd)) << "with and without a residual alike";

    const at::Tensor dx = residual.clone(), dweight = c.weight ? at::ones({c.width}) : at::Tensor();
    cpu_ops::rmsNormBackward({c.rows, c.width}, {.dy = dataOf(dy),
                                                    .x = dataOf(sum),
                                                    .rstd = dataOf(rstd),
                                                    .weight = dataOf(weight),
                                                    .residual = dataOf(dx),
                                                    .dx = dataOf(dx),
                                                    .dweight = dataOf(dweight),
                                                    .accumulate = true,
                                                    .weightOffset = c.offset});
    EXPECT_LT(distanceOf(dx, x64.grad()), kNear);
    if (c.weight) {
        EXPECT_LT(distanceOf(dweight, w64.grad() + 1), kNear);
    }
}

TEST_P(Norms, LayerNormMatchesAutogradWithItsResidual)
{
    cpu_ops::layerNorm({c.rows, c.width}, {.x = dataOf(x),
                                              .delta = dataOf(delta),
                                              .weight = dataOf(weight),
                                              .bias = dataOf(bias),
                                              .eps = 1e-5f,
                                              .sum = dataOf(sum),
                                              .y = dataOf(y),
                                              .mean = dataOf(mean),
                                              .rstd = dataOf(rstd)});
    const at::Tensor x64 = exact(x), delta64 = exact(delta), w64 = c.weight ? exact(weight) : at::Tensor(),
                     b64 = c.bias ? exact(bias) : at::Tensor();
    const at::Tensor sum64 = x64 + delta64, y64 = at::layer_norm(sum64, {c.width}, w64, b64, 1e-5);
    EXPECT_LT(distanceOf(y, y64), kNear);
    EXPECT_LT(distanceOf(rstd, (sum64.var(1, false) + 1e-5).rsqrt()), kNear);
    EXPECT_LT(distanceOf(mean, sum64.mean(1)), kNear);
    ((y64 * dy.to(at::kDouble)).sum() + (sum64 * residual.to(at::kDouble)).sum()).backward();

    const at::Tensor dx = nans({c.rows, c.width}), dweight = c.weight ? nans({c.width}) : at::Tensor(),
                     dbias = c.bias ? nans({c.width}) : at::Tensor();
    for (const bool accumulate : {false, true})
        cpu_ops::layerNormBackward({c.rows, c.width}, {.dy = dataOf(dy),
                                                          .x = dataOf(sum),
                                                          .mean = dataOf(mean),
                                                          .rstd = dataOf(rstd),
                                                          .weight = dataOf(weight),
                                                          .residual = dataOf(residual),
                                                          .dx = dataOf(dx),
                                                          .dweight = dataOf(dweight),
                                                          .dbias = dataOf(dbias),
                                                          .accumulate = accumulate});
    // A row of one element has no variance: what its gradient should cancel to is rounding, times eps^-1/2.
    EXPECT_LT(distanceOf(dx, x64.grad()), c.width > 1 ? kNear : 10 * kNear);
    if (c.weight) {
        EXPECT_LT(distanceOf(dweight, 2 * w64.grad()), kNear);
    }
    if (c.bias) {
        EXPECT_LT(distanceOf(dbias, 2 * b64.grad()), kNear);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Norms,
    ::testing::Values(NormCase{1, 1, true, true, 0}, NormCase{1, 77, true, false, 0}, NormCase{200, 768, true, true, 0},
        NormCase{67, 33, false, false, 0}, NormCase{5, 16, false, true, 0}, NormCase{130, 48, true, false, 1},
        NormCase{1, 3, true, false, 1}));

struct QkCase {
    std::int64_t batch, seq, heads, kvHeads, headDim;
    cpu_ops::QkNormSpan span;
    bool weights;
    float offset;
};

class QkNorm : public ::testing::TestWithParam<QkCase> {};

TEST_P(QkNorm, MatchesAutogradInPlaceAndLeavesTheValuesAlone)
{
    at::manual_seed(2);
    const QkCase c = GetParam();
    const cpu_ops::QkvShape shape{
        .batch = c.batch, .seq = c.seq, .heads = c.heads, .kvHeads = c.kvHeads, .headDim = c.headDim};
    const bool perHead = c.span == cpu_ops::QkNormSpan::Head;
    const std::int64_t rows = c.batch * c.seq, qWidth = c.heads * c.headDim, kWidth = c.kvHeads * c.headDim;
    const at::Tensor raw = randomFloats({rows, qWidth + 2 * kWidth}), qkv = raw.clone(),
                     qk = nans({rows, qWidth + kWidth}), rstd = nans({cpu_ops::qkNormStatistics(shape, c.span)});
    const at::Tensor q = c.weights ? randomFloats({perHead ? c.headDim : qWidth}) : at::Tensor(),
                     k = c.weights ? randomFloats({perHead ? c.headDim : kWidth}) : at::Tensor();
    const cpu_ops::QkNormWeights weights{.span = c.span, .q = dataOf(q), .k = dataOf(k), .weightOffset = c.offset};
    cpu_ops::qkNorm(shape, weights, 1e-6f, dataOf(qkv), dataOf(qk), dataOf(rstd));

    const at::Tensor raw64 = exact(raw), q64 = c.weights ? exact(q) : at::Tensor(),
                     k64 = c.weights ? exact(k) : at::Tensor();
    const auto normed = [&](std::int64_t from, std::int64_t width, const at::Tensor &weight) {
        const at::Tensor part = raw64.narrow(1, from, width);
        const at::Tensor heads = perHead ? part.reshape({rows, -1, c.headDim}) : part;
        return exactRmsNorm(heads, weight, static_cast<double>(c.offset), 1e-6).reshape({rows, width});
    };
    const at::Tensor all =
        at::cat({normed(0, qWidth, q64), normed(qWidth, kWidth, k64), raw64.narrow(1, qWidth + kWidth, kWidth)}, 1);
    EXPECT_LT(distanceOf(qkv, all), kNear);
    EXPECT_TRUE(qk.equal(raw.narrow(1, 0, qWidth + kWidth)));
    EXPECT_TRUE(qkv.narrow(1, qWidth + kWidth, kWidth).equal(raw.narrow(1, qWidth + kWidth, kWidth)));

    const at::Tensor d = randomFloats(raw.sizes()), dqkv = d.clone();
    (all * d.to(at::kDouble)).sum().backward();
    const at::Tensor dq = c.weights ? at::ones_like(q) : at::Tensor(), dk = c.weights ? at::ones_like(k) : at::Tensor();
    cpu_ops::qkNormBackward(shape, weights,
        {.qk = dataOf(qk),
            .rstd = dataOf(rstd),
            .dqkv = dataOf(dqkv),
            .dqWeight = dataOf(dq),
            .dkWeight = dataOf(dk),
            .accumulate = true});
    EXPECT_LT(distanceOf(dqkv, raw64.grad()), kNear);
    if (c.weights) {
        EXPECT_LT(distanceOf(dq, q64.grad() + 1), kNear);
        EXPECT_LT(distanceOf(dk, k64.grad() + 1), kNear);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, QkNorm,
    ::testing::Values(QkCase{1, 1, 1, 1, 2, cpu_ops::QkNormSpan::Head, true, 0},
        QkCase{2, 70, 6, 2, 12, cpu_ops::QkNormSpan::Head, true, 1},
        QkCase{1, 33, 4, 1, 64, cpu_ops::QkNormSpan::Head, false, 0},
        QkCase{2, 70, 6, 2, 12, cpu_ops::QkNormSpan::AllHeads, true, 0},
        QkCase{1, 1, 3, 1, 10, cpu_ops::QkNormSpan::AllHeads, true, 0}));

// Tensor parallelism: two ranks have three of six query heads and one of two key heads each.
TEST(QkNormOverRanks, IsTheNormOverAllHeads)
{
    at::manual_seed(4);
    const std::int64_t rows = 35, headDim = 6, ranks = 2;
    const cpu_ops::QkvShape all{.batch = 1, .seq = rows, .heads = 6, .kvHeads = 2, .headDim = headDim},
        own{.batch = 1, .seq = rows, .heads = 3, .kvHeads = 1, .headDim = headDim};
    // The columns of rank `rank` in a row of queries, keys and perhaps values, or in their weights.
    const auto share = [&](const at::Tensor &whole, std::int64_t rank) {
        std::vector<at::Tensor> parts{whole.narrow(-1, rank * 18, 18)};
        for (std::int64_t from = 36; from < whole.size(-1); from += 12)
            parts.push_back(whole.narrow(-1, from + rank * headDim, headDim));
        return at::cat(parts, -1).contiguous();
    };
    const at::Tensor qkv = randomFloats({rows, 60}), weight = randomFloats({48}), d = randomFloats({rows, 60});
    const auto weightsOf = [](const at::Tensor &w, std::int64_t q, int count) {
        return cpu_ops::QkNormWeights{.span = cpu_ops::QkNormSpan::AllHeads,
            .q = dataOf(w),
            .k = dataOf(w) + q,
            .weightOffset = 1,
            .ranks = count};
    };
    struct Normed {
        at::Tensor qkv, qk, rstd, dqkv, dweight;
    };
    const auto blank = [&](const at::Tensor &x, const at::Tensor &dx, std::int64_t width) {
        return Normed{x.clone(), nans({rows, width}), nans({rows, 2}), dx.clone(), nans({width})};
    };
    const Normed whole = blank(qkv, d, 48);
    const auto backward = [&](const cpu_ops::QkvShape &shape, const cpu_ops::QkNormWeights &w, std::int64_t q,
                              const Normed &n, const float *dots) {
        cpu_ops::qkNormBackward(shape, w,
            {.qk = dataOf(n.qk),
                .rstd = dataOf(n.rstd),
                .dqkv = dataOf(n.dqkv),
                .dqWeight = dataOf(n.dweight),
                .dkWeight = dataOf(n.dweight) + q,
                .dots = dots});
    };
    cpu_ops::qkNorm(all, weightsOf(weight, 36, 1), 1e-3f, dataOf(whole.qkv), dataOf(whole.qk), dataOf(whole.rstd));
    backward(all, weightsOf(weight, 36, 1), 36, whole, nullptr);

    std::vector<Normed> parts;
    std::vector<at::Tensor> weights;
    at::Tensor sums = at::zeros({rows, 2}), dots = at::zeros({rows, 2});
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        parts.push_back(blank(share(qkv, rank), share(d, rank), 24));
        weights.push_back(share(weight, rank));
        const at::Tensor part = nans({rows, 2});
        cpu_ops::qkNormSquares(own, dataOf(parts.back().qkv), dataOf(part));
        sums += part;
    }
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        const Normed &n = parts[rank];
        n.rstd.copy_(sums);
        cpu_ops::qkNorm(own, weightsOf(weights[rank], 18, 2), 1e-3f, dataOf(n.qkv), dataOf(n.qk), dataOf(n.rstd));
        EXPECT_LT(distanceOf(n.qkv, share(whole.qkv, static_cast<std::int64_t>(rank))), kNear);
        const at::Tensor part = nans({rows, 2});
        cpu_ops::qkNormDots(own, weightsOf(weights[rank], 18, 2), dataOf(n.dqkv), dataOf(n.qk), dataOf(part));
        dots += part;
    }
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        const Normed &n = parts[rank];
        backward(own, weightsOf(weights[rank], 18, 2), 18, n, dataOf(dots));
        EXPECT_LT(distanceOf(n.dqkv, share(whole.dqkv, static_cast<std::int64_t>(rank))), kNear);
        EXPECT_LT(distanceOf(n.dweight, share(whole.dweight, static_cast<std::int64_t>(rank))), kNear);
    }
}

TEST(Bias, IsAddedToEveryRowAndItsGradientIsTheRowsSum)
{
    at::manual_seed(3);
    for (const auto &[rows, width] : {std::pair(1, 1), std::pair(1, 35), std::pair(129, 77), std::pair(64, 16)}) {
        const at::Tensor y = randomFloats({rows, width}), bias = randomFloats({width}), expected = y + bias;
        cpu_ops::addBias({rows, width}, dataOf(bias), dataOf(y));
        EXPECT_TRUE(y.equal(expected));
        const at::Tensor dbias = nans({width});
        cpu_ops::biasGradient({rows, width}, dataOf(y), dataOf(dbias), false);
        EXPECT_LT(distanceOf(dbias, y.to(at::kDouble).sum(0)), kNear);
        cpu_ops::biasGradient({rows, width}, dataOf(y), dataOf(dbias), true);
        EXPECT_LT(distanceOf(dbias, 2 * y.to(at::kDouble).sum(0)), kNear);
    }
}

TEST(Scale, MultipliesInPlace)
{
    at::manual_seed(4);
    const at::Tensor x = randomFloats({40'001}), expected = x * 1.5f;
    cpu_ops::scale(x.numel(), 1.5f, dataOf(x));
    EXPECT_TRUE(x.equal(expected));
}

TEST(LearnedPositions, CountFromWhereADocumentBegins)
{
    at::manual_seed(5);
    const std::int64_t batch = 2, seq = 70, width = 35, tableRows = 80;
    for (const std::vector<std::int64_t> &places : {std::vector<std::int64_t>{}, {1, 2, 40}}) {
        const std::vector<std::int32_t> starts = documentStartsAt(batch, seq, places);
        const cpu_ops::Positions positions{.seq = seq, .documentStarts = places.empty() ? nullptr : starts.data()};
        const at::Tensor x = randomFloats({batch * seq, width}), before = x.clone(),
                         table = randomFloats({tableRows, width}), table64 = exact(table);
        const at::Tensor places64 = at::arange(seq).repeat({batch}) - at::tensor(starts).to(at::kLong);
        const at::Tensor expected = before.to(at::kDouble) + table64.index_select(0, places64);
        cpu_ops::addPositions({batch * seq, width}, positions, dataOf(table), dataOf(x));
        EXPECT_LT(distanceOf(x, expected), kNear);

        const at::Tensor dx = randomFloats({batch * seq, width}), dtable = nans({tableRows, width});
        (expected * dx.to(at::kDouble)).sum().backward();
        for (const bool accumulate : {false, true})
            cpu_ops::positionsGradient(
                {batch * seq, width}, positions, dataOf(dx), tableRows, dataOf(dtable), accumulate);
        EXPECT_LT(distanceOf(dtable, 2 * table64.grad()), kNear);
    }
}

} // namespace
} // namespace slipway::testing
