// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What model families need besides LLaMA's ops, through LibTorch: fp32 against its autograd in fp64, bf16 within its
// rounding of fp32.
#include <gtest/gtest.h>

#include "aten_ops/attention.h"
#include "aten_ops/elementwise.h"
#include "aten_ops/norms.h"
#include "exact_ops.h"
#include "fixed_seed.h"

namespace slipway::testing {
namespace {

struct AtenAttentionCase {
    cpu_ops::QkvShape shape;
    bool alibi = false;
};

class AtenAttention : public ::testing::TestWithParam<AtenAttentionCase> {
protected:
    testing::FixedSeed m_seed;
    [[nodiscard]] aten_ops::AttentionOptions options() const
    {
        return {s.window, static_cast<double>(s.scale), static_cast<double>(s.softCap), slopes};
    }
    cpu_ops::QkvShape s = GetParam().shape;
    at::Tensor slopes = GetParam().alibi ? at::linspace(0.05, 0.5, s.heads, at::kFloat) : at::Tensor();
    at::Tensor qkv = randomFloats({s.batch, s.seq, s.heads + 2 * s.kvHeads, s.headDim}),
               dout = randomFloats({s.batch, s.seq, s.heads, s.headDim}), out = nans(dout.sizes()),
               dqkv = nans(qkv.sizes());
    at::Tensor qkv64 = exact(qkv);
    ExactAttention expected = exactAttention(s, qkv64, slopes);
    void backward() const { (expected.out.view(dout.sizes()) * dout.to(at::kDouble)).sum().backward(); }
};

TEST_P(AtenAttention, BlocksAndTheChosenKernelMatchAutograd)
{
    backward();
    for (const aten_ops::FlashKernel kernel :
        {aten_ops::FlashKernel::Blocks, aten_ops::flashKernelFor(aten_ops::FlashKernel::Processor, options())}) {
        const at::Tensor lse = nans({s.batch, s.heads, s.seq});
        aten_ops::flashAttention(kernel, qkv, out, lse, options());
        EXPECT_LT(distanceOf(out, expected.out.view(out.sizes())), kNear);
        EXPECT_LT(distanceOf(lse, expected.lse), kNear);
        aten_ops::flashAttentionBackward(
            kernel, {.dout = dout, .qkv = qkv, .out = out, .lse = lse, .dqkv = dqkv, .options = options()});
        EXPECT_LT(distanceOf(dqkv, qkv64.grad()), kNear) << enumName(kernel);
    }
}

TEST_P(AtenAttention, VanillaMatchesAutograd)
{
    const at::Tensor probabilities = nans({s.batch, s.heads, s.seq, s.seq}), dscores = nans(probabilities.sizes());
    aten_ops::vanillaAttention(qkv, probabilities, out, options());
    EXPECT_LT(distanceOf(out, expected.out.view(out.sizes())), kNear);
    backward();
    aten_ops::vanillaAttentionBackward({.dout = dout,
        .qkv = qkv,
        .probabilities = probabilities,
        .dqkv = dqkv,
        .dscores = dscores,
        .options = options()});
    EXPECT_LT(distanceOf(dqkv, qkv64.grad()), kNear);
}

TEST_P(AtenAttention, StaysWithinTheRoundingOfBf16)
{
    const at::Tensor qkv16 = qkv.to(at::kBFloat16), out16 = at::zeros_like(dout, at::kBFloat16),
                     dqkv16 = at::zeros_like(qkv16), lse = nans({s.batch, s.heads, s.seq});
    aten_ops::flashAttention(aten_ops::FlashKernel::Blocks, qkv16, out16, lse, options());
    EXPECT_LT(distanceOf(out16, expected.out.view(out.sizes())), 2e-2);
    backward();
    aten_ops::flashAttentionBackward(aten_ops::FlashKernel::Blocks,
        {.dout = dout.to(at::kBFloat16), .qkv = qkv16, .out = out16, .lse = lse, .dqkv = dqkv16, .options = options()});
    EXPECT_LT(distanceOf(dqkv16, qkv64.grad()), 3e-2);
}

INSTANTIATE_TEST_SUITE_P(Options, AtenAttention,
    ::testing::Values(AtenAttentionCase{shapeOf(2, 1, 2, 1, 12, 1)}, AtenAttentionCase{shapeOf(1, 300, 4, 2, 12, 1)},
        AtenAttentionCase{shapeOf(2, 600, 4, 1, 12, 70)}, AtenAttentionCase{shapeOf(1, 520, 2, 2, 12, 256)},
        AtenAttentionCase{shapeOf(1, 300, 2, 1, 12, 400)}, AtenAttentionCase{shapeOf(1, 90, 4, 2, 12, 0, 0.6f)},
        AtenAttentionCase{shapeOf(1, 300, 4, 2, 12, 0, 0, 2)},
        AtenAttentionCase{shapeOf(2, 300, 4, 2, 12, 50, 0.5f, 3)},
        AtenAttentionCase{shapeOf(1, 300, 4, 1, 12, 0), true},
        AtenAttentionCase{shapeOf(2, 270, 4, 2, 12, 40, 0.5f, 3), true}));

TEST(FlashKernelChoice, GoesByWhatAKernelCanDo)
{
    using aten_ops::FlashKernel;
    const at::Tensor slopes = at::ones({2});
    for (const FlashKernel usual :
        {FlashKernel::Gpu, FlashKernel::Cudnn, FlashKernel::Processor, FlashKernel::Blocks}) {
        EXPECT_EQ(aten_ops::flashKernelFor(usual, {.scale = 0.5}), usual);
        EXPECT_EQ(aten_ops::flashKernelFor(usual, {.softCap = 30}), FlashKernel::Blocks);
        EXPECT_EQ(aten_ops::flashKernelFor(usual, {.slopes = slopes}), FlashKernel::Blocks);
    }
    EXPECT_EQ(aten_ops::flashKernelFor(FlashKernel::Gpu, {.window = 4}), FlashKernel::Gpu);
    EXPECT_EQ(aten_ops::flashKernelFor(FlashKernel::Cudnn, {.window = 4}), FlashKernel::Gpu);
    EXPECT_EQ(aten_ops::flashKernelFor(FlashKernel::Processor, {.window = 4}), FlashKernel::Blocks);
    const at::Tensor qkv = at::zeros({1, 8, 6, 64}), out = at::zeros({1, 8, 2, 64});
    EXPECT_THROW(aten_ops::flashAttention(FlashKernel::Processor, qkv, out, at::zeros({1, 2, 8}), {.window = 4}),
        std::logic_error);
}

// In both types; what bf16 rounds is far from where an error would be.
class AtenOps : public ::testing::TestWithParam<at::ScalarType> {
protected:
    void SetUp() override { at::manual_seed(2); }
    [[nodiscard]] static at::Tensor random(at::IntArrayRef sizes) { return at::randn(sizes).to(GetParam()); }
    [[nodiscard]] static at::Tensor blank(at::IntArrayRef sizes) { return nans(sizes).to(GetParam()); }
    [[nodiscard]] static double near() { return GetParam() == at::kFloat ? kNear : 1e-2; }
};

TEST_P(AtenOps, LayerNormAndItsGradients)
{
    for (const auto &[rows, width, affine] :
        {std::tuple(1, 5, true), std::tuple(67, 33, true), std::tuple(9, 64, false)}) {
        const at::Tensor x = random({rows, width}), dy = random({rows, width}), residual = random({rows, width}),
                         weight = affine ? random({width}) : at::Tensor(),
                         bias = affine ? random({width}) : at::Tensor();
        const at::Tensor y = blank({rows, width}), mean = nans({rows}), rstd = nans({rows}), dx = residual.clone(),
                         dweight = affine ? nans({width}) : at::Tensor(), dbias = affine ? nans({width}) : at::Tensor();
        aten_ops::layerNorm({.x = x, .weight = weight, .bias = bias, .eps = 1e-5, .y = y, .mean = mean, .rstd = rstd});
        const at::Tensor x64 = exact(x), w64 = affine ? exact(weight) : at::Tensor(),
                         b64 = affine ? exact(bias) : at::Tensor();
        const at::Tensor y64 = at::layer_norm(x64, {width}, w64, b64, 1e-5);
        EXPECT_LT(distanceOf(y, y64), near());
        EXPECT_LT(distanceOf(mean, x64.mean(1)), kNear);
        (y64 * dy.to(at::kDouble)).sum().backward();
        const at::Tensor dx0 = blank({rows, width});
        aten_ops::layerNormBackward({.dy = dy,
            .x = x,
            .mean = mean,
            .rstd = rstd,
            .weight = weight,
            .residual = dx,
            .dx = dx,
            .dweight = dweight,
            .dbias = dbias});
        EXPECT_LT(distanceOf(dx, x64.grad() + residual), near());
        aten_ops::layerNormBackward({.dy = dy,
            .x = x,
            .mean = mean,
            .rstd = rstd,
            .weight = weight,
            .residual = {},
            .dx = dx0,
            .dweight = dweight,
            .dbias = dbias,
            .accumulate = true});
        EXPECT_LT(distanceOf(dx0, x64.grad()), near());
        if (affine) {
            EXPECT_LT(distanceOf(dweight, 2 * w64.grad()), kNear);
            EXPECT_LT(distanceOf(dbias, 2 * b64.grad()), kNear);
        }
    }
}

TEST_P(AtenOps, RmsNormWithAnOffsetAndWithoutAWeight)
{
    for (const bool weighted : {true, false}) {
        const std::int64_t rows = 37, width = 70;
        const at::Tensor x = random({rows, width}), dy = random({rows, width}),
                         weight = weighted ? random({width}) : at::Tensor(), y = blank({rows, width}),
                         rstd = nans({rows}), dx = blank({rows, width}),
                         dweight = weighted ? nans({width}) : at::Tensor();
        aten_ops::rmsNorm(x, weight, 1e-5, y, rstd, 1);
        const at::Tensor x64 = exact(x), w64 = weighted ? exact(weight) : at::Tensor(),
                         y64 = exactRmsNorm(x64, w64, 1, 1e-5);
        EXPECT_LT(distanceOf(y, y64), near());
        (y64 * dy.to(at::kDouble)).sum().backward();
        aten_ops::rmsNormBackward({.dy = dy,
            .x = x,
            .rstd = rstd,
            .weight = weight,
            .residual = {},
            .dx = dx,
            .dweight = dweight,
            .weightOffset = 1});
        EXPECT_LT(distanceOf(dx, x64.grad()), near());
        if (weighted) {
            EXPECT_LT(distanceOf(dweight, w64.grad()), kNear);
        }
    }
}

TEST_P(AtenOps, NormsOfQueriesAndKeys)
{
    const std::int64_t tokens = 23, heads = 6, kvHeads = 2, headDim = 10;
    for (const bool perHead : {true, false}) {
        const at::Tensor raw = random({tokens, heads + 2 * kvHeads, headDim}), qkv = raw.clone(),
                         qk = blank({tokens, heads + kvHeads, headDim}),
                         rstd = nans({tokens, perHead ? heads + kvHeads : 2});
        const aten_ops::QkNormWeights weights{.perHead = perHead,
            .q = random({perHead ? headDim : heads * headDim}),
            .k = random({perHead ? headDim : kvHeads * headDim}),
            .weightOffset = 1};
        aten_ops::qkNorm(weights, 1e-6, qkv, qk, rstd);
        const at::Tensor raw64 = exact(raw), q64 = exact(weights.q), k64 = exact(weights.k);
        const auto normed = [&](std::int64_t from, std::int64_t count, const at::Tensor &weight) {
            const at::Tensor part = raw64.narrow(1, from, count);
            return exactRmsNorm(perHead ? part : part.flatten(1), weight, 1, 1e-6).reshape({tokens, count, headDim});
        };
        const at::Tensor all =
            at::cat({normed(0, heads, q64), normed(heads, kvHeads, k64), raw64.narrow(1, heads + kvHeads, kvHeads)}, 1);
        EXPECT_LT(distanceOf(qkv, all), near());
        EXPECT_TRUE(qk.equal(raw.narrow(1, 0, heads + kvHeads)));

        const at::Tensor d = random(raw.sizes()), dqkv = d.clone(), dq = nans(weights.q.sizes()),
                         dk = nans(weights.k.sizes());
        (all * d.to(at::kDouble)).sum().backward();
        aten_ops::qkNormBackward(weights, {.qk = qk, .rstd = rstd, .dqkv = dqkv, .dqWeight = dq, .dkWeight = dk});
        EXPECT_LT(distanceOf(dqkv, raw64.grad()), near());
        EXPECT_LT(distanceOf(dq, q64.grad()), kNear);
        EXPECT_LT(distanceOf(dk, k64.grad()), kNear);
    }
}

// Tensor parallelism: two ranks have three of six query heads and one of two key heads each.
TEST_P(AtenOps, NormsOverTheHeadsOfTwoRanks)
{
    const std::int64_t tokens = 23, headDim = 10;
    // The heads of rank `rank` of two, of queries, keys and perhaps values.
    const auto share = [](const at::Tensor &heads, std::int64_t rank) {
        std::vector<at::Tensor> parts{heads.narrow(-2, 3 * rank, 3)};
        for (std::int64_t from = 6; from < heads.size(-2); from += 2)
            parts.push_back(heads.narrow(-2, from + rank, 1));
        return at::cat(parts, -2).contiguous();
    };
    const at::Tensor raw = random({tokens, 10, headDim}), weight = random({8, headDim}), d = random(raw.sizes());
    const auto weightsOf = [](const at::Tensor &w, std::int64_t heads, int ranks) {
        return aten_ops::QkNormWeights{.perHead = false,
            .q = w.narrow(0, 0, heads).flatten(),
            .k = w.narrow(0, heads, w.size(0) - heads).flatten(),
            .weightOffset = 1,
            .ranks = ranks};
    };
    struct Normed {
        at::Tensor qkv, qk, rstd, dqkv, dq, dk;
    };
    const auto normedOf = [&](const at::Tensor &x, const at::Tensor &dx, std::int64_t heads, std::int64_t kvHeads) {
        return Normed{x.clone(), blank({tokens, heads + kvHeads, headDim}), nans({tokens, 2}), dx.clone(),
            nans({heads * headDim}), nans({kvHeads * headDim})};
    };
    const auto backward = [](const aten_ops::QkNormWeights &w, const Normed &n, const at::Tensor &dots) {
        aten_ops::qkNormBackward(
            w, {.qk = n.qk, .rstd = n.rstd, .dqkv = n.dqkv, .dqWeight = n.dq, .dkWeight = n.dk, .dots = dots});
    };
    const Normed whole = normedOf(raw, d, 6, 2);
    aten_ops::qkNorm(weightsOf(weight, 6, 1), 1e-3, whole.qkv, whole.qk, whole.rstd);
    backward(weightsOf(weight, 6, 1), whole, {});

    std::vector<Normed> parts;
    const at::Tensor sums = at::zeros({tokens, 2}), dots = at::zeros({tokens, 2});
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        parts.push_back(normedOf(share(raw, rank), share(d, rank), 3, 1));
        const at::Tensor part = nans({tokens, 2});
        aten_ops::qkNormSquares(parts.back().qkv, 1, part);
        sums.add_(part);
    }
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        const Normed &n = parts[static_cast<std::size_t>(rank)];
        const aten_ops::QkNormWeights own = weightsOf(share(weight, rank), 3, 2);
        n.rstd.copy_(sums);
        aten_ops::qkNorm(own, 1e-3, n.qkv, n.qk, n.rstd);
        EXPECT_LT(distanceOf(n.qkv, share(whole.qkv, rank)), near());
        const at::Tensor part = nans({tokens, 2});
        aten_ops::qkNormDots(own, n.dqkv, n.qk, part);
        dots.add_(part);
    }
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        const Normed &n = parts[static_cast<std::size_t>(rank)];
        backward(weightsOf(share(weight, rank), 3, 2), n, dots);
        EXPECT_LT(distanceOf(n.dqkv, share(whole.dqkv, rank)), near());
        EXPECT_LT(distanceOf(n.dq, whole.dq.narrow(0, rank * 30, 30)), kNear);
        EXPECT_LT(distanceOf(n.dk, whole.dk.narrow(0, rank * headDim, headDim)), kNear);
    }
}

