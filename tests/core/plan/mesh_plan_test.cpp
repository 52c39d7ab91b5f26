// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the steps of our own trainer send when the axes of a mesh split them, and the shards that each rank keeps.
#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "core/plan/mesh_fixtures.h"
#include "plan/placement.h"
#include "plan/walk.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::meshConfig;
using testing::modelOf;
using testing::Planned;
using testing::planned;

Bytes bytesOf(const StepPlan &plan, OpKind kind, std::string_view axis, std::string_view block = {})
{
    Bytes bytes = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        const Kernel &kernel = plan.at(visit.op.kernel);
        const bool inBlock = block.empty() || plan.at(visit.slot.block).name == block;
        if (inBlock && kernel.kind == kind && kernel.group != GroupId::None &&
            plan.groups[static_cast<std::size_t>(kernel.group)].axis == axis)
            bytes += kernel.messageBytes;
    });
    return bytes;
}

// Korthikanti et al. 2022 (arXiv 2205.05198), section 4.2.2: an all-gather and a reduce-scatter for each of attention
// and MLP, there and back, and in backward an all-gather more for each weight gradient of a split input.
TEST(TensorParallelPlan, MovesTheStreamAsOftenAsMegatronDoes)
{
    const ModelSpec model = modelOf(3, false);
    const RunConfig config = meshConfig(4, 1);
    const Planned mesh = planned(model, config);
    const Bytes stream = config.tokensPerMicroBatch() * model.hidden * 4;
    EXPECT_EQ(bytesOf(mesh.stages[0], OpKind::AllGather, "tp", "layer_forward"), 3 * 2 * stream);
    EXPECT_EQ(bytesOf(mesh.stages[0], OpKind::ReduceScatter, "tp", "layer_forward"), 3 * 2 * stream);
    EXPECT_EQ(bytesOf(mesh.stages[0], OpKind::AllGather, "tp", "layer_backward"), 3 * 4 * stream);
    EXPECT_EQ(bytesOf(mesh.stages[0], OpKind::ReduceScatter, "tp", "layer_backward"), 3 * 2 * stream);
}

TEST(TensorParallelPlan, HasARanksShareOfEveryMatrixAndAllOfTheNorms)
{
    const ModelSpec model = modelOf(2, false);
    const StepPlan one = planned(model, meshConfig(1, 1)).stages[0], four = planned(model, meshConfig(4, 1)).stages[0];
    std::map<std::string, std::int64_t> whole;
    for (const ParameterTensor &tensor : one.tensors)
        whole[tensor.name] = tensor.rows * tensor.columns;
    for (const ParameterTensor &tensor : four.tensors) {
        const bool split = tensor.placement != WeightPlacement::Whole;
        EXPECT_EQ(tensor.rows * tensor.columns * (split ? 4 : 1), whole.at(tensor.name)) << tensor.name;
        EXPECT_EQ(split, !tensor.name.ends_with("norm")) << tensor.name;
    }
}

TEST(Placement, SharesRowsAndColumnsAndLeavesTheLastRankTheRest)
{
    const WeightSlice whole{.firstRow = 0, .rows = 10, .firstColumn = 0, .columns = 7};
    EXPECT_EQ(sliceOf(WeightPlacement::Rows, whole, 4, 1), (WeightSlice{3, 3, 0, 7}));
    EXPECT_EQ(sliceOf(WeightPlacement::Rows, whole, 4, 3), (WeightSlice{9, 1, 0, 7}));
    EXPECT_EQ(sliceOf(WeightPlacement::Columns, whole, 2, 1), (WeightSlice{0, 10, 4, 3}));
    EXPECT_EQ(sliceOf(WeightPlacement::Rows, whole, 8, 7).elements(), 0);
    EXPECT_EQ(sliceOf(WeightPlacement::Whole, whole, 4, 2), whole);
}

