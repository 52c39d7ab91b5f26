// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What profiles of frameworks set in a plan: outputs of compiled models, states on the host, units of FSDP, heads that
// context-parallel ranks trade.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "plan/walk.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

RunConfig simulated(Framework framework = Framework::PytorchEager)
{
    RunConfig config = smallConfig();
    config.framework = framework;
    config.precision = Precision::Bf16Mixed;
    return config;
}

RunConfig sharded(ParallelKind kind)
{
    RunConfig config = simulated();
    config.parallel.kind = kind;
    config.parallel.gpus = 4;
    return config;
}

// The most bytes of buffers that a name's beginning picks, alive at once.
template<typename Picks>
Bytes mostAlive(const StepPlan &plan, Picks picks)
{
    Bytes alive = 0, most = 0;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        const auto bytes = [&](const Use &u) { return picks(plan.at(u.buffer)) ? plan.at(u.buffer).bytes : 0; };
        for (const Use &use : v.op.allocations)
            alive += bytes(use);
        most = std::max(most, alive);
        for (const Use &use : v.op.frees)
            alive -= bytes(use);
    });
    return most;
}

Bytes bytesOfRole(const StepPlan &plan, Role role)
{
    Bytes bytes = 0;
    for (const Buffer &buffer : plan.buffers) {
        if (buffer.role == role)
            bytes += buffer.bytes * (buffer.perLayer ? plan.layers : 1);
    }
    return bytes;
}

// PyTorch 2.11's graphs: half logits, their gradient, and zeros for the gradient of the logits that are an output.
TEST(CompiledModel, ThatHandsOutItsLogitsIsGivenAGradientOfThem)
{
    const auto isLogits = [](const Buffer &buffer) { return buffer.role == Role::Logits; };
    RunConfig config = simulated(Framework::PytorchCompile);
    const Bytes half = Bytes{2} * 2 * 16 * 100;
    config.simulated.lossPath = LossPath::Compiled;
    EXPECT_EQ(mostAlive(planOf(config), isLogits), 2 * half);
    config.simulated.lossPath = LossPath::CompiledOutput;
    EXPECT_EQ(mostAlive(planOf(config), isLogits), 3 * half);
    config.simulated.lossPath = LossPath::CompiledWhole;
    testing::setTorch(config, "2.5");
    EXPECT_EQ(mostAlive(planOf(config), isLogits), 2 * half) << "PyTorch 2.5 does not write over what it saved";
    testing::setTorch(config, "2.6");
    EXPECT_EQ(mostAlive(planOf(config), isLogits), half);
}

// DeepSpeed 0.19.8 flattens half gradients and makes them fp32 when it steps, a group of 1e9 numbers at a time in the
// third stage; a bucket is filled while another is summed where communication overlaps.
TEST(DeepSpeedStep, FlattensAndWidensThisRanksGradients)
{
    const auto named = [](std::string name) {
        return [name = "zero." + std::move(name)](const Buffer &buffer) { return buffer.name == name; };
    };
    for (const ParallelKind kind : {ParallelKind::FsdpFull, ParallelKind::FsdpGradOp}) {
        RunConfig config = sharded(kind);
        config.simulated.sharder = Sharder::DeepSpeed;
        const StepPlan plan = planOf(config);
        const double own = double(parameterCount(smallModel())) / 4;
        EXPECT_NEAR(double(mostAlive(plan, named("flat_gradients"))), 2 * own, 0.05 * own) << enumName(kind);
        EXPECT_NEAR(double(mostAlive(plan, named("own_gradients"))), 4 * own, 0.05 * own) << enumName(kind);
    }
    RunConfig config = sharded(ParallelKind::FsdpGradOp);
    config.simulated.sharder = Sharder::DeepSpeed;
    config.simulated.reduceBucket = 1000;
    EXPECT_EQ(mostAlive(planOf(config), named("bucket")), 2000);
    config.simulated.overlapReduce = true;
    EXPECT_EQ(mostAlive(planOf(config), named("bucket")), 4000);
}

// InternEvo 0.2.2, solver/optimizer/fsdp_optimizer.py: of each number, a rank has a half weight and gradient, and an
// fp32 copy of both while it steps.
TEST(HalfModel, HasFp32CopiesOfTheShardsOfFsdp)
{
    RunConfig config = sharded(ParallelKind::FsdpFull);
    config.simulated.halfModel = true;
    const StepPlan plan = planOf(config);
    const double own = double(parameterCount(smallModel())) / 4;
    EXPECT_NEAR(double(bytesOfRole(plan, Role::Parameter)), 2 * own, 0.05 * own);
    EXPECT_NEAR(double(bytesOfRole(plan, Role::MasterWeight)), 4 * own, 0.05 * own);
    EXPECT_NEAR(double(bytesOfRole(plan, Role::OptimizerState)), 8 * own, 0.05 * own);
    EXPECT_NEAR(double(mostAlive(plan, [](const Buffer &buffer) { return buffer.name == "main_gradients"; })), 4 * own,
        0.05 * own);
}