TEST_P(AtenOps, ActivationsAloneAndGated)
{
    const std::int64_t rows = 19, width = 35;
    for (std::size_t i = 0; i < EnumNames<Activation>::names.size(); ++i) {
        const auto kind = static_cast<Activation>(i);
        const at::Tensor gateUp = random({rows, 2 * width}), dy = random({rows, width}), product = blank({rows, width}),
                         gateUp64 = exact(gateUp);
        const at::Tensor product64 =
            exactActivation(kind, gateUp64.narrow(1, 0, width)) * gateUp64.narrow(1, width, width);
        aten_ops::gatedActivation(kind, gateUp, product);
        EXPECT_LT(distanceOf(product, product64), near()) << enumName(kind);
        (product64 * dy.to(at::kDouble)).sum().backward();
        aten_ops::gatedActivationBackward(kind, dy, gateUp);
        EXPECT_LT(distanceOf(gateUp, gateUp64.grad()), near()) << enumName(kind);

        const at::Tensor x = random({rows, width}), y = blank({rows, width}), x64 = exact(x),
                         y64 = exactActivation(kind, x64);
        aten_ops::activate(kind, x, y);
        EXPECT_LT(distanceOf(y, y64), near()) << enumName(kind);
        (y64 * dy.to(at::kDouble)).sum().backward();
        aten_ops::activateBackward(kind, dy, x);
        EXPECT_LT(distanceOf(x, x64.grad()), near()) << enumName(kind);
    }
}