// One number per token for the norm of the queries, and one for that of the keys: forward, backward, and again if the
// forward pass is recomputed. The weights are sharded like the heads.
TEST(TensorParallelPlan, SumsOneNumberPerTokenAndNormOverAllHeads)
{
    ModelSpec model = modelOf(3, false);
    model.attention.kvHeads = 2;
    RunConfig config = meshConfig(4, 1);
    const auto summed = [&](std::string_view block) {
        return bytesOf(planned(model, config).stages[0], OpKind::AllReduce, "tp", block);
    };
    model.attention.qkNorm = QkNorm::Head;
    const Bytes others = summed("layer_backward"), numbers = 3 * config.tokensPerMicroBatch() * 2 * 4;
    EXPECT_EQ(summed("layer_forward"), 0);
    const Bytes wholeWeights = 3 * 2 * model.attention.headDim * 4;
    model.attention.qkNorm = QkNorm::Full;
    EXPECT_EQ(summed("layer_forward"), numbers);
    EXPECT_EQ(summed("layer_backward"), others - wholeWeights + numbers);
    config.recompute = Recompute::Full;
    EXPECT_EQ(summed("layer_backward"), others - wholeWeights + 2 * numbers);

    const StepPlan plan = planned(model, config).stages[0];
    const auto norm = std::ranges::find(plan.tensors, "qk_norm_all_heads", &ParameterTensor::name);
    EXPECT_EQ(norm->rows, 2 * model.attention.headDim + model.attention.headDim); // two query heads, one key head
    EXPECT_EQ(norm->replicatedRows, model.attention.headDim);
}

// Two norms of each of three layers, and the last one, whatever the number of micro-batches.
TEST(ReplicatedWeights, SumTheGradientsOfNormsOnceAStep)
{
    const ModelSpec model = modelOf(3, false);
    for (const int accumulated : {1, 3}) {
        RunConfig config = meshConfig(4, 1);
        config.gradAccum = accumulated;
        const StepPlan plan = planned(model, config).stages[0];
        Bytes bytes = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
            if (visit.op.name.ends_with("_tensor_reduce"))
                bytes += plan.at(visit.op.kernel).messageBytes;
        });
        EXPECT_EQ(bytes, Bytes{2 * 3 + 1} * model.hidden * 4) << accumulated;
    }
}

// The ranks of a pipeline, of contexts and of data have all heads.
TEST(TensorParallelPlan, SumsNothingForNormsOverAllHeadsOnOtherAxes)
{
    ModelSpec model = modelOf(4, false);
    model.attention.qkNorm = QkNorm::Full;
    const StepPlan plan = planned(model, meshConfig(1, 2, 2, ParallelKind::Ddp, 2)).stages[0];
    EXPECT_TRUE(std::ranges::none_of(
        plan.kernels, [](const Kernel &k) { return k.kind == OpKind::QkNormSquares || k.kind == OpKind::QkNormDots; }));
}

// Each rank has key heads; of fewer heads than ranks neighbors have the same, and sum their gradients.
TEST(TensorParallelPlan, SumsTheGradientsOfKeyHeadsThatRanksShare)
{
    ModelSpec model = modelOf(3, false);
    model.attention.kvHeads = 2;
    const StepPlan plan = planned(model, meshConfig(8, 1)).stages[0];
    EXPECT_EQ(plan.kvReplicas, 4);
    const auto qkv = std::find_if(
        plan.tensors.begin(), plan.tensors.end(), [](const ParameterTensor &tensor) { return tensor.name == "qkv"; });
    EXPECT_EQ(qkv->rows, 3 * model.attention.headDim); // a head of queries, keys and values each
    EXPECT_EQ(qkv->replicatedRows, 2 * model.attention.headDim);
    EXPECT_EQ(bytesOf(plan, OpKind::AllReduce, "kv"), 3 * qkv->replicatedRows * model.hidden * 4);
}

// All wait in one stream. The next layer's messages between tensor-parallel ranks wait for the sums over the same
// ranks, and so for whatever runs before these.
TEST(TensorParallelPlan, SumsGradientsOverTensorRanksBeforeDataRanks)
{
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull}) {
        const StepPlan plan = planned(modelOf(3, false), meshConfig(2, 1, 2, kind)).stages[0];
        int overTensorRanks = 0, overDataRanks = 0;
        for (const Block &block : plan.blocks) {
            bool reducesData = false;
            for (const Op &op : block.ops) {
                const GroupId group = plan.at(op.kernel).group;
                if (op.stream != Stream::Reduce || op.phase != Phase::Backward || group == GroupId::None)
                    continue;
                const std::string &axis = plan.groups[static_cast<std::size_t>(group)].axis;
                overTensorRanks += axis == "tp";
                overDataRanks += axis == "dp";
                EXPECT_FALSE(reducesData && axis == "tp") << block.name << " " << op.name;
                reducesData = reducesData || axis == "dp";
            }
        }
        EXPECT_GT(overTensorRanks, 0) << enumName(kind);
        EXPECT_GT(overDataRanks, 0) << enumName(kind);
    }
}

