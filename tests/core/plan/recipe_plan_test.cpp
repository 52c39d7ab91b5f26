// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Muon, moving averages and balance losses change in a plan.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "plan/kernel_work.h"
#include "plan/walk.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

ModelSpec tinyModel()
{
    ModelSpec model;
    model.name = "tiny";
    model.layers = 2;
    model.hidden = 32;
    model.attention = {.heads = 2, .kvHeads = 1, .headDim = 16};
    model.mlp.width = 48;
    model.vocab = 100;
    return model;
}

RunConfig configOf(OptimizerKind optimizer, Precision precision = Precision::Fp32)
{
    RunConfig config;
    config.microBatch = 2;
    config.seqLen = 16;
    config.precision = precision;
    config.optimizer = optimizer;
    return config;
}

StepPlan planOf(const RunConfig &config, const ModelSpec &model = tinyModel())
{
    return buildPlan(config, model).value().stages.front();
}

const Buffer *bufferNamed(const StepPlan &plan, std::string_view name)
{
    const auto found =
        std::find_if(plan.buffers.begin(), plan.buffers.end(), [name](const Buffer &b) { return b.name == name; });
    return found == plan.buffers.end() ? nullptr : &*found;
}

template<typename Value>
double sumOverOps(const StepPlan &plan, const Value &value)
{
    double sum = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) { sum += value(visit.op, plan.at(visit.op.kernel)); });
    return sum;
}

// Of a layer: q 32x32, k and v 16x32, o 32x32, gate and up 48x32, down 32x48.
constexpr std::int64_t kMatrices = 2 * 32 * 32 + 2 * 16 * 32 + 3 * 48 * 32;

TEST(MuonPlan, KeepsOneMomentForTheMatricesOfLayers)
{
    const StepPlan plan = planOf(configOf(OptimizerKind::Muon));
    EXPECT_EQ(bufferNamed(plan, "layer.momentum")->bytes, 4 * (kMatrices + 64));
    EXPECT_EQ(bufferNamed(plan, "layer.variance")->bytes, 4 * 64) << "of the two norms";
    EXPECT_EQ(bufferNamed(plan, "embedding.variance")->bytes, 4 * 100 * 32);
    EXPECT_EQ(bufferNamed(plan, "head.variance")->bytes, 4 * (100 * 32 + 32));
}

TEST(MuonPlan, CountsTheGemmsOfFiveStepsOfNewtonSchulz)
{
    const StepPlan plan = planOf(configOf(OptimizerKind::Muon));
    const double flops = sumOverOps(plan, [](const Op &op, const Kernel &k) {
        return op.phase == Phase::Optimizer && k.kind == OpKind::Gemm ? k.flops : 0;
    });
    // X X^T and its product with X are 2 m m n each, the square 2 m m m, with m the shorter side.
    const auto ofMatrix = [](double m, double n) { return 5 * (2 * 2 * m * m * n + 2 * m * m * m); };
    const double ofLayer = 2 * ofMatrix(32, 32) + 2 * ofMatrix(16, 32) + 3 * ofMatrix(32, 48);
    EXPECT_EQ(flops, 2 * ofLayer);
    const auto ofModel = [](const Op &, const Kernel &k) { return modelFlops(k); };
    EXPECT_EQ(sumOverOps(plan, ofModel), sumOverOps(planOf(configOf(OptimizerKind::AdamW)), ofModel))
        << "they are none of the model's";
}

TEST(MuonPlan, HasRoomForItsLargestMatricesOnlyWhileALayerIsUpdated)
{
    const StepPlan plan = planOf(configOf(OptimizerKind::Muon));
    EXPECT_EQ(bufferNamed(plan, "muon_x")->bytes, 4 * 2 * 48 * 32) << "gate and up together";
    EXPECT_EQ(bufferNamed(plan, "muon_gram")->bytes, 4 * 2 * 32 * 32);
    EXPECT_EQ(bufferNamed(plan, "muon_x")->scope, Scope::Step);
    const StepPlan half = planOf(configOf(OptimizerKind::Muon, Precision::Bf16Mixed));
    EXPECT_EQ(bufferNamed(half, "muon_x")->bytes, 2 * 2 * 48 * 32);
}

