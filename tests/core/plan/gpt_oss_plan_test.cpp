// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plans of models with the modules of GPT-OSS: attention sinks, experts with biases, a limited gate.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/build_plan.h"
#include "plan/moe_sizes.h"
#include "plan/native/supported.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::smallConfig;
using testing::smallModel;

ModelSpec experts()
{
    ModelSpec m = smallModel();
    m.layers = 1; // the buffers of a layer stand for those of all layers
    m.experts.count = 8;
    m.experts.perToken = 2;
    return m;
}

ModelSpec gptOss()
{
    ModelSpec m = experts();
    m.attention.sinks = m.mlp.bias = m.mlp.onePlusUp = m.experts.routerBias = true;
    m.mlp.limit = 7;
    return m;
}

StepPlan planOf(Framework framework, const ModelSpec &model, Attention attention = Attention::Vanilla,
    ExpertGemm gemm = ExpertGemm::Auto)
{
    RunConfig c = smallConfig();
    c.simulated.expertGemm = gemm;
    c.framework = framework;
    c.attention = attention;
    c.precision = Precision::Bf16Mixed;
    const Result<RunPlan> plan = buildPlan(c, model);
    EXPECT_TRUE(plan) << plan.error().message();
    return plan->stages.front();
}

bool hasBuffer(const StepPlan &plan, const std::string &part)
{
    return std::ranges::any_of(plan.buffers, [&](const Buffer &b) { return b.name.find(part) != std::string::npos; });
}

Bytes weightBytes(const StepPlan &plan)
{
    Bytes bytes = 0;
    for (const Buffer &b : plan.buffers)
        bytes += b.role == Role::Parameter ? b.bytes : 0;
    return bytes;
}

TEST(GptOssPlan, FrameworksHoldItsSinksAndBiases)
{
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        const std::int64_t more = parameterCount(gptOss()) - parameterCount(experts());
        ASSERT_GT(more, 0);
        EXPECT_GE(weightBytes(planOf(framework, gptOss())) - weightBytes(planOf(framework, experts())), 2 * more)
            << enumName(framework);
    }
}

TEST(GptOssPlan, EagerAttentionJoinsTheSinksToTheScores)
{
    EXPECT_TRUE(hasBuffer(planOf(Framework::PytorchEager, gptOss()), "scores_with_sinks"));
    EXPECT_FALSE(hasBuffer(planOf(Framework::PytorchEager, experts()), "scores_with_sinks"));
    EXPECT_FALSE(hasBuffer(planOf(Framework::PytorchEager, gptOss(), Attention::Flash), "scores_with_sinks"));
}

TEST(GptOssPlan, EagerExpertsAddBiasesAndLimitTheirGate)
{
    for (const ExpertGemm gemm : {ExpertGemm::Grouped, ExpertGemm::Loop}) {
        const StepPlan plan = planOf(Framework::PytorchEager, gptOss(), Attention::Vanilla, gemm);
        for (const char *part : {"_gate_up_biased", "_down_biased", "clamped_gate", "one_plus_up"})
            EXPECT_TRUE(hasBuffer(plan, part)) << part;
        const StepPlan plain = planOf(Framework::PytorchEager, experts(), Attention::Vanilla, gemm);
        for (const char *part : {"_biased", "clamped_gate", "one_plus_up"})
            EXPECT_FALSE(hasBuffer(plain, part)) << part;
    }
}

TEST(GptOssPlan, RowsOfExpertsFollowTheCapacityOfTheModel)
{
    RunConfig c = smallConfig();
    c.framework = Framework::Megatron;
    ModelSpec model = experts();
    const auto rows = [&] { return expertSizes(c, model, {}, 1024).sent; };
    EXPECT_EQ(rows(), 2048);
    model.experts.capacityFactor = 1.25;
    EXPECT_EQ(rows(), 2560);
    c.expertCapacity = 2;
    EXPECT_EQ(rows(), 4096) << "what the configuration says counts";
}

// Each module alone, so that none depends on the refusal of another.
TEST(GptOssPlan, OurTrainerNamesTheModuleThatItLacksAndWhatPlansIt)
{
    RunConfig c = smallConfig();
    c.framework = Framework::Slipway;
    const auto refusal = [&](void (*change)(ModelSpec &), ModelSpec model) {
        change(model);
        EXPECT_TRUE(native::trainsOn(model).empty());
        return buildPlan(c, model).error().message();
    };
    const auto expected = [](const std::string &module) {
        return "--framework: Slipway's trainer does not support " + smallModel().name + ": it has " + module +
               " (accepted: megatron, pytorch-eager or pytorch-compile, which plan it; or another model)";
    };
    EXPECT_EQ(refusal([](ModelSpec &m) { m.attention.sinks = true; }, smallModel()), expected("attention sinks"));
    EXPECT_EQ(refusal([](ModelSpec &m) { m.mlp.bias = true; }, experts()), expected("experts with biases"));
    EXPECT_EQ(refusal([](ModelSpec &m) { m.experts.routerBias = true; }, experts()), expected("experts with biases"));
    EXPECT_EQ(
        refusal([](ModelSpec &m) { m.experts.capacityFactor = 1.25; }, experts()), expected("experts with a capacity"));
    EXPECT_EQ(refusal([](ModelSpec &m) { m.ropes.front().scaling = RopeScaling::Dynamic; }, smallModel()),
        expected("RoPE scaling 'dynamic'"));
    EXPECT_EQ(refusal([](ModelSpec &m) { m.mlp.limit = 7; }, smallModel()), expected("an MLP with a limited gate"));
    EXPECT_EQ(
        refusal([](ModelSpec &m) { m.mlp.onePlusUp = true; }, smallModel()), expected("an MLP with a limited gate"));
}

} // namespace
} // namespace slipway