// Ranks have equal parts of the stream, which rows behind the last token fill up.
TEST(TensorParallelPlan, FillsUpTokensThatDoNotDivide)
{
    const ModelSpec model = modelOf(3, false);
    RunConfig config = meshConfig(4, 1);
    config.microBatch = 1;
    config.seqLen = 13;
    const StepPlan plan = planned(model, config).stages[0];
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "tp", "layer_forward"), 3 * 2 * 16 * model.hidden * 4);
}

// Grattafiori et al. 2024 (arXiv 2407.21783), section 3.3.2: keys and values of all ranks are gathered; backward
// gathers them again and reduces and scatters their gradients.
TEST(ContextParallelPlan, GathersTheKeysOfEachLayerTwiceAndScattersTheirGradientsOnce)
{
    ModelSpec model = modelOf(3, false);
    model.attention.kvHeads = 2;
    const RunConfig config = meshConfig(1, 1, 1, ParallelKind::Ddp, 4);
    const StepPlan plan = planned(model, config).stages[0];
    const Bytes keys = config.tokensPerMicroBatch() * 2 * model.kvWidth() * 4;
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "cp", "layer_forward"), 3 * keys);
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "cp", "layer_backward"), 3 * keys);
    EXPECT_EQ(bytesOf(plan, OpKind::ReduceScatter, "cp", "layer_backward"), 3 * keys);
    EXPECT_EQ(bytesOf(plan, OpKind::ReduceScatter, "cp", "layer_forward"), 0);
}

// Liu et al. 2023 (arXiv 2310.01889), section 3: each rank passes on every rank's keys and values but the last, n - 1
// times; in backward their gradients go as far.
TEST(RingAttentionPlan, PassesTheKeysOfEachRankAndTheirGradientsRoundTheRing)
{
    ModelSpec model = modelOf(3, false);
    model.attention.kvHeads = 2;
    for (const int ranks : {2, 4}) {
        RunConfig config = meshConfig(1, 1, 1, ParallelKind::Ddp, ranks);
        config.contextExchange = ContextExchange::Ring;
        const StepPlan plan = planned(model, config).stages[0];
        const Bytes own = config.tokensPerMicroBatch() / ranks * 2 * model.kvWidth() * 4;
        for (const OpKind kind : {OpKind::Send, OpKind::Receive}) {
            EXPECT_EQ(bytesOf(plan, kind, "cp", "layer_forward"), 3 * (ranks - 1) * own);
            EXPECT_EQ(bytesOf(plan, kind, "cp", "layer_backward"), 3 * 2 * (ranks - 1) * own);
        }
        EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "cp"), 0);
        Bytes held = 0;
        for (const Buffer &buffer : plan.buffers)
            held += buffer.name.starts_with("ring_keys") ? buffer.bytes : 0;
        EXPECT_EQ(held, 2 * own); // whatever the number of ranks
    }
}

// What a rank sends and takes is on streams of its own, so that it overlaps with attention.
TEST(RingAttentionPlan, OverlapsMessagesWithAttention)
{
    RunConfig config = meshConfig(1, 1, 1, ParallelKind::Ddp, 4);
    config.contextExchange = ContextExchange::Ring;
    const StepPlan plan = planned(modelOf(3, false), config).stages[0];
    forEachOp(plan, Repetitions::Once, [&](const Visit &visit) {
        const OpKind kind = plan.at(visit.op.kernel).kind;
        if (kind == OpKind::Send || kind == OpKind::Receive) {
            EXPECT_EQ(visit.op.stream, kind == OpKind::Send ? Stream::Reduce : Stream::Gather) << visit.op.name;
        }
    });
}

