// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The orders of a pipeline's schedules, and plans that follow them.
#include "plan/pipeline_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "plan/build_plan.h"
#include "plan/lifetimes.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using enum PipelineSchedule;

Parallelism pipelineOf(PipelineSchedule schedule, int stages, int parts = 1)
{
    return {.gpus = stages, .pp = stages, .virtualStages = parts, .schedule = schedule};
}

std::string textOf(const std::vector<PipelineAction> &order)
{
    std::string text;
    for (const PipelineAction &action : order)
        text += (text.empty() ? "" : " ") + std::string(1, "-FBW"[static_cast<int>(action.pass)]) +
                std::to_string(action.microBatch) + (action.modelChunk > 0 ? "'" : "");
    return text;
}

TEST(PipelineOrder, GPipeRunsAllForwardPassesFirst)
{
    EXPECT_EQ(textOf(pipelineOrder(pipelineOf(GPipe, 2), 0, 3)), "F0 F1 F2 B0 B1 B2");
}

TEST(PipelineOrder, RunsAheadByTheStagesThatFollow)
{
    const Parallelism mesh = pipelineOf(OneForwardOneBackward, 3);
    EXPECT_EQ(textOf(pipelineOrder(mesh, 0, 4)), "F0 F1 F2 B0 F3 B1 B2 B3");
    EXPECT_EQ(textOf(pipelineOrder(mesh, 2, 3)), "F0 B0 F1 B1 F2 B2");
    EXPECT_EQ(textOf(pipelineOrder(mesh, 0, 1)), "F0 B0");
}

// Narayanan et al. 2021, figure 4: four micro-batches, two stages with two model chunks each.
TEST(PipelineOrder, InterleavedPartsTakeTurns)
{
    const Parallelism mesh = pipelineOf(Interleaved, 2, 2);
    EXPECT_EQ(textOf(pipelineOrder(mesh, 0, 4)), "F0 F1 F0' F1' F2 B0' F3 B1' F2' B0 F3' B1 B2' B3' B2 B3");
    EXPECT_EQ(textOf(pipelineOrder(mesh, 1, 2)), "F0 F1 F0' B0' F1' B1' B0 B1");
}

// Qi et al. 2023, section 2.2: later stages owe the gradients of more weights.
TEST(PipelineOrder, ZeroBubbleLeavesGradientsOfWeightsForTheEnd)
{
    const Parallelism mesh = pipelineOf(ZeroBubble, 3);
    EXPECT_EQ(textOf(pipelineOrder(mesh, 0, 4)), "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3");
    EXPECT_EQ(textOf(pipelineOrder(mesh, 2, 4)), "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3");
    EXPECT_EQ(textOf(pipelineOrder(mesh, 2, 1)), "F0 B0 W0");
}

// Micro-batches at work at the same time: all with GPipe, as many as stages follow with 1F1B, those of the first stage
// on every stage with ZB-H1.
TEST(PipelineOrder, HoldsAsManyMicroBatchesAsTheScheduleAllows)
{
    for (int stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(foldedOrder(pipelineOf(GPipe, 4), stage, 9).instances, 9);
        EXPECT_EQ(foldedOrder(pipelineOf(OneForwardOneBackward, 4), stage, 9).instances, 4 - stage);
        EXPECT_EQ(foldedOrder(pipelineOf(ZeroBubble, 4), stage, 9).instances, 4);
    }
}

std::vector<PipelineAction> unfolded(const FoldedOrder &folded)
{
    std::vector<PipelineAction> order = folded.before;
    const auto add = [&](const std::vector<PipelineAction> &actions, std::int64_t shift) {
        for (PipelineAction action : actions) {
            action.microBatch += shift;
            order.push_back(action);
        }
    };
    for (std::int64_t i = 0; i < folded.repeat; ++i)
        add(folded.round, i * folded.roundMicroBatches);
    add(folded.after, (folded.repeat - 1) * folded.roundMicroBatches);
    return order;
}

Parallelism randomPipeline(std::mt19937 &random)
{
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    const auto schedule = static_cast<PipelineSchedule>(draw(1, 4));
    return pipelineOf(schedule, draw(2, 6), schedule == Interleaved ? draw(2, 4) : 1);
}

TEST(PipelineOrder, FoldsWhatRepeatsAndNothingElse)
{
    std::mt19937 random(1);
    int repeated = 0;
    for (int i = 0; i < 500; ++i) {
        const Parallelism mesh = randomPipeline(random);
        const int stage = std::uniform_int_distribution(0, mesh.pp - 1)(random);
        std::int64_t microBatches = std::uniform_int_distribution(1, 120)(random);
        if (mesh.virtualStages > 1)
            microBatches = roundUp(microBatches, mesh.pp);
        const FoldedOrder folded = foldedOrder(mesh, stage, microBatches);
        repeated += folded.repeat > 1;
        ASSERT_EQ(unfolded(folded), pipelineOrder(mesh, stage, microBatches))
            << enumName(mesh.schedule) << " pp " << mesh.pp << " stage " << stage << " m " << microBatches;
        EXPECT_GE(folded.instances, instancesOf(pipelineOrder(mesh, stage, microBatches)));
    }
    EXPECT_GT(repeated, 100);
}

