// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// When and how PyTorch's data-parallel ranks sum gradients, and who has an optimizer's states.
#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

RunConfig eagerConfig(ParallelKind kind, Sharder sharder = Sharder::Auto)
{
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = kind, .gpus = 8, .gpusPerNode = 4};
    c.simulated.sharder = sharder;
    c.gradAccum = 3;
    return c;
}

std::int64_t countInDataGroup(const StepPlan &plan, OpKind kind, Phase phase)
{
    std::int64_t n = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        n += plan.at(v.op.kernel).kind == kind && v.op.phase == phase &&
             plan.groups[static_cast<std::size_t>(plan.at(v.op.kernel).group)].axis == "dp";
    });
    return n;
}

TEST(Reduction, ofDdpComesOnceAStepOrAfterEveryMicroBatch)
{
    RunConfig c = eagerConfig(ParallelKind::Ddp);
    const std::int64_t units = smallModel().layers + 1;
    for (const GradReduce reduce : {GradReduce::Auto, GradReduce::Step, GradReduce::MicroBatch}) {
        c.gradReduce = reduce;
        EXPECT_EQ(countInDataGroup(planOf(c), OpKind::AllReduce, Phase::Backward),
            reduce == GradReduce::MicroBatch ? 3 * units : units)
            << enumName(reduce);
    }
}

TEST(Reduction, ofFsdpComesAfterEveryMicroBatchOrLeavesGradientsWholeUntilTheLast)
{
    for (const Sharder sharder : {Sharder::Fsdp1, Sharder::Fsdp2}) {
        for (const ParallelKind kind : {ParallelKind::FsdpFull, ParallelKind::FsdpGradOp, ParallelKind::Hsdp}) {
            RunConfig c = eagerConfig(kind, sharder);
            const std::int64_t units = smallModel().layers + 1;
            EXPECT_EQ(countInDataGroup(planOf(c), OpKind::ReduceScatter, Phase::Backward), 3 * units);
            c.gradReduce = GradReduce::Step;
            const StepPlan plan = planOf(c);
            EXPECT_EQ(countInDataGroup(plan, OpKind::ReduceScatter, Phase::Backward), units);
            EXPECT_EQ(countInDataGroup(plan, OpKind::AllGather, Phase::Forward), 3 * units)
                << "weights come and go as before";
            Bytes whole = 0, shards = 0;
            for (const Buffer &b : plan.buffers) {
                const Bytes bytes = b.bytes * (b.perLayer ? plan.layers : 1);
                whole += b.name.ends_with(".accumulated") ? bytes : 0;
                shards += b.name.ends_with(".weights") ? bytes : 0;
            }
            const int ranks = kind == ParallelKind::Hsdp ? 4 : 8, width = sharder == Sharder::Fsdp1 ? 2 : 4;
            EXPECT_NEAR(double(whole), double(shards) / 4 * ranks * width, 0.01 * double(whole))
                << "FSDP1 sums in half, FSDP2 in the type that it reduces";
            c.gradAccum = 1;
            EXPECT_EQ(countInDataGroup(planOf(c), OpKind::ReduceScatter, Phase::Backward), units);
        }
    }
}

// torch 2.11, _fsdp_param.py, init_dtype_attrs: no type of reduction of its own, so nothing is cast while it waits.
TEST(Reduction, ofFullyShardInHalfLeavesWholeGradientsInHalf)
{
    RunConfig c = eagerConfig(ParallelKind::FsdpFull, Sharder::Fsdp2);
    c.gradReduce = GradReduce::Step;
    c.simulated.gradientType = GradientType::Half;
    const StepPlan plan = planOf(c);
    Bytes whole = 0, shards = 0;
    for (const Buffer &b : plan.buffers) {
        const Bytes bytes = b.bytes * (b.perLayer ? plan.layers : 1);
        EXPECT_FALSE(b.name.ends_with(".accumulated")) << b.name;
        whole += b.name.ends_with(".gradient") || b.name.ends_with(".full_gradients") ? bytes : 0;
        shards += b.name.ends_with(".weights") ? bytes : 0;
    }
    EXPECT_NEAR(double(whole), double(shards) / 4 * 8 * 2, 0.01 * double(whole)) << "of eight ranks' fp32 shards";
}