TEST(ContextParallelPlan, ExchangesThatOurTrainerDoesNotRunAreRefused)
{
    RunConfig config = meshConfig(1, 1, 1, ParallelKind::Ddp, 2);
    const auto refused = [&] {
        const Result<RunPlan> plan = buildPlan(config, modelOf(2, false));
        return plan ? std::string() : plan.error().message();
    };
    config.contextExchange = ContextExchange::AllToAll;
    EXPECT_THAT(refused(), HasSubstr("--context-exchange"));
    config.contextExchange = ContextExchange::Ring;
    EXPECT_EQ(refused(), "");
    config.attention = Attention::Vanilla;
    EXPECT_THAT(refused(), HasSubstr("auto or gather"));
    config.contextExchange = ContextExchange::Gather;
    EXPECT_EQ(refused(), "");
    config.framework = Framework::PytorchEager;
    EXPECT_THAT(refused(), HasSubstr("auto, ring or all-to-all"));
}

// Every pair of a query and a key that it sees is computed once.
TEST(ContextParallelPlan, SharesTheWorkOfAttentionOutEqually)
{
    ModelSpec model = modelOf(3, false);
    for (const int window : {0, 5}) {
        model.pattern = {{.window = window}};
        const auto flops = [&](int cp) {
            const StepPlan plan = planned(model, meshConfig(1, 1, 1, ParallelKind::Ddp, cp)).stages[0];
            const auto attention = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                [](const Kernel &kernel) { return kernel.kind == OpKind::FlashAttention; });
            return attention->flops;
        };
        EXPECT_DOUBLE_EQ(flops(4), flops(1) / 4) << "window " << window;
        RunConfig ring = meshConfig(1, 1, 1, ParallelKind::Ddp, 4);
        ring.contextExchange = ContextExchange::Ring;
        const StepPlan plan = planned(model, ring).stages[0];
        double inTurns = 0;
        forEachOp(plan, Repetitions::Once, [&](const Visit &visit) {
            const Kernel &kernel = plan.at(visit.op.kernel);
            inTurns += kernel.kind == OpKind::FlashAttention ? kernel.flops : 0;
        });
        EXPECT_DOUBLE_EQ(inTurns, 3 * flops(4)) << "window " << window;
    }
}

// Every rank has a range of each expert's width and routes all tokens: the stream moves as often as for an MLP.
TEST(TensorParallelPlan, MovesTheStreamOfExpertsAsOftenAsThatOfAnMlp)
{
    ModelSpec model = modelOf(3, false);
    model.experts = {.count = 4, .perToken = 2, .sharedWidth = 16, .sharedGate = true};
    const RunConfig config = meshConfig(4, 1);
    const StepPlan plan = planned(model, config).stages[0];
    const Bytes stream = config.tokensPerMicroBatch() * model.hidden * 4;
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "tp", "layer_forward"), 3 * 2 * stream);
    EXPECT_EQ(bytesOf(plan, OpKind::ReduceScatter, "tp", "layer_forward"), 3 * 2 * stream);
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "tp", "layer_backward"), 3 * 4 * stream);
    EXPECT_EQ(bytesOf(plan, OpKind::ReduceScatter, "tp", "layer_backward"), 3 * 2 * stream);
    const StepPlan one = planned(model, meshConfig(1, 1)).stages[0];
    std::map<std::string, std::int64_t> whole;
    for (const ParameterTensor &tensor : one.tensors)
        whole[tensor.name] = tensor.rows * tensor.columns;
    for (const ParameterTensor &tensor : plan.tensors) {
        const bool split = !tensor.name.ends_with("norm") && tensor.name != "router" && tensor.name != "shared_gate";
        EXPECT_EQ(tensor.placement != WeightPlacement::Whole, split) << tensor.name;
        EXPECT_EQ(tensor.rows * tensor.columns * (split ? 4 : 1), whole.at(tensor.name)) << tensor.name;
    }
}

