// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "config/resolve_model.h"
#include "hardware/processor_rates.h"
#include "one_billion.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"

namespace slipway {
namespace {

using testing::oneBillion;
using testing::predicted;

TEST(Predict, peakIsReservedPlusWhatLiesOutsideTheAllocator)
{
    const MemoryPrediction m = predicted(oneBillion()).memory;
    EXPECT_EQ(m.peak, m.peakReserved + m.outsideAllocator);
    EXPECT_EQ(m.headroom, m.capacity - m.peak);
    EXPECT_LE(m.peakP10, m.peak);
    EXPECT_GE(m.peakP90, m.peak);
    const Bytes byRole = std::accumulate(m.atPeak.begin(), m.atPeak.end(), Bytes{0});
    EXPECT_LE(byRole, m.peakAllocated);
    EXPECT_LT(m.peakAllocated - byRole, kMiB) << "only rounding is between them";
}

// By the rates of the configuration's GPU. The trainer records what its plan says.
TEST(Predict, writesTheChoiceOfACudaGraphIntoThePlan)
{
    int graphs = 0, launches = 0;
    for (const bool small : {true, false}) {
        for (const char *gpu : {"a100-sxm-40gb", "h100-sxm-80gb", "b200-sxm-180gb"}) {
            RunConfig config = oneBillion();
            config.gpu = gpu;
            if (small) {
                config.model.hidden = config.model.vocab = 256;
                config.model.heads = config.model.kvHeads = 4;
                config.model.ffn = 688;
                config.seqLen = 64;
                config.microBatch = 1;
            }
            const Result<RunPlan> plan = planOf(config, catalogue());
            ASSERT_TRUE(plan) << plan.error().message();
            const bool graph = plan->stages.front().cudaGraph;
            EXPECT_EQ(predict(config, catalogue()).value().speed.cudaGraph, graph) << small << " " << gpu;
            std::vector<StepPlan> stages{buildStage(config, resolveModel(config.model, catalogue()).value(), 0)};
            chooseGraphs(stages, config, catalogue());
            EXPECT_EQ(stages.front().cudaGraph, graph);
            (graph ? graphs : launches) += 1;
        }
    }
    EXPECT_GT(graphs, 0);
    EXPECT_GT(launches, 0);
}

TEST(Predict, calibratedMemoryBandwidthIsThatOfMixedTypesToo)
{
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchEager; // has a rate of its own for operands of two types
    ResolvedConfig resolved = resolveConfig(config, catalogue()).value();
    const DeviceRates shipped = calibratedRates(resolved, catalogue());
    resolved.calibration.set(Constant::MemoryBandwidth, 0.5);
    const DeviceRates calibrated = calibratedRates(resolved, catalogue());
    ASSERT_GT(shipped.mixedBandwidth, 0);
    EXPECT_DOUBLE_EQ(calibrated.memoryBandwidth, 0.5 * shipped.memoryBandwidth);
    EXPECT_DOUBLE_EQ(calibrated.mixedBandwidth, 0.5 * shipped.mixedBandwidth);
}

TEST(Predict, measuredRatesOfAProcessorAreThePeakThatMfuRefersTo)
{
    Catalogue measured = catalogue();
    const ProcessorFacts facts{.model = "Test 9000", .cores = 2, .hertz = 1e9, .fp32PerCycle = 32, .memory = 8 * kGiB};
    const auto cpu = std::find_if(measured.gpus.begin(), measured.gpus.end(), [](const Gpu &gpu) { return gpu.isCpu; });
    *cpu = measuredProcessor(facts, {.fp32Flops = 2e11, .copyBandwidth = 5e10, .asOf = "2026-11-23"}, measured.rates);
    RunConfig config = oneBillion();
    config.gpu = "cpu";
    config.precision = Precision::Fp32;
    const Prediction p = predict(config, measured).value();
    EXPECT_LT(p.speed.mfu, 1);
    *cpu = measuredProcessor(facts, {.fp32Flops = 4e11, .copyBandwidth = 1e11, .asOf = "2026-11-23"}, measured.rates);
    EXPECT_NEAR(predict(config, measured)->speed.step, p.speed.step / 2, 0.01 * p.speed.step) << "twice as fast";
    EXPECT_TRUE(testing::hasNote(p, "measured on 2026-11-23: a peak of 200 GFLOP/s"));
}

TEST(Predict, holdsStatesOfEighteenBytesAParameterAtLeast)
{
    const MemoryPrediction m = predicted(oneBillion()).memory;
    EXPECT_EQ(m.atPeak[static_cast<std::size_t>(Role::Parameter)], 970'458'240 * 2);
    EXPECT_EQ(m.atPeak[static_cast<std::size_t>(Role::MasterWeight)], 970'458'240 * 4LL);
    EXPECT_EQ(m.atPeak[static_cast<std::size_t>(Role::OptimizerState)], 970'458'240 * 8LL);
}

TEST(Predict, maxMicroBatchFitsAndOneMoreDoesNot)
{
    for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
        RunConfig config = oneBillion();
        config.recompute = recompute;
        const std::int64_t largest = predicted(config).memory.maxMicroBatch;
        ASSERT_GT(largest, 1);
        config.microBatch = largest;
        EXPECT_NE(predicted(config).memory.verdict, Verdict::Oom);
        config.microBatch = largest + 1;
        EXPECT_EQ(predicted(config).memory.verdict, Verdict::Oom);
    }
}

TEST(Predict, moreSequencesNeverNeedLessMemory)
{
    RunConfig config = oneBillion();
    config.model.name = "100M"; // the loss's logits are its largest part
    config.seqLen = 512;
    config.recompute = Recompute::Full;
    Bytes before = 0;
    for (config.microBatch = 1; config.microBatch <= 40; ++config.microBatch) {
        const Bytes peak = predicted(config).memory.peakAllocated;
        EXPECT_GE(peak, before) << config.microBatch;
        before = peak;
    }
}

TEST(Predict, theLargestMicroBatchFitsAPipelineThatGoesOnAfterItIsFilled)
{
    RunConfig config = oneBillion();
    config.gpu = "l4-24gb";
    config.framework = Framework::PytorchCompile;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8, .pp = 2};
    config.gradAccum = 8;
    config.microBatch = predicted(config).memory.maxMicroBatch;
    ASSERT_GT(config.microBatch, 1);
    EXPECT_NE(predicted(config).memory.verdict, Verdict::Oom);
    ++config.microBatch;
    EXPECT_EQ(predicted(config).memory.verdict, Verdict::Oom);
}