TEST(Reduction, leavesNothingBehindWhereverGradientsWait)
{
    for (const Sharder sharder :
        {Sharder::Fsdp1, Sharder::Fsdp2, Sharder::DeepSpeed, Sharder::Traced, Sharder::Simple}) {
        for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull,
                 ParallelKind::FsdpGradOp, ParallelKind::Hsdp}) {
            for (const GradReduce reduce : {GradReduce::MicroBatch, GradReduce::Step}) {
                for (const GradientType type : {GradientType::Auto, GradientType::Half, GradientType::Fp32}) {
                    for (const int stages : {1, 2}) {
                        RunConfig c = eagerConfig(kind, sharder);
                        c.parallel.pp = stages;
                        c.gradReduce = reduce;
                        c.simulated.gradientType = type;
                        for (const int accumulation : {1, 2, 5}) {
                            c.gradAccum = accumulation;
                            EXPECT_NO_THROW(planOf(c))
                                << enumName(sharder) << " " << enumName(kind) << " " << enumName(type);
                        }
                    }
                }
            }
        }
    }
}

// DeepSpeed's engine reduces the gradients of ZeRO-1 and of stage 0 itself, in its bucket and not also in those of DDP.
// A rank has 1/8 of both moments, whatever the precision.
TEST(Reduction, ofDeepSpeedUsesItsOwnBucketAlone)
{
    const auto sum = [](const StepPlan &plan, Role role) {
        Bytes bytes = 0;
        for (const Buffer &b : plan.buffers)
            bytes += b.role == role ? b.bytes * (b.perLayer ? plan.layers : 1) : 0;
        return bytes;
    };
    for (const Precision precision : {Precision::Bf16, Precision::Fp32}) {
        for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1}) {
            RunConfig c = eagerConfig(kind, Sharder::DeepSpeed);
            c.precision = precision;
            c.simulated.reduceBucket = 1000;
            const StepPlan plan = planOf(c);
            const Bytes width = precision == Precision::Fp32 ? 4 : 2, weights = sum(plan, Role::Parameter);
            EXPECT_EQ(sum(plan, Role::Communication), 1000 * width) << enumName(kind) << " " << enumName(precision);
            const double ranks = kind == ParallelKind::Zero1 ? 8 : 1;
            EXPECT_NEAR(double(sum(plan, Role::OptimizerState)), 2.0 * double(weights) / ranks, 0.001 * double(weights))
                << enumName(kind) << " " << enumName(precision);
        }
    }
}

// Its table is as large as all the rest: whoever has it has nothing else.
TEST(ZeroRedundancyOptimizer, leavesATensorsStatesOnOneRank)
{
    ModelSpec m = smallModel();
    m.head.tied = true;
    m.vocab = 20000;
    const Bytes table = Bytes{m.vocab} * m.hidden * 8;
    RunConfig c = eagerConfig(ParallelKind::Zero1);
    const auto states = [](const StepPlan &plan) {
        Bytes bytes = 0;
        for (const Buffer &b : plan.buffers)
            bytes += b.role == Role::OptimizerState ? b.bytes * (b.perLayer ? plan.layers : 1) : 0;
        return double(bytes);
    };
    EXPECT_NEAR(states(planOf(c, m)), double(table), 0.001 * double(table));
    EXPECT_EQ(countInDataGroup(planOf(c, m), OpKind::AllReduce, Phase::Backward), m.layers + 1)
        << "gradients are DDP's";
    c.framework = Framework::Megatron;
    EXPECT_LT(states(planOf(c, m)), 0.2 * double(table)) << "Megatron's optimizer has equal parts of one flat buffer";
}

} // namespace
} // namespace slipway