// GShard (Lepikhin et al. 2020, arXiv 2006.16668): rows go to their experts and come back, and so do their gradients.
TEST(ExpertParallelPlan, SendsEachRowToItsExpertAndBack)
{
    ModelSpec model = modelOf(3, false);
    model.experts = {.count = 8, .perToken = 2};
    RunConfig config = meshConfig(1, 1, 4, ParallelKind::Ddp);
    config.parallel.ep = 4;
    const StepPlan plan = planned(model, config).stages[0];
    const Bytes rows = config.tokensPerMicroBatch() * 2 * model.hidden * 4;
    EXPECT_EQ(bytesOf(plan, OpKind::AllToAll, "ep", "layer_forward"), 3 * 2 * rows);
    EXPECT_EQ(bytesOf(plan, OpKind::AllToAll, "ep", "layer_backward"), 3 * 2 * rows);
    EXPECT_EQ(bytesOf(plan, OpKind::AllGather, "ep"), 3 * 4 * 9 * 4); // where each rank's rows begin
    EXPECT_EQ(bytesOf(plan, OpKind::AllReduce, "edp"), 0);            // every expert is on one rank
}

TEST(ExpertParallelPlan, HasARanksShareOfTheExpertsAndAllOfTheRest)
{
    ModelSpec model = modelOf(2, false);
    model.experts = {.count = 8, .perToken = 2, .sharedWidth = 16};
    RunConfig config = meshConfig(1, 1, 4, ParallelKind::Ddp);
    const StepPlan one = planned(model, config).stages[0];
    config.parallel.ep = 4;
    const StepPlan four = planned(model, config).stages[0];
    std::map<std::string, std::int64_t> whole;
    for (const ParameterTensor &tensor : one.tensors)
        whole[tensor.name] = tensor.rows;
    for (const ParameterTensor &tensor : four.tensors)
        EXPECT_EQ(tensor.rows * (tensor.name.starts_with("experts_") ? 4 : 1), whole.at(tensor.name)) << tensor.name;
}

// Every micro-batch goes over each border once, and its gradient comes back.
TEST(PipelinePlan, SendsTheStreamOverEachBorderOnceForEachMicroBatch)
{
    const ModelSpec model = modelOf(4, false);
    RunConfig config = meshConfig(1, 4);
    config.gradAccum = 6;
    const Planned mesh = planned(model, config);
    const Bytes stream = config.tokensPerMicroBatch() * model.hidden * 4;
    for (int stage = 0; stage < 4; ++stage) {
        const int borders = (stage > 0) + (stage < 3);
        for (const OpKind kind : {OpKind::Send, OpKind::Receive}) {
            const StepPlan &plan = mesh.stages[static_cast<std::size_t>(stage)];
            EXPECT_EQ(bytesOf(plan, kind, "pp") + bytesOf(plan, kind, kGradientAxis), 6 * borders * stream);
        }
    }
}

// Narayanan et al. 2021, section 2.2: v parts on each of p stages have p v - 1 borders, in place of p - 1.
TEST(PipelinePlan, InterleavedStagesSendOverTheBordersOfAllParts)
{
    RunConfig config = meshConfig(1, 2);
    config.parallel.virtualStages = 3;
    config.gradAccum = 4;
    const Planned mesh = planned(modelOf(6, false), config);
    const Bytes stream = config.tokensPerMicroBatch() * 32 * 4;
    const auto sent = [&](std::size_t stage, std::string_view on, std::string_view back) {
        return std::pair(
            bytesOf(mesh.stages[stage], OpKind::Send, on), bytesOf(mesh.stages[stage], OpKind::Send, back));
    };
    EXPECT_EQ(sent(0, "pp", kWrapGradientAxis), std::pair(4 * 3 * stream, 4 * 2 * stream));
    EXPECT_EQ(sent(1, kWrapAxis, kGradientAxis), std::pair(4 * 2 * stream, 4 * 3 * stream));
}

// Narayanan et al. 2021 (arXiv 2104.04473), section 2.2: one forward, one backward holds at most as many micro-batches
// as there are stages from this one to the last.
TEST(PipelinePlan, HoldsNoMoreMicroBatchesThanStagesFollow)
{
    RunConfig config = meshConfig(1, 4);
    config.gradAccum = 9;
    const Planned mesh = planned(modelOf(4, false), config);
    for (int stage = 0; stage < 4; ++stage)
        EXPECT_EQ(mesh.stages[static_cast<std::size_t>(stage)].microBatchesInFlight, 4 - stage);
}