// Measured: 28 sequences ran with 135.5 GiB reserved, 29 ran out of memory (docs/measurements/h200.csv).
TEST(Predict, findsTheLargestMicroBatchThatAnH200Holds)
{
    RunConfig config;
    config.model.layers = 24;
    config.model.hidden = 2560;
    config.model.heads = 20;
    config.model.ffn = 6912;
    config.model.vocab = 32000;
    config.gpu = "h200-sxm-141gb";
    config.seqLen = 2048;
    EXPECT_EQ(predicted(config).memory.maxMicroBatch, 28);
}

TEST(Predict, namesEachStagesOwnPeakAndShowsTheWorst)
{
    RunConfig config = oneBillion();
    config.framework = Framework::Megatron;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 6, .pp = 6};
    config.gradAccum = 12;
    config.model.layers = 15; // three for each of the first three stages, two for the others
    const Prediction p = predicted(config);
    ASSERT_EQ(p.memory.stages.size(), 6U);
    for (int i = 0; i < 6; ++i) {
        const StageMemory &stage = p.memory.stages[static_cast<std::size_t>(i)];
        EXPECT_EQ(stage.stage, i);
        EXPECT_EQ(stage.peak, stage.reserved + p.memory.outsideAllocator);
        EXPECT_LE(stage.peak, p.memory.peak);
    }
    // Of 1F1B's stages each holds a micro-batch less than the one before.
    for (std::size_t i = 1; i + 2 < 6; ++i)
        EXPECT_LT(p.memory.stages[i + 1].allocated, p.memory.stages[i].allocated) << i;
    EXPECT_EQ(p.memory.stages[static_cast<std::size_t>(p.memory.stage)].peak, p.memory.peak);
    EXPECT_EQ(p.memory.stages[static_cast<std::size_t>(p.memory.stage)].allocated, p.memory.peakAllocated);
    EXPECT_NE(toText(p).find("stages 0: "), std::string::npos) << toText(p);
    EXPECT_EQ(predicted(oneBillion()).memory.stages.size(), 1U);
}

TEST(Predict, aPipelineIsFilledByOneMicroBatchOnEachOtherStage)
{
    RunConfig config = oneBillion();
    config.framework = Framework::Megatron;
    config.parallel = {.kind = ParallelKind::None, .gpus = 2, .pp = 2};
    const auto steps =
        [&](int vocabulary) { // of one micro-batch more, and of what the step has besides its micro-batches
            config.model.vocab = vocabulary;
            config.gradAccum = 8;
            const Seconds eight = predicted(config).speed.step;
            config.gradAccum = 16;
            const Seconds more = (predicted(config).speed.step - eight) / 8;
            return std::pair(more, eight - 8 * more);
        };
    const auto [small, smallRest] = steps(32'000);
    const auto [large, largeRest] = steps(1'024'000); // on the last stage alone, which the other does not wait for
    EXPECT_GT(large, 2 * small);
    EXPECT_LT(largeRest, smallRest + (large - small)) << "the other stage has no head";
    EXPECT_GT(smallRest, 0.3 * small);
}

TEST(Predict, layersOfAPipelineAreCountedOn)
{
    RunConfig config = oneBillion();
    config.framework = Framework::Megatron;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .pp = 4};
    config.model.layers = 10; // 3, 3, 2, 2
    const RunPlan plan = planOf(config, catalogue()).value();
    EXPECT_EQ(plan.stages.back().modelLayer(0), 8);
    EXPECT_EQ(plan.stages.back().layers, 2);
}