TEST(HostOffload, LeavesNeitherStatesNorMastersOnTheGpu)
{
    RunConfig config = sharded(ParallelKind::FsdpFull);
    config.simulated.sharder = Sharder::DeepSpeed;
    EXPECT_GT(bytesOfRole(planOf(config), Role::OptimizerState), 0);
    EXPECT_GT(bytesOfRole(planOf(config), Role::MasterWeight), 0);
    config.hostOffload = HostOffload::Optimizer;
    const StepPlan plan = planOf(config);
    EXPECT_EQ(bytesOfRole(plan, Role::OptimizerState), 0);
    EXPECT_EQ(bytesOfRole(plan, Role::MasterWeight), 0);
    // Each rank's quarter of every unit goes down as half gradients, is updated, and comes back as half weights.
    std::int64_t updated = 0, moved = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &kernel = plan.at(v.op.kernel);
        if (kernel.kind == OpKind::HostCopy)
            (v.op.name == "cpu_adam" ? updated : moved) += kernel.messageBytes;
    });
    EXPECT_NEAR(double(updated), double(parameterCount(smallModel())) / 4, 0.05 * double(parameterCount(smallModel())));
    EXPECT_EQ(moved, updated * 4);
}

TEST(HostOffload, OfWeightsLeavesNoShardOfThem)
{
    RunConfig config = sharded(ParallelKind::FsdpFull);
    const Bytes before = bytesOfRole(planOf(config), Role::Parameter);
    config.hostOffload = HostOffload::Weights;
    EXPECT_LT(bytesOfRole(planOf(config), Role::Parameter), before / 10);
}

// Without a wrapping policy all weights are gathered at once.
TEST(FsdpUnits, AreOneWhereNobodyWrapsLayers)
{
    const auto isGathered = [](const Buffer &buffer) { return buffer.name.ends_with(".gathered"); };
    RunConfig config = sharded(ParallelKind::FsdpFull);
    const Bytes all = 2 * parameterCount(smallModel());
    EXPECT_LT(mostAlive(planOf(config), isGathered), all);
    config.simulated.wrapLayers = false;
    const StepPlan plan = planOf(config);
    Bytes gathered = 0;
    for (const Buffer &buffer : plan.buffers)
        gathered += isGathered(buffer) ? buffer.bytes * (buffer.perLayer ? plan.layers : 1) : 0;
    EXPECT_NEAR(double(gathered), double(all), 0.05 * double(all));
}

TEST(FsdpGathers, ThatNobodyLimitsRunAhead)
{
    RunConfig config = sharded(ParallelKind::FsdpFull);
    ModelSpec model = smallModel();
    model.layers = 6;
    config.simulated.limitGathers = true;
    const auto all = [](const Buffer &) { return true; };
    const Bytes limited = mostAlive(planOf(config, model), all);
    config.simulated.limitGathers = false;
    // Six layers less the two of any plan.
    EXPECT_NEAR(double(mostAlive(planOf(config, model), all) - limited), 4.0 * 2 * double(blockParameterCount(model)),
        0.1 * 4 * 2 * double(blockParameterCount(model)));
}

TEST(FsdpGathers, HoldOneLayerInBackwardWithoutPrefetch)
{
    RunConfig config = sharded(ParallelKind::FsdpFull);
    const StepPlan ahead = planOf(config);
    config.simulated.backwardPrefetch = false;
    const StepPlan late = planOf(config);
    const auto mostInBackward = [](const StepPlan &plan) {
        int alive = 0, most = 0;
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
            const auto layers = [&](const std::vector<Use> &uses) {
                return static_cast<int>(std::count_if(uses.begin(), uses.end(),
                    [&](const Use &use) { return plan.at(use.buffer).name == "layer.gathered"; }));
            };
            alive += layers(v.op.allocations);
            if (v.op.phase == Phase::Backward)
                most = std::max(most, alive);
            alive -= layers(v.op.frees);
        });
        EXPECT_EQ(alive, 0);
        return most;
    };
    EXPECT_EQ(mostInBackward(ahead), 2);
    EXPECT_EQ(mostInBackward(late), 1);
}

// The kernel of the first op of this name; empty: there is none.
std::optional<Kernel> kernelOf(const StepPlan &plan, std::string_view name)
{
    std::optional<Kernel> found;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        if (!found && v.op.name == name)
            found = plan.at(v.op.kernel);
    });
    return found;
}