TEST(PipelinePlan, GivesTheStagesAllLayersAndTheEndsTheirWeights)
{
    const Planned mesh = planned(modelOf(5, true), meshConfig(1, 3));
    int layers = 0;
    for (const StepPlan &stage : mesh.stages) {
        EXPECT_EQ(stage.modelLayer(0), layers);
        layers += stage.layers;
    }
    EXPECT_EQ(layers, 5);
    const auto has = [](const StepPlan &plan, std::string_view tensor) {
        return std::any_of(
            plan.tensors.begin(), plan.tensors.end(), [tensor](const ParameterTensor &t) { return t.name == tensor; });
    };
    EXPECT_TRUE(has(mesh.stages[0], "embedding"));
    EXPECT_FALSE(has(mesh.stages[1], "embedding"));
    EXPECT_TRUE(has(mesh.stages[2], "embedding")); // the head's table, tied
    EXPECT_TRUE(mesh.stages[2].units.front().copy);
    EXPECT_FALSE(has(mesh.stages[0], "final_norm"));
    EXPECT_TRUE(has(mesh.stages[2], "final_norm"));
}

struct Refused {
    int tp, pp, gpus;
    ParallelKind kind;
    const char *flag;
};

TEST(MeshPlan, WhatDoesNotDivideIsRefusedByItsFlag)
{
    const ModelSpec model = modelOf(3, false);
    for (const Refused &r : {Refused{3, 1, 3, ParallelKind::None, "--tp"}, {16, 1, 16, ParallelKind::None, "--tp"},
             {1, 4, 4, ParallelKind::None, "--pp"}, {2, 2, 6, ParallelKind::Ddp, "--gpus"},
             {2, 1, 4, ParallelKind::None, "--parallel"}}) {
        RunConfig config = meshConfig(r.tp, r.pp);
        config.parallel.gpus = r.gpus;
        config.parallel.kind = r.kind;
        const Result<RunPlan> plan = buildPlan(config, model);
        ASSERT_FALSE(plan) << r.flag;
        EXPECT_EQ(plan.error().where, r.flag);
        EXPECT_FALSE(plan.error().accepted.empty());
    }
}

struct RefusedSchedule {
    PipelineSchedule schedule;
    int pp, parts;
    std::int64_t microBatches;
    const char *flag, *accepted;
};

TEST(PipelinePlan, SchedulesThatTheMeshCannotRunAreRefusedByTheirFlag)
{
    using enum PipelineSchedule;
    for (const RefusedSchedule &r : {RefusedSchedule{GPipe, 1, 1, 4, "--pipeline-schedule", "--pp 2 or more"},
             {Interleaved, 2, 1, 4, "--virtual-stages", "2 or more"},
             {ZeroBubble, 2, 2, 4, "--virtual-stages", "1, or"}, {Auto, 2, 3, 4, "--virtual-stages", "2 or 4"},
             {Interleaved, 4, 2, 6, "--grad-accum", "4 or 8"}, {GPipe, 2, 1, 5000, "--grad-accum", "1 to 256"}}) {
        RunConfig config = meshConfig(1, r.pp);
        config.parallel.schedule = r.schedule;
        config.parallel.virtualStages = r.parts;
        config.gradAccum = r.microBatches;
        const Result<RunPlan> plan = buildPlan(config, modelOf(8, false));
        ASSERT_FALSE(plan) << r.flag;
        EXPECT_EQ(plan.error().where, r.flag) << plan.error().message();
        EXPECT_THAT(plan.error().accepted, HasSubstr(r.accepted)) << plan.error().message();
    }
}

TEST(MeshCoordinate, CountsTensorRanksFirstThenDataThenStages)
{
    const RunConfig config = meshConfig(2, 2, 3, ParallelKind::FsdpFull);
    const Planned mesh = planned(modelOf(4, false), config);
    EXPECT_EQ(
        coordinateOf(mesh.stages[0], 5), (MeshCoordinate{.tensor = 1, .data = 2, .copy = 2, .shard = 2, .stage = 0}));
    EXPECT_EQ(
        coordinateOf(mesh.stages[1], 8), (MeshCoordinate{.tensor = 0, .data = 1, .copy = 1, .shard = 1, .stage = 1}));
    EXPECT_EQ(coordinateText(config.parallel, 8), "dp 1, tp 0, pp 1");
    EXPECT_EQ(coordinateText(meshConfig(1, 1).parallel, 0), "");
    const RunConfig parts = meshConfig(2, 1, 2, ParallelKind::Ddp, 2);
    EXPECT_EQ(coordinateOf(planned(modelOf(4, false), parts).stages[0], 6),
        (MeshCoordinate{.context = 1, .data = 1, .copy = 3, .stage = 0}));
    EXPECT_EQ(coordinateText(parts.parallel, 6), "dp 1, cp 1, tp 0");
}

