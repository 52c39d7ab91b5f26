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
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;

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

StepPlan tinyPlanOf(const RunConfig &config) { return planOf(config, tinyModel()); }

const Buffer *findBuffer(const StepPlan &plan, std::string_view name)
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
    const StepPlan plan = tinyPlanOf(configOf(OptimizerKind::Muon));
    EXPECT_EQ(findBuffer(plan, "layer.momentum")->bytes, 4 * kMatrices);
    EXPECT_EQ(findBuffer(plan, "layer.variance"), nullptr);
    EXPECT_EQ(findBuffer(plan, "layer_vectors.momentum")->bytes, 4 * 64) << "of the two norms";
    EXPECT_EQ(findBuffer(plan, "layer_vectors.variance")->bytes, 4 * 64);
    EXPECT_EQ(findBuffer(plan, "embedding.variance")->bytes, 4 * 100 * 32);
    EXPECT_EQ(findBuffer(plan, "head.variance")->bytes, 4 * (100 * 32 + 32));
}

TEST(MuonPlan, CountsTheGemmsOfFiveStepsOfNewtonSchulz)
{
    const StepPlan plan = tinyPlanOf(configOf(OptimizerKind::Muon));
    const double flops = sumOverOps(plan, [](const Op &op, const Kernel &k) {
        return op.phase == Phase::Optimizer && k.kind == OpKind::Gemm ? k.flops : 0;
    });
    // X X^T and its product with X are 2 m m n each, the square 2 m m m, with m the shorter side.
    const auto ofMatrix = [](double m, double n) { return 5 * (2 * 2 * m * m * n + 2 * m * m * m); };
    const double ofLayer = 2 * ofMatrix(32, 32) + 2 * ofMatrix(16, 32) + 3 * ofMatrix(32, 48);
    EXPECT_EQ(flops, 2 * ofLayer);
    const auto ofModel = [](const Op &, const Kernel &k) { return modelFlops(k); };
    EXPECT_EQ(sumOverOps(plan, ofModel), sumOverOps(tinyPlanOf(configOf(OptimizerKind::AdamW)), ofModel))
        << "they are none of the model's";
}

TEST(MuonPlan, HasRoomForItsLargestMatricesOnlyWhileALayerIsUpdated)
{
    const StepPlan plan = tinyPlanOf(configOf(OptimizerKind::Muon));
    EXPECT_EQ(findBuffer(plan, "layer.muon_x")->bytes, 4 * 2 * 48 * 32) << "gate and up together";
    EXPECT_EQ(findBuffer(plan, "layer.muon_gram")->bytes, 4 * 2 * 32 * 32);
    EXPECT_EQ(findBuffer(plan, "layer.muon_x")->scope, Scope::Step);
    EXPECT_EQ(findBuffer(plan, "layer.muon_update"), nullptr) << "nothing is gathered on one rank";
    const StepPlan half = tinyPlanOf(configOf(OptimizerKind::Muon, Precision::Bf16Mixed));
    EXPECT_EQ(findBuffer(half, "layer.muon_x")->bytes, 2 * 2 * 48 * 32);
}

TEST(MuonPlan, LeavesAdamWTheRest)
{
    const StepPlan plan = tinyPlanOf(configOf(OptimizerKind::Muon));
    const double updated =
        sumOverOps(plan, [](const Op &, const Kernel &k) { return k.kind == OpKind::AdamW ? double(k.n) : 0.0; });
    EXPECT_EQ(updated, 2 * 100 * 32 + 32 + 2 * 64);
    const double orthogonal = sumOverOps(plan, [](const Op &, const Kernel &k) {
        return k.kind == OpKind::MuonUpdate ? double(k.m * k.n) * std::max(1, k.batch) : 0.0;
    });
    EXPECT_EQ(orthogonal, 2 * kMatrices);
}

// What a rank's update of the matrices sends: an all-gather's message is the whole buffer of its group.
Bytes gathered(const StepPlan &plan, std::string_view axis)
{
    return static_cast<Bytes>(sumOverOps(plan, [&](const Op &op, const Kernel &k) {
        const bool counts = op.phase == Phase::Optimizer && k.kind == OpKind::AllGather &&
                            op.name.find("update_gather") != std::string::npos &&
                            plan.groups[static_cast<std::size_t>(k.group)].axis == axis;
        return counts ? double(k.messageBytes) : 0.0;
    }));
}