TEST(MuonPlan, LeavesAdamWTheRest)
{
    const StepPlan plan = planOf(configOf(OptimizerKind::Muon));
    const double updated =
        sumOverOps(plan, [](const Op &, const Kernel &k) { return k.kind == OpKind::AdamW ? double(k.n) : 0.0; });
    EXPECT_EQ(updated, 2 * 100 * 32 + 32 + 2 * 64);
    const double orthogonal = sumOverOps(plan, [](const Op &, const Kernel &k) {
        return k.kind == OpKind::MuonUpdate ? double(k.m * k.n) * std::max(1, k.batch) : 0.0;
    });
    EXPECT_EQ(orthogonal, 2 * kMatrices);
}

TEST(MuonPlan, RefusesStatesThatAreSpreadOverRanksByTheSettingsName)
{
    RunConfig config = configOf(OptimizerKind::Muon);
    for (const ParallelKind kind : {ParallelKind::Zero1, ParallelKind::FsdpFull}) {
        config.parallel = {.kind = kind, .gpus = 2};
        const Result<RunPlan> plan = buildPlan(config, tinyModel());
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().where, "--optimizer");
        EXPECT_THAT(plan.error().message(), HasSubstr(std::string(enumName(kind))));
        EXPECT_THAT(plan.error().message(), HasSubstr("--parallel ddp"));
    }
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    EXPECT_TRUE(buildPlan(config, tinyModel()));
}

TEST(MuonPlan, IsRefusedForSimulatedFrameworks)
{
    RunConfig config = configOf(OptimizerKind::Muon);
    config.framework = Framework::PytorchEager;
    EXPECT_EQ(buildPlan(config, tinyModel()).error().where, "--optimizer");
    config.optimizer = OptimizerKind::AdamW;
    config.ema = 0.9;
    EXPECT_EQ(buildPlan(config, tinyModel()).error().where, "--ema");
}

TEST(AveragePlan, TakesFourBytesOfEachParameterWhereItsStatesLie)
{
    for (const auto &[kind, ranks] : {std::pair(ParallelKind::None, 1), {ParallelKind::Ddp, 2},
             {ParallelKind::Zero1, 2}, {ParallelKind::FsdpFull, 4}}) {
        RunConfig config = configOf(OptimizerKind::AdamW);
        config.parallel = {.kind = kind, .gpus = ranks};
        const StepPlan plain = planOf(config);
        config.ema = 0.999;
        const StepPlan averaged = planOf(config);
        constexpr Bytes kRounding = 512; // of the allocator
        Bytes more = 0, elements = 0;
        for (const ParameterUnit &unit : averaged.units) {
            const int instances = unit.perLayer ? averaged.layers : 1;
            more += roundUp(4 * unit.shardElements, kRounding) * instances;
            elements += unit.shardElements * instances;
        }
        EXPECT_EQ(peakMemory(averaged, Placement::None).allocated, peakMemory(plain, Placement::None).allocated + more)
            << enumName(kind);
        const double updated = sumOverOps(
            averaged, [](const Op &, const Kernel &k) { return k.kind == OpKind::Average ? double(k.n) : 0.0; });
        EXPECT_EQ(updated, double(elements));
    }
}

TEST(BalancePlan, KeepsWhatTheLossesNeed)
{
    ModelSpec model = tinyModel();
    model.experts = {.count = 4, .perToken = 2, .auxLoss = 0.01};
    RunConfig config = configOf(OptimizerKind::AdamW);
    const StepPlan plain = planOf(config, model);
    EXPECT_EQ(bufferNamed(plain, "expert_load")->bytes, 8 * 4);
    EXPECT_EQ(bufferNamed(plain, "expert_counts"), nullptr);
    config.balanceLoss = true;
    const StepPlan balanced = planOf(config, model);
    EXPECT_EQ(bufferNamed(balanced, "expert_counts")->bytes, 4 * 4);
    EXPECT_EQ(bufferNamed(balanced, "router_log_sums")->bytes, 4 * 2 * 16);
}

} // namespace
} // namespace slipway