TEST(Predict, whatCannotFitHasNoMicroBatch)
{
    RunConfig config = oneBillion();
    config.memoryGib = 4;
    const MemoryPrediction m = predicted(config).memory;
    EXPECT_EQ(m.maxMicroBatch, 0);
    EXPECT_EQ(m.verdict, Verdict::Oom);
    EXPECT_LT(m.headroom, 0);
}

TEST(Predict, shardedPytorchFlushesItsCacheOnceOrTwiceWhereItsSegmentsAlmostFillTheCard)
{
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchEager;
    config.gradAccum = 2;
    config.parallel.kind = ParallelKind::FsdpFull;
    config.parallel.gpus = 2;
    const Prediction free = predicted(config);
    const auto within = [&](double bytes) {
        config.memoryGib = (bytes + double(free.memory.outsideAllocator)) / double(kGiB);
        return predicted(config);
    };
    const double live = double(free.memory.peakAllocated), segments = double(free.memory.peakReserved);
    ASSERT_GT(live, 0.94 * segments);
    EXPECT_EQ(free.memory.retries, 0);
    const Prediction fitting = within(0.999 * segments);
    EXPECT_LT(fitting.memory.retries, 2 * 2) << "one or two flushes for each micro-batch are enough";
    EXPECT_GT(fitting.memory.retries, 0);
    EXPECT_LT(fitting.speed.tokensPerSecond, free.speed.tokensPerSecond);
    EXPECT_EQ(within(1.001 * segments).memory.retries, 0);
    EXPECT_EQ(within(0.95 * live).memory.verdict, Verdict::Oom);
}

TEST(Predict, callsOutOfMemoryWhatDiesOfMedianResidualsWithoutShards)
{
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchCompile;
    const Prediction free = predicted(config);
    const auto within = [&](double bytes) {
        config.memoryGib = (bytes + double(free.memory.outsideAllocator)) / double(kGiB);
        return predicted(config).memory.verdict;
    };
    const double live = double(free.memory.peakAllocated), segments = double(free.memory.peakReserved);
    EXPECT_NE(within(1.001 * segments), Verdict::Oom);
    EXPECT_EQ(within(1.01 * live), Verdict::Oom) << "such runs take 1.037 times as much";
}

TEST(Predict, countsCublasWorkspacesOfBothOfPytorchsThreads)
{
    constexpr auto workspace = static_cast<std::size_t>(Role::Workspace);
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchEager;
    const MemoryPrediction hopper = predicted(config).memory;
    config.gpu = "a100-sxm-80gb";
    const MemoryPrediction ampere = predicted(config).memory;
    EXPECT_EQ(hopper.atPeak[workspace] - ampere.atPeak[workspace], 2 * (32 * kMiB - 8 * kMiB - 128 * kKiB));
    EXPECT_EQ(hopper.peakAllocated - ampere.peakAllocated, hopper.atPeak[workspace] - ampere.atPeak[workspace]);
    EXPECT_EQ(hopper.peakReserved - ampere.peakReserved, hopper.atPeak[workspace] - ampere.atPeak[workspace]);
}

TEST(Predict, modelFlopsUtilisationIsTheContractsFormula)
{
    const Prediction p = predicted(oneBillion());
    const double matmul = double(matmulParameterCount(p.model));
    const double flops = 6 * matmul + 12.0 * p.model.layers * p.model.attention.heads * p.model.attention.headDim *
                                          double(p.config.seqLen);
    EXPECT_NEAR(p.speed.mfu, flops * p.speed.tokensPerSecond / p.gpu.bf16Flops, 1e-9);
    EXPECT_GT(p.speed.mfu, 0.1);
    EXPECT_LT(p.speed.mfu, 0.8);
    EXPECT_DOUBLE_EQ(p.speed.hfu, p.speed.mfu);
    EXPECT_LT(p.speed.mfuCausal, p.speed.mfu);
}