double newtonSchulzFlops(const StepPlan &plan)
{
    return sumOverOps(plan, [](const Op &op, const Kernel &k) {
        return op.phase == Phase::Optimizer && k.kind == OpKind::Gemm ? k.flops : 0;
    });
}

// Liu et al. 2025 (arXiv 2502.16982), section 2.3: the shards of a layer's update are gathered in the type of the
// GEMMs, every rank orthogonalizes whole matrices, and updates its shard.
TEST(MuonPlan, GathersTheUpdateOfEachLayerOnceWhereStatesAreSharded)
{
    const double whole = newtonSchulzFlops(tinyPlanOf(configOf(OptimizerKind::Muon)));
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        const Bytes element = precision == Precision::Fp32 ? 4 : 2;
        for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpGradOp,
                 ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
            RunConfig config = configOf(OptimizerKind::Muon, precision);
            config.parallel = {.kind = kind, .gpus = 4, .gpusPerNode = kind == ParallelKind::Hsdp ? 2 : 8};
            const StepPlan plan = tinyPlanOf(config);
            const bool sharded = kind != ParallelKind::Ddp;
            // The matrices of a layer are a multiple of 4 x 64 elements: nothing is filled up.
            EXPECT_EQ(gathered(plan, "dp"), sharded ? 2 * kMatrices * element : 0) << enumName(kind);
            EXPECT_EQ(findBuffer(plan, "layer.momentum")->bytes, 4 * kMatrices / plan.mesh.shards.size)
                << enumName(kind);
            EXPECT_EQ(newtonSchulzFlops(plan), whole) << "every rank has whole matrices";
            const double updated = sumOverOps(plan, [](const Op &, const Kernel &k) {
                return k.kind == OpKind::MuonUpdate ? double(k.m * k.n) * std::max(1, k.batch) / k.parts : 0.0;
            });
            EXPECT_EQ(updated, 2.0 * kMatrices / plan.mesh.shards.size) << enumName(kind);
        }
    }
}

TEST(MuonPlan, GathersShardsOfMatricesOverTensorParallelRanks)
{
    const double whole = newtonSchulzFlops(tinyPlanOf(configOf(OptimizerKind::Muon)));
    for (const ParallelKind kind : {ParallelKind::None, ParallelKind::FsdpFull}) {
        RunConfig config = configOf(OptimizerKind::Muon);
        config.parallel = {.kind = kind, .gpus = kind == ParallelKind::None ? 2 : 4, .tp = 2};
        const StepPlan plan = tinyPlanOf(config);
        // Two ranks have the only key-value head, of 2 x 16 rows.
        const Bytes ofRank = 4 * (kMatrices + 2 * 16 * 32) / 2;
        EXPECT_EQ(gathered(plan, "tp"), 2 * 2 * ofRank) << "two layers of two ranks";
        EXPECT_EQ(gathered(plan, "dp"), kind == ParallelKind::None ? 0 : 2 * ofRank);
        EXPECT_EQ(newtonSchulzFlops(plan), whole);
    }
}

TEST(MuonPlan, NeedsNoMessageForWholeExperts)
{
    ModelSpec model = tinyModel();
    model.experts = {.count = 4, .perToken = 2};
    RunConfig config = configOf(OptimizerKind::Muon);
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .ep = 2};
    const StepPlan plan = planOf(config, model);
    EXPECT_EQ(gathered(plan, "dp") + gathered(plan, "ep"), 0);
    const double orthogonal = sumOverOps(plan, [](const Op &, const Kernel &k) {
        return k.kind == OpKind::MuonUpdate ? double(k.m * k.n) * std::max(1, k.batch) : 0.0;
    });
    const double attention = 2 * 32 * 32 + 2 * 16 * 32, router = 4 * 32, ofExpert = 3 * 48 * 32;
    EXPECT_EQ(orthogonal, 2 * (attention + router + 2 * ofExpert)) << "two of four experts";
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
        const StepPlan plain = tinyPlanOf(config);
        config.ema = 0.999;
        const StepPlan averaged = tinyPlanOf(config);
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
    EXPECT_EQ(findBuffer(plain, "expert_load")->bytes, 8 * 4);
    EXPECT_EQ(findBuffer(plain, "expert_counts"), nullptr);
    config.balanceLoss = true;
    const StepPlan balanced = planOf(config, model);
    EXPECT_EQ(findBuffer(balanced, "expert_counts")->bytes, 4 * 4);
    EXPECT_EQ(findBuffer(balanced, "router_log_sums")->bytes, 4 * 2 * 16);
}

} // namespace
} // namespace slipway