TEST_P(AtenOps, PositionsAndBiases)
{
    const std::int64_t batch = 3, seq = 7, width = 9;
    const at::Tensor x = random({batch, seq, width}), before = x.clone(), table = random({11, width}),
                     dtable = nans({11, width});
    aten_ops::addPositions(table, x);
    EXPECT_LT(distanceOf(x, before.to(at::kDouble) + table.narrow(0, 0, seq).to(at::kDouble)), near());
    for (const bool accumulate : {false, true})
        aten_ops::positionsGradient(x, dtable, accumulate);
    const at::Tensor sums = at::cat({2 * x.to(at::kDouble).sum(0), at::zeros({4, width}, at::kDouble)});
    EXPECT_LT(distanceOf(dtable, sums), kNear);

    const at::Tensor y = random({batch, width}), bias = random({width}), dbias = nans({width}),
                     expected = y.to(at::kDouble) + bias.to(at::kDouble);
    aten_ops::addBias(bias, y);
    EXPECT_LT(distanceOf(y, expected), near());
    for (const bool accumulate : {false, true})
        aten_ops::biasGradient(y, dbias, accumulate);
    EXPECT_LT(distanceOf(dbias, 2 * y.to(at::kDouble).sum(0)), kNear);
    aten_ops::scale(0.5, y);
    EXPECT_LT(distanceOf(y, expected * 0.5), near());
}