TEST(Predict, recomputationRaisesTheHardwaresWorkAndLowersTheSpeed)
{
    RunConfig config = oneBillion();
    const SpeedPrediction none = predicted(config).speed;
    config.recompute = Recompute::Full;
    const SpeedPrediction full = predicted(config).speed;
    EXPECT_LT(full.tokensPerSecond, none.tokensPerSecond);
    EXPECT_NEAR(full.hfu / full.mfu, 1.27, 0.06) << "one more forward of all but the head and the last projection";
}

TEST(Predict, oneRankOfManyHoldsWhatOneAloneHoldsAndAllAreFaster)
{
    RunConfig config = oneBillion();
    const Prediction one = predicted(config);
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    const Prediction eight = predicted(config);
    EXPECT_EQ(eight.memory.peakAllocated, one.memory.peakAllocated);
    EXPECT_GT(eight.memory.outsideAllocator, one.memory.outsideAllocator);
    EXPECT_GT(eight.speed.tokensPerSecond, 6 * one.speed.tokensPerSecond);
    EXPECT_LT(eight.speed.tokensPerSecond, 8 * one.speed.tokensPerSecond);
}

TEST(Predict, processorTrainsInFp32AndItsRanksShareIt)
{
    RunConfig config;
    config.model.name = "100M";
    config.gpu = "cpu";
    EXPECT_EQ(predict(config, catalogue()).error().where, "--precision");
    config.precision = Precision::Fp32;
    const Prediction one = predicted(config);
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    const Prediction two = predicted(config);
    EXPECT_EQ(two.memory.capacity, one.memory.capacity / 2);
    EXPECT_LT(two.speed.tokensPerSecond, 1.3 * one.speed.tokensPerSecond);
}

// Runs on other GPUs were mostly those of well tuned software, so that their errors are the smallest ones.
TEST(Predict, rangesOfAProfileThatWasNeverMeasuredAreNoNarrowerThanOfAMeasuredOne)
{
    const auto knowledge = [](const char *software) {
        const Catalogue &all = catalogue();
        return softwareKnowledge({.software = software}, *all.gpu("b200"), all.frameworks);
    };
    EXPECT_EQ(knowledge("trl"), SoftwareKnowledge::Profile) << "nothing was measured";
    EXPECT_EQ(knowledge("litgpt"), SoftwareKnowledge::OtherGpus) << "measured on an A100";
}

TEST(Predict, theNameOfAnEngineSaysNoMoreThanItsProfile)
{
    const Catalogue &all = catalogue();
    const auto knowledge = [&all](RunConfig config) {
        return softwareKnowledge(config, *all.gpu("h100"), all.frameworks);
    };
    for (const Framework engine : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        const std::string name(enumName(engine));
        EXPECT_EQ(knowledge({.framework = engine}), knowledge({.framework = engine, .software = name + "@2025-01"}))
            << name;
    }
    EXPECT_EQ(knowledge({.framework = Framework::Slipway}), SoftwareKnowledge::BuiltIn);
}

TEST(Predict, errorsNameTheFlag)
{
    RunConfig config = oneBillion();
    config.gpu = "h1000";
    EXPECT_EQ(predict(config, catalogue()).error().where, "--gpu");
    config = oneBillion();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 3, .cp = 3}; // does not divide 1,024 tokens
    EXPECT_EQ(predict(config, catalogue()).error().where, "--cp");
}

TEST(Predict, memoryOverStepPeaksWhereThePredictionSays)
{
    const Prediction p = predicted(oneBillion());
    const MemoryOverStep over = memoryOverStep(oneBillion(), catalogue()).value();
    Bytes largest = 0;
    std::string op;
    for (const MemoryOverStep::Point &point : over.points) {
        const Bytes sum = std::accumulate(point.bytes.begin(), point.bytes.end(), Bytes{0});
        if (sum > largest) {
            largest = sum;
            op = point.op;
        }
    }
    EXPECT_EQ(op, p.memory.peakAt.op);
    EXPECT_EQ(largest, std::accumulate(p.memory.atPeak.begin(), p.memory.atPeak.end(), Bytes{0}));
}

TEST(Predict, memoryOverAStepSaysHowManyOfTheMicroBatchesItShows)
{
    RunConfig config = oneBillion();
    config.gradAccum = 8;
    const MemoryOverStep over = memoryOverStep(config, catalogue()).value();
    EXPECT_EQ(over.microBatches, 8);
    EXPECT_LT(over.shownMicroBatches, 8);
    EXPECT_GE(over.shownMicroBatches, 1);
    config.gradAccum = 1;
    const MemoryOverStep whole = memoryOverStep(config, catalogue()).value();
    EXPECT_EQ(whole.microBatches, 1);
    EXPECT_EQ(whole.shownMicroBatches, 1);
}

} // namespace
} // namespace slipway
