// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Steps in fp8, emulated by LibTorch's types on the processor, against bf16.
#include "fused_ops/fp8.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "exec/plan_checks.h"
#include "learnable.h"
#include "oracle.h"

namespace slipway::testing {
namespace {

ModelSpec fp8Model()
{
    ModelSpec model = smallModel();
    model.hidden = 64;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    model.mlp.width = 90; // filled up to 96
    return model;
}

RunConfig configOf(Precision precision)
{
    RunConfig config = smallConfig();
    config.precision = precision;
    return config;
}

std::vector<double> lossesOf(const RunConfig &config, int steps, bool own, Gradients *gradients = nullptr)
{
    const ModelSpec model = fp8Model();
    SingleCommunicator alone;
    const auto executor = std::move(Executor::create(planOf(config, model), model, alone,
                                        {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .ownKernels = own}))
                              .value();
    std::vector<double> losses;
    for (int step = 1; step <= steps; ++step) {
        if (gradients && step == 1)
            collectGradients(*executor, *gradients);
        const Batch batch = learnable(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
        losses.push_back(executor->step(batch.input(), {.learningRate = 3e-3, .step = step}).value().loss);
        executor->setObserver({});
    }
    return losses;
}

TEST(Fp8Numbers, AreThoseOfLibTorchsTypes)
{
    for (int bits = 0; bits < 256; ++bits) {
        const auto byte = static_cast<std::uint8_t>(bits);
        for (const bool wide : {false, true}) {
            const fused_ops::Fp8Format format = wide ? fused_ops::kE5m2 : fused_ops::kE4m3;
            const at::Tensor theirs =
                at::full({1}, bits, at::kByte).view(wide ? at::kFloat8_e5m2 : at::kFloat8_e4m3fn).to(at::kFloat);
            const float value = theirs.item<float>(), ours = fused_ops::fromFp8(byte, format);
            if (!std::isfinite(value)) {
                EXPECT_EQ(std::isnan(ours), std::isnan(value)) << bits;
                EXPECT_FALSE(std::isfinite(ours)) << bits;
                continue;
            }
            EXPECT_EQ(ours, value) << bits;
            EXPECT_EQ(fused_ops::toFp8(value, format), byte) << bits;
        }
    }
}

TEST(Fp8Numbers, RoundAsLibTorchDoesAndStopAtTheLargest)
{
    at::manual_seed(1);
    const at::Tensor values = at::randn({2000}).mul(at::exp(at::randn({2000}).mul(3))).clamp(-440, 440);
    for (const bool wide : {false, true}) {
        const fused_ops::Fp8Format format = wide ? fused_ops::kE5m2 : fused_ops::kE4m3;
        const at::Tensor theirs = values.to(wide ? at::kFloat8_e5m2 : at::kFloat8_e4m3fn).view(at::kByte);
        for (std::int64_t i = 0; i < values.numel(); ++i)
            EXPECT_EQ(fused_ops::toFp8(values[i].item<float>(), format), theirs[i].item<std::uint8_t>());
        EXPECT_EQ(fused_ops::fromFp8(fused_ops::toFp8(1e9f, format), format), format.largest);
        EXPECT_TRUE(std::isnan(fused_ops::fromFp8(fused_ops::toFp8(std::nanf(""), format), format)));
    }
}

TEST(Fp8Step, PlansEightBitOperandsForAllLinearLayersButTheHead)
{
    const StepPlan plan = planOf(configOf(Precision::Fp8Mixed), fp8Model());
    int fp8 = 0;
    for (const Kernel &kernel : plan.kernels) {
        if (kernel.kind != OpKind::Gemm)
            continue;
        EXPECT_EQ(kernel.type == DType::Fp8, kernel.cost != CostClass::Loss);
        fp8 += kernel.type == DType::Fp8;
        if (kernel.type == DType::Fp8) {
            for (const std::int64_t size : {kernel.m, kernel.n, kernel.k})
                EXPECT_EQ(size % 16, 0);
        }
    }
    EXPECT_EQ(fp8, 12) << "four layers, three GEMMs each";
}

TEST(Fp8Step, RefusesSizesThatTheLibraryHasNoGemmsFor)
{
    RunConfig config = configOf(Precision::Fp8Mixed);
    config.microBatch = 1;
    config.seqLen = 24;
    const auto refused = buildPlan(config, fp8Model());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("micro_batch x seq_len is 24"));
    EXPECT_EQ(refused.error().where, "--micro-batch");
    ModelSpec odd = fp8Model();
    odd.hidden = 72;
    EXPECT_FALSE(buildPlan(configOf(Precision::Fp8Mixed), odd));
}

TEST(Fp8Step, IsRefusedOnGpusWithoutItsGemms)
{
    const StepPlan plan = planOf(configOf(Precision::Fp8Mixed), fp8Model()),
                   bf16 = planOf(configOf(Precision::Bf16Mixed), fp8Model());
    const auto refused = checkCapability(plan, "NVIDIA A100-SXM4-80GB", 8, 0);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(),
        ::testing::AllOf(::testing::HasSubstr("A100-SXM4-80GB (compute capability 8.0) has no fp8 GEMMs"),
            ::testing::HasSubstr("bf16-mixed")));
    EXPECT_TRUE(checkCapability(bf16, "NVIDIA A100-SXM4-80GB", 8, 0));
    for (const auto &[major, minor] : {std::pair(8, 9), std::pair(9, 0), std::pair(10, 0), std::pair(12, 0)})
        EXPECT_TRUE(checkCapability(plan, "a newer one", major, minor));
}

// Our kernels' reference and LibTorch's types, with and without recomputation and accumulation.
TEST(Fp8Step, StaysNearBf16InEveryGradient)
{
    for (const bool own : {false, true}) {
        for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
            RunConfig config = configOf(Precision::Fp8Mixed);
            config.recompute = recompute;
            config.gradAccum = 2;
            Gradients fp8, bf16;
            const double loss = lossesOf(config, 1, own, &fp8).front();
            config.precision = Precision::Bf16Mixed;
            EXPECT_NEAR(loss / lossesOf(config, 1, own, &bf16).front(), 1.0, 5e-3);
            for (const auto &[name, gradient] : bf16)
                EXPECT_LT(relativeDistance(fp8.at(name), gradient), 0.2) << name;
        }
    }
}

} // namespace
} // namespace slipway::testing