TEST(ChunkedLoss, AddsTheGradientOfTheHeadOnceForEachLaterChunk)
{
    RunConfig config = simulated();
    config.simulated.lossPath = LossPath::Chunked;
    const std::optional<Kernel> sum = kernelOf(planOf(config), "head_accumulate");
    ASSERT_TRUE(sum);
    const Bytes head = Bytes{100} * 32 * 4; // in fp32
    EXPECT_EQ(sum->calls, 7) << "of 8 chunks";
    EXPECT_EQ(sum->bytesWritten, 7 * head);
    EXPECT_EQ(sum->bytesRead, 2 * 7 * head);
}

TEST(FrozenWeights, AreUnpackedFromAByteOrHalfAByteEach)
{
    RunConfig config = simulated();
    config.precision = Precision::Bf16;
    config.loraRank = 4;
    const auto read = [&](FrozenWeights stored) {
        config.frozenWeights = stored;
        const std::optional<Kernel> unpack = kernelOf(planOf(config), "down_unpack");
        return unpack ? unpack->bytesRead : 0;
    };
    EXPECT_EQ(read(FrozenWeights::Int8), 48 * 32);
    EXPECT_EQ(read(FrozenWeights::Nf4), 48 * 32 / 2);
}

// Transformers before 4.49. Log-probabilities, their gradient and that of the logits are 12 bytes a logit; so are fp32
// logits, their copy and log-probabilities, to which a loss function that is called with the half logits adds 2.
TEST(LogitsCopy, TakesAndMovesTheBytesOfItsRelease)
{
    RunConfig config = simulated();
    config.precision = Precision::Bf16;
    config.simulated.lossPath = LossPath::Upcast;
    const auto mostAndMoved = [&](LogitsCopy copy) {
        config.simulated.logitsCopy = copy;
        const StepPlan plan = planOf(config, smallModel());
        Bytes entries = 0, moved = 0;
        for (const Buffer &buffer : plan.buffers)
            entries = buffer.name == "logits" ? buffer.bytes / 2 : entries;
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
            const Kernel &kernel = plan.at(v.op.kernel);
            if (kernel.kind == OpKind::Elementwise && kernel.cost == CostClass::Loss)
                moved += kernel.bytesRead + kernel.bytesWritten;
        });
        const Bytes most = mostAlive(plan, [](const Buffer &buffer) { return buffer.role == Role::Logits; });
        return std::pair(double(most) / double(entries), double(moved) / double(entries));
    };
    const auto [most, moved] = mostAndMoved(LogitsCopy::None);
    EXPECT_EQ(most, 12);
    for (const auto &[copy, alive, more] : {std::tuple(LogitsCopy::BeforeUpcast, 12, 2 * 2 + 3 * 2),
             std::tuple(LogitsCopy::AfterUpcast, 12, 2 * 4 + 3 * 4),
             std::tuple(LogitsCopy::InLoss, 14, 2 * 4 + 3 * 4)}) {
        const auto [mostThere, movedThere] = mostAndMoved(copy);
        EXPECT_EQ(mostThere, alive) << enumName(copy);
        EXPECT_NEAR(movedThere - moved, more, 1e-9) << enumName(copy);
    }
}

// An all-to-all gives a rank its heads over the whole sequence: as many FLOPs as a balanced ring.
TEST(ContextExchange, TradesPartsOfTheSequenceForHeads)
{
    RunConfig config = simulated();
    testing::setTorch(config, "2.6"); // whose ring is balanced
    config.parallel.gpus = config.parallel.cp = 2;
    config.parallel.kind = ParallelKind::FsdpFull;
    const auto flopsAndExchanges = [](const StepPlan &plan) {
        std::pair<double, int> found{0, 0};
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            const Kernel &kernel = plan.at(v.op.kernel);
            found.first += kernel.kind == OpKind::FlashAttention ? kernel.flops : 0;
            found.second += kernel.kind == OpKind::AllToAll;
        });
        return found;
    };
    const auto ring = flopsAndExchanges(planOf(config));
    config.contextExchange = ContextExchange::AllToAll;
    const auto heads = flopsAndExchanges(planOf(config));
    EXPECT_EQ(ring.second, 0);
    EXPECT_EQ(heads.second, 3 * 4) << "to heads and back, forward and backward, in each of three layers";
    EXPECT_DOUBLE_EQ(heads.first, ring.first);
}

TEST(StateShards, AreAsManyAsTheFrameworkSpreadsStatesOver)
{
    RunConfig config = simulated(Framework::Megatron);
    config.parallel.kind = ParallelKind::Zero1;
    config.parallel.gpus = 4;
    const Bytes four = bytesOfRole(planOf(config), Role::OptimizerState);
    config.simulated.stateShards = 2;
    EXPECT_NEAR(double(bytesOfRole(planOf(config), Role::OptimizerState)), 2.0 * double(four), 64);
}

} // namespace
} // namespace slipway