INSTANTIATE_TEST_SUITE_P(Types, AtenOps, ::testing::Values(at::kFloat, at::kBFloat16));

TEST(AtenRope, TurnsTheFirstDimensionsOfEveryHead)
{
    at::manual_seed(3);
    const std::int64_t seq = 13, heads = 3, headDim = 20, half = 4;
    const cpu_ops::RopeTable table(
        seq, {.inverseFrequencies = {1, 0.5, 0.1, 0.01}, .rotatedDims = 2 * half, .attentionFactor = 1.5});
    const auto tensorOf = [&](const std::vector<float> &values) { return at::tensor(values).view({seq, half}); };
    const cpu_ops::QkvShape shape{.batch = 1, .seq = seq, .heads = heads, .kvHeads = 1, .headDim = headDim};
    const at::Tensor qkv = randomFloats({1, seq, heads + 2, headDim}), expected = qkv.clone();
    for (const bool inverse : {false, true}) {
        cpu_ops::rope(shape, table, dataOf(expected),
            inverse ? cpu_ops::RopeDirection::Inverse : cpu_ops::RopeDirection::Forward);
        aten_ops::rope(qkv.narrow(2, 0, heads + 1), tensorOf(table.cosines), tensorOf(table.sines), inverse);
        EXPECT_LT(distanceOf(qkv, expected), 1e-6);
    }
}

} // namespace
} // namespace slipway::testing