// Ranks keep the places that data parallelism as one axis gave them.
TEST(Mesh, HasReplicasAndShardsOfDataParallelismAsTwoAxes)
{
    RunConfig config = meshConfig(1, 1, 8, ParallelKind::Hsdp);
    config.parallel.gpusPerNode = 2;
    const Mesh mesh = meshOf(config.parallel);
    EXPECT_EQ(mesh.replicate, (MeshAxis{4, 2}));
    EXPECT_EQ(mesh.shard, (MeshAxis{2, 1}));
    EXPECT_EQ(coordinateText(config.parallel, 5), "dp replicate 2, dp shard 1");
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 16, .gpusPerNode = 8, .tp = 2, .pp = 1, .cp = 2};
    EXPECT_EQ(coordinateText(config.parallel, 15), "dp replicate 1, dp shard 1, cp 1, tp 1");
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16, .tp = 2, .cp = 2};
    EXPECT_EQ(meshOf(config.parallel).replicate, (MeshAxis{4, 4}));
    EXPECT_EQ(meshOf(config.parallel).shard.size, 1);
    config.parallel.kind = ParallelKind::Zero1;
    EXPECT_EQ(meshOf(config.parallel).replicate.size, 1);
    EXPECT_EQ(meshOf(config.parallel).shard, (MeshAxis{4, 4}));
    EXPECT_EQ(coordinateText(config.parallel, 15), "dp 3, cp 1, tp 1");
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 4, .gpusPerNode = 1};
    EXPECT_EQ(meshOf(config.parallel).replicate, (MeshAxis{4, 1})) << "nodes of one GPU shard nothing";
    EXPECT_EQ(coordinateText(config.parallel, 3), "");
}

TEST(Mesh, GivesEachRankItsPlacesAndThePlanItsGroups)
{
    for (const ParallelKind kind :
        {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
        for (const auto &[tp, cp, pp] : {std::array{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 2}}) {
            RunConfig config = meshConfig(tp, pp, 4, kind, cp);
            config.parallel.gpusPerNode = tp * cp * pp * 2;
            const Mesh mesh = meshOf(config.parallel);
            const StepPlan plan = planned(modelOf(4, false), config).stages[0];
            EXPECT_EQ(plan.mesh, mesh);
            EXPECT_EQ(mesh.ranks(), config.parallel.gpus);
            EXPECT_EQ(mesh.dataRanks(), 4);
            EXPECT_EQ(mesh.shards.size * mesh.replicas.size, mesh.copies().size);
            EXPECT_EQ(mesh.shards.size, kind == ParallelKind::Ddp ? 1 : mesh.shard.size * cp);
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                int sum = 0;
                for (const MeshAxis &axis : {mesh.pipeline, mesh.replicate, mesh.shard, mesh.context, mesh.tensor})
                    sum += axis.placeOf(rank) * axis.stride;
                EXPECT_EQ(sum, rank);
                const MeshCoordinate place = coordinateOf(plan, rank);
                EXPECT_EQ(place.data, mesh.replicate.placeOf(rank) * mesh.shard.size + mesh.shard.placeOf(rank));
                EXPECT_EQ(place.stage, stageOf(config.parallel, rank));
            }
            for (const Group &group : plan.groups) {
                if (group.axis == "replicas") {
                    EXPECT_EQ((MeshAxis{group.size, group.stride}), mesh.replicas);
                    EXPECT_EQ(kind, ParallelKind::Hsdp);
                } else if (group.axis == "dp") {
                    EXPECT_EQ(
                        (MeshAxis{group.size, group.stride}), kind == ParallelKind::Hsdp ? mesh.shards : mesh.copies());
                }
            }
        }
    }
}

} // namespace
} // namespace slipway