TEST(PipelineOrder, OfAMillionMicroBatchesIsShort)
{
    const FoldedOrder folded = foldedOrder(pipelineOf(Interleaved, 4, 2), 0, 1'000'000);
    EXPECT_LT(folded.before.size() + folded.round.size() + folded.after.size(), 300U);
    EXPECT_EQ(static_cast<std::int64_t>(folded.before.size() + folded.after.size()) +
                  folded.repeat * std::ssize(folded.round),
        4'000'000);
}

// What the slots of a plan say, action by action.
std::vector<PipelineAction> actionsOf(const StepPlan &plan)
{
    std::vector<PipelineAction> actions;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        const PipelineAction action{visit.slot.pass, visit.slot.modelChunk, visit.microBatch};
        if (action.pass != PipelinePass::None && (actions.empty() || actions.back() != action))
            actions.push_back(action);
    });
    return actions;
}

TEST(PipelinePlan, FollowsTheOrderOfItsSchedule)
{
    ModelSpec model = testing::smallModel();
    model.layers = 8;
    for (const Parallelism &mesh : {pipelineOf(GPipe, 4), pipelineOf(OneForwardOneBackward, 4),
             pipelineOf(Interleaved, 4, 2), pipelineOf(Interleaved, 2, 4), pipelineOf(ZeroBubble, 4)}) {
        RunConfig config = testing::smallConfig();
        config.parallel = mesh;
        for (const int microBatches : {4, 12, 48}) {
            config.gradAccum = microBatches;
            for (int stage = 0; stage < mesh.pp; ++stage)
                EXPECT_EQ(actionsOf(buildStage(config, model, stage)), pipelineOrder(mesh, stage, microBatches))
                    << enumName(mesh.schedule) << " stage " << stage << " micro-batches " << microBatches;
        }
    }
}

// GPipe lists every micro-batch. Those with the same slots are checked once, and any other one is checked itself.
TEST(PipelinePlan, OfGPipeIsCheckedInEveryMicroBatch)
{
    RunConfig config = testing::smallConfig();
    config.parallel = pipelineOf(GPipe, 2);
    config.gradAccum = 12;
    const StepPlan plan = buildStage(config, testing::smallModel(), 0);
    for (int microBatch = 0; microBatch < 12; ++microBatch) {
        for (const PipelinePass pass : {PipelinePass::Forward, PipelinePass::Backward}) {
            StepPlan lacking = plan;
            int dropped = 0, first = 0;
            for (Segment &segment : lacking.schedule) {
                dropped += static_cast<int>(std::erase_if(segment.slots, [&](const Slot &slot) {
                    return first + slot.microBatch == microBatch && slot.pass == pass &&
                           lacking.at(slot.block).layered && slot.index == 0;
                }));
                first += segment.repeat * segment.microBatches;
            }
            EXPECT_EQ(dropped, 1);
            EXPECT_FALSE(markAllocations(lacking).empty())
                << static_cast<int>(pass) << " of micro-batch " << microBatch;
        }
    }
    StepPlan again = plan;
    EXPECT_TRUE(markAllocations(again).empty());
    EXPECT_EQ(again, plan);
}

// Each of the model's layers is on one stage, and model chunks go round the stages.
TEST(PipelinePlan, GivesInterleavedStagesPartsOfTheModelInTurn)
{
    ModelSpec model = testing::smallModel();
    model.layers = 8;
    RunConfig config = testing::smallConfig();
    config.parallel = pipelineOf(Interleaved, 2, 2);
    config.gradAccum = 2;
    EXPECT_THAT(buildStage(config, model, 0).layerNumbers, ::testing::ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(buildStage(config, model, 1).layerNumbers, ::testing::ElementsAre(2, 3, 6, 7));
}

Flops flopsOf(const StepPlan &plan)
{
    Flops flops = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        if (plan.at(visit.op.kernel).kind == OpKind::Gemm)
            flops += plan.at(visit.op.kernel).flops;
    });
    return flops;
}

// A split backward has the same GEMMs, those of weights in a block of their own, and leaves none of them behind.
TEST(PipelinePlan, SplitsBackwardWithoutMoreOrFewerGemms)
{
    RunConfig config = testing::smallConfig();
    config.gradAccum = 5;
    for (const int tp : {1, 2}) {
        config.parallel = pipelineOf(OneForwardOneBackward, 3);
        config.parallel.tp = tp;
        config.parallel.gpus *= tp;
        const StepPlan whole = buildStage(config, testing::smallModel(), 1);
        config.parallel.schedule = ZeroBubble;
        const StepPlan split = buildStage(config, testing::smallModel(), 1);
        EXPECT_DOUBLE_EQ(flopsOf(split), flopsOf(whole));
        for (const Block &block : split.blocks) {
            for (const Op &op : block.ops) {
                const Kernel &kernel = split.at(op.kernel);
                if (kernel.kind == OpKind::Gemm) {
                    EXPECT_EQ(kernel.form == GemmForm::WeightGradient, block.name == "layer_weights") << op.name;
                }
            }
        }
    }
}

} // namespace
} // namespace slipway
