// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/data_parallel.h"
#include "plan/lifetimes.h"
#include "plan/plan_text.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

constexpr int kRanks = 4;

RunConfig configOf(ParallelKind kind, std::int64_t gradAccum = 1, GradReduce reduce = GradReduce::Auto)
{
    RunConfig config = smallConfig();
    config.gradAccum = gradAccum;
    config.gradReduce = reduce;
    config.parallel = {.kind = kind, .gpus = kRanks, .gpusPerNode = kind == ParallelKind::Hsdp ? 2 : 8};
    return config;
}

std::int64_t paddedElements(const StepPlan &plan)
{
    std::int64_t sum = 0;
    for (const ParameterUnit &unit : plan.units)
        sum += unit.padded * (unit.perLayer ? plan.layers : 1);
    return sum;
}

// Bytes of all messages of a kind in a step, of one phase.
Bytes volume(const StepPlan &plan, OpKind kind, Phase phase, GroupId group = kShardGroup)
{
    Bytes sum = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &kernel = plan.at(v.op.kernel);
        if (kernel.kind == kind && v.op.phase == phase && kernel.group == group)
            sum += kernel.messageBytes;
    });
    return sum;
}

Bytes bytesOf(const StepPlan &plan, Role role)
{
    Bytes sum = 0;
    for (const Buffer &buffer : plan.buffers)
        sum +=
            buffer.scope == Scope::Run && buffer.role == role ? buffer.bytes * (buffer.perLayer ? plan.layers : 1) : 0;
    return sum;
}

struct Shape {
    ParallelKind kind;
    std::int64_t accum;
    GradReduce reduce;
    int layers;
    DType sums; // what is sent to sum gradients, and what weights are in
    [[nodiscard]] Bytes element() const { return sizeOf(sums); }
    [[nodiscard]] bool fsdp() const { return kind != ParallelKind::Ddp && kind != ParallelKind::Zero1; }
};

class EveryStrategy : public ::testing::TestWithParam<std::tuple<ParallelKind, GradReduce, ReduceType>> {
protected:
    // Calls check(plan, shape) for every way to combine the strategy with the rest.
    template<typename Check>
    static void forEachPlan(const Check &check)
    {
        const auto [kind, reduce, type] = GetParam();
        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
            for (const bool tied : {false, true}) {
                for (const std::int64_t accum : {1, 2, 4}) {
                    for (const int layers : {1, 3}) {
                        SCOPED_TRACE("recompute " + std::string(enumName(recompute)) +
                                     (tied ? ", tied, " : ", untied, ") + std::to_string(accum) + " micro-batches, " +
                                     std::to_string(layers) + " layers");
                        RunConfig config = configOf(kind, accum, reduce);
                        config.recompute = recompute;
                        config.reduceType = type;
                        if (type == ReduceType::Bf16)
                            config.precision = Precision::Bf16Mixed;
                        ModelSpec model = smallModel();
                        model.head.tied = tied;
                        model.layers = layers;
                        check(planOf(config, model),
                            Shape{kind, accum, reduce, layers, type == ReduceType::Bf16 ? DType::Bf16 : DType::Fp32});
                    }
                }
            }
        }
    }
};

TEST_P(EveryStrategy, isFreeOfUseAfterFreeDoubleFreeAndLeaks)
{
    forEachPlan([](StepPlan plan, const Shape &) { EXPECT_THAT(markAllocations(plan), ::testing::IsEmpty()); });
}

TEST_P(EveryStrategy, reducesGradientsByTheClosedFormula)
{
    forEachPlan([](const StepPlan &plan, const Shape &shape) {
        const std::int64_t reductions =
            shape.reduce == GradReduce::Step || (shape.reduce == GradReduce::Auto && !shape.fsdp()) ? 1 : shape.accum;
        EXPECT_EQ(
            volume(plan, shape.kind == ParallelKind::Ddp ? OpKind::AllReduce : OpKind::ReduceScatter, Phase::Backward),
            shape.element() * reductions * paddedElements(plan));
        EXPECT_EQ(volume(plan, OpKind::AllReduce, Phase::Backward, kReplicaGroup),
            shape.kind == ParallelKind::Hsdp ? shape.element() * paddedElements(plan) / 2 : 0);
        EXPECT_EQ(volume(plan, OpKind::AllGather, Phase::Optimizer),
            shape.kind == ParallelKind::Zero1 ? shape.element() * paddedElements(plan) : 0);
    });
}

TEST_P(EveryStrategy, gathersEveryParameterForForwardAndThoseThatWereLetGoForBackward)
{
    forEachPlan([](const StepPlan &plan, const Shape &shape) {
        const bool reshards = shape.kind == ParallelKind::FsdpFull || shape.kind == ParallelKind::Hsdp;
        EXPECT_EQ(volume(plan, OpKind::AllGather, Phase::Forward),
            shape.fsdp() ? shape.element() * shape.accum * paddedElements(plan) : 0);
        EXPECT_EQ(volume(plan, OpKind::AllGather, Phase::Backward),
            reshards ? shape.element() * shape.accum * plan.units[1].padded * shape.layers : 0);
    });
}

INSTANTIATE_TEST_SUITE_P(Plan, EveryStrategy,
    ::testing::Combine(::testing::Values(ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpGradOp,
                           ParallelKind::FsdpFull, ParallelKind::Hsdp),
        ::testing::Values(GradReduce::Auto, GradReduce::MicroBatch, GradReduce::Step),
        ::testing::Values(ReduceType::Fp32, ReduceType::Bf16)));

TEST(DataParallel, keepsOnARankWhatItsStrategySays)
{
    const auto bytes = [](ParallelKind kind, Role role) { return bytesOf(planOf(configOf(kind)), role); };
    const std::int64_t padded = paddedElements(planOf(configOf(ParallelKind::Zero1)));
    const std::int64_t exact = paddedElements(planOf(configOf(ParallelKind::Ddp)));
    EXPECT_EQ(bytes(ParallelKind::Ddp, Role::OptimizerState), 8 * exact);
    EXPECT_EQ(bytes(ParallelKind::Ddp, Role::Parameter), 4 * exact);
    EXPECT_EQ(bytes(ParallelKind::Zero1, Role::OptimizerState), 8 * padded / kRanks);
    EXPECT_EQ(bytes(ParallelKind::Zero1, Role::Parameter), 4 * padded);
    EXPECT_EQ(bytes(ParallelKind::FsdpGradOp, Role::Parameter), 4 * padded / kRanks);
    EXPECT_EQ(bytes(ParallelKind::FsdpFull, Role::OptimizerState), 8 * padded / kRanks);
    EXPECT_EQ(bytes(ParallelKind::Hsdp, Role::Parameter), 4 * paddedElements(planOf(configOf(ParallelKind::Hsdp))) / 2);
}

TEST(DataParallel, onNodesOfOneGpuHsdpIsWhatDdpIs)
{
    for (const GradReduce reduce : {GradReduce::Auto, GradReduce::Step, GradReduce::MicroBatch}) {
        RunConfig hsdp = configOf(ParallelKind::Hsdp, 2, reduce);
        hsdp.parallel.gpusPerNode = 1;
        EXPECT_EQ(dataParallelism(hsdp), dataParallelism(configOf(ParallelKind::Ddp, 2, reduce)));
    }
}

// Units with whole parameters at once, at every op.
std::size_t mostGathered(const StepPlan &plan)
{
    std::set<std::pair<std::size_t, int>> alive;
    std::size_t most = 0;
    const Instances instances(plan);
    const auto isGathered = [&](const Use &use) {
        return std::any_of(plan.units.begin(), plan.units.end(),
            [&](const ParameterUnit &unit) { return unit.gathered == use.buffer; });
    };
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const auto key = [&](const Use &use) {
            return std::pair(index(use.buffer), instances.of(use, v.slot.index, v.microBatch));
        };
        for (const Use &use : v.op.allocations) {
            if (isGathered(use))
                alive.insert(key(use));
        }
        most = std::max(most, alive.size());
        for (const Use &use : v.op.frees)
            alive.erase(key(use));
    });
    return most;
}

TEST(DataParallel, fullShardingGathersOneUnitAheadAndGradOpKeepsThemToTheirBackward)
{
    ModelSpec model = smallModel();
    model.layers = 12;
    EXPECT_EQ(mostGathered(planOf(configOf(ParallelKind::FsdpFull), model)), 2U);
    EXPECT_EQ(mostGathered(planOf(configOf(ParallelKind::FsdpGradOp), model)), 13U) << "every layer and the head";
}

TEST(DataParallel, aLayersFullGradientsGoWhenTheNextOnesAreReduced)
{
    const StepPlan plan = planOf(configOf(ParallelKind::FsdpFull, 2));
    const auto blocks = std::count_if(
        plan.blocks.begin(), plan.blocks.end(), [](const Block &b) { return b.name == "layer_backward"; });
    ASSERT_EQ(blocks, 6) << "last, middle and first layer, of the first micro-batch and of the others";
    const auto middle = std::find_if(plan.blocks.begin(), plan.blocks.end(), [](const Block &b) {
        return b.name == "layer_backward";
    }) + 1;
    EXPECT_EQ(toText(plan, middle->ops.front()),
        "layer_gather all_gather [1x7936 fp32] on gather reads "
        "layer.parameters-1 writes layer.gathered-1 allocates layer.gathered-1");
    EXPECT_EQ(toText(plan, middle->ops.back()), "layer_reduce reduce_scatter [1x7936 fp32] on reduce reads "
                                                "layer.full_gradients writes layer.gradients allocates "
                                                "layer.gradients frees layer.full_gradients+1");
}

TEST(DataParallel, zeroOneUpdatesItsPartInPlaceAndGathersTheRest)
{
    const StepPlan plan = planOf(configOf(ParallelKind::Zero1));
    const auto update = std::find_if(
        plan.blocks.begin(), plan.blocks.end(), [](const Block &b) { return b.name == "layer_optimizer"; });
    ASSERT_EQ(update->ops.size(), 2U);
    EXPECT_EQ(toText(plan, update->ops[0]), "adamw adamw [1x1984 fp32] reads layer.gradients@r*7936 gradient_norm2 "
                                            "writes layer.parameters@r*7936 layer.parameters@r*7936 "
                                            "layer.momentum layer.variance frees layer.gradients");
    EXPECT_EQ(toText(plan, update->ops[1]),
        "layer_gather all_gather [1x7936 fp32] on gather reads layer.parameters@r*7936 writes layer.parameters");
}

} // namespace
} // namespace slipway
