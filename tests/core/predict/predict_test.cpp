// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "hardware/processor_rates.h"
#include "predict/calibrated.h"
#include "predict/predict.h"

namespace slipway {
namespace {

const Catalogue &catalogue()
{
    static const Catalogue loaded = loadCatalogue().value();
    return loaded;
}

RunConfig oneBillion()
{
    RunConfig config;
    config.model.name = "1B";
    config.gpu = "h100-sxm-80gb";
    return config;
}

Prediction predicted(const RunConfig &config)
{
    Result<Prediction> p = predict(config, catalogue());
    EXPECT_TRUE(p) << (p ? "" : p.error().message());
    return *std::move(p);
}

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

TEST(Predict, calibratedMemoryBandwidthIsThatOfMixedTypesToo)
{
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchEager; // has a rate of its own for operands of two types
    Subject subject = resolveSubject(config, catalogue()).value();
    const DeviceRates shipped = calibratedRates(subject, catalogue());
    subject.calibration.set(Constant::MemoryBandwidth, 0.5);
    const DeviceRates calibrated = calibratedRates(subject, catalogue());
    ASSERT_GT(shipped.mixedBandwidth, 0);
    EXPECT_DOUBLE_EQ(calibrated.memoryBandwidth, 0.5 * shipped.memoryBandwidth);
    EXPECT_DOUBLE_EQ(calibrated.mixedBandwidth, 0.5 * shipped.mixedBandwidth);
}

TEST(Predict, measuredRatesOfAProcessorAreThePeakThatMfuRefersTo)
{
    Catalogue measured = catalogue();
    const ProcessorFacts facts{.model = "Test 9000", .cores = 2, .hertz = 1e9, .fp32PerCycle = 32, .memory = 8 * kGiB};
    const auto cpu = std::find_if(measured.gpus.begin(), measured.gpus.end(), [](const Gpu &gpu) { return gpu.isCpu; });
    *cpu = measuredProcessor(facts, {.fp32Flops = 2e11, .copyBandwidth = 5e10, .asOf = "2026-11-23"});
    RunConfig config = oneBillion();
    config.gpu = "cpu";
    config.precision = Precision::Fp32;
    const Prediction p = predict(config, measured).value();
    EXPECT_LT(p.speed.mfu, 1);
    *cpu = measuredProcessor(facts, {.fp32Flops = 4e11, .copyBandwidth = 1e11, .asOf = "2026-11-23"});
    EXPECT_NEAR(predict(config, measured)->speed.step, p.speed.step / 2, 0.01 * p.speed.step) << "twice as fast";
    EXPECT_TRUE(std::any_of(p.notes.begin(), p.notes.end(), [](const std::string &note) {
        return note.find("measured on 2026-11-23: a peak of 200 GFLOP/s") != std::string::npos;
    }));
}

TEST(Predict, holdsStatesOfEighteenBytesAParameterAtLeast)
{
    const MemoryPrediction m = predicted(oneBillion()).memory;
    EXPECT_EQ(m.atPeak[static_cast<std::size_t>(Role::Parameter)], 970'458'240 * 2);
    EXPECT_EQ(m.atPeak[static_cast<std::size_t>(Role::Master)], 970'458'240 * 4LL);
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

TEST(Predict, shardedPytorchGivesSegmentsBackInEveryLayerWhereItsLiveBytesAlmostFillTheCard)
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
    const Prediction nearly = within(0.999 * segments);
    EXPECT_GE(nearly.memory.retries, nearly.model.layers * 2);
    EXPECT_LT(nearly.speed.tokensPerSecond, 0.9 * free.speed.tokensPerSecond);
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

TEST(Predict, saysWhetherPublishedRunsStandBehindIt)
{
    RunConfig config = oneBillion();
    config.gpu = "a100-sxm-80gb";
    EXPECT_EQ(predicted(config).speedOrigin, Origin::Datasheet) << "nobody published a run of our own trainer";
    config.framework = Framework::Megatron;
    const Prediction megatron = predicted(config);
    EXPECT_EQ(megatron.speedOrigin, Origin::Published);
    EXPECT_EQ(megatron.memoryOrigin, Origin::Datasheet);
    EXPECT_TRUE(std::any_of(megatron.notes.begin(), megatron.notes.end(), [](const std::string &note) {
        return note.find("published runs on the A100 80GB SXM4 with megatron") != std::string::npos;
    }));
    config.gpu = "l4-24gb";
    EXPECT_EQ(predicted(config).speedOrigin, Origin::Datasheet);
}

TEST(Predict, saysWhereACardHasNoGemmsInBf16)
{
    RunConfig c = oneBillion();
    c.gpu = "v100-sxm2-16gb";
    c.framework = Framework::PytorchEager;
    const auto says = [&] {
        const Prediction p = predicted(c);
        return std::any_of(p.notes.begin(), p.notes.end(),
            [](const std::string &note) { return note.find("does not support bf16 GEMMs") != std::string::npos; });
    };
    EXPECT_TRUE(says());
    c.precision = Precision::Fp16Mixed;
    EXPECT_FALSE(says());
    c = oneBillion();
    c.gpu = "b200";
    EXPECT_FALSE(says()) << "compute capability 10.0";
}

TEST(Predict, saysWhichNetworkItAssumesBetweenNodes)
{
    const auto note = [](RunConfig c) {
        const Prediction p = predicted(c);
        const auto found = std::find_if(p.notes.begin(), p.notes.end(),
            [](const std::string &n) { return n.find("network bandwidth per node") != std::string::npos; });
        return found == p.notes.end() ? std::string() : *found;
    };
    RunConfig c = oneBillion();
    c.gpu = "a100-sxm-80gb";
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 16};
    EXPECT_EQ(note(c), "Assumed: 400 Gbit/s of network bandwidth per node (as on aws-p4de.24xlarge); --network-gbps "
                       "sets another value.");
    c.parallel.gpusPerNode = 2;
    EXPECT_EQ(note(c), "Assumed: 400 Gbit/s of network bandwidth per node (usual for nodes with this GPU); "
                       "--network-gbps sets another value.")
        << "200 a card";
    c.networkGbps = 100;
    EXPECT_EQ(note(c), "");
    c = oneBillion();
    EXPECT_EQ(note(c), "") << "one node";
}

TEST(Predict, saysThatAFewHoppersWithoutTheirFormAreOftenPcieCards)
{
    const auto says = [](const std::string &gpu, int gpus) {
        const Prediction p =
            predict({.model = "100M",
                        .gpu = gpu,
                        .parallel = {.kind = gpus > 1 ? ParallelKind::Ddp : ParallelKind::None, .gpus = gpus}},
                catalogue())
                .value();
        return std::any_of(p.notes.begin(), p.notes.end(),
            [](const std::string &note) { return note.find("--gpu h100-pcie-80gb") != std::string::npos; });
    };
    EXPECT_TRUE(says("H100", 1));
    EXPECT_TRUE(says("h100-80gb", 4));
    EXPECT_FALSE(says("H100", 8));
    EXPECT_FALSE(says("H100 SXM", 1));
    EXPECT_FALSE(says("h100-sxm-80gb", 1));
    EXPECT_FALSE(says("A100", 1));
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

TEST(Predict, suggestionsHoldWhatTheySayByAPlanOfTheirOwn)
{
    RunConfig config = oneBillion();
    config.gpu = "a100-sxm-40gb";
    config.attention = Attention::Vanilla;
    config.microBatch = 32;
    const Prediction p = predicted(config);
    ASSERT_EQ(p.memory.verdict, Verdict::Oom);
    ASSERT_FALSE(p.suggestions.empty());
    double fastest = p.suggestions.front().tokensPerSecond;
    for (const Suggestion &s : p.suggestions) {
        RunConfig changed = config;
        for (const auto &[key, value] : s.change)
            changed = applySetting(changed, key, value).value();
        const Prediction then = predicted(changed);
        EXPECT_NE(then.memory.verdict, Verdict::Oom) << s.why;
        EXPECT_EQ(then.memory.peak, s.peak);
        EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond);
        EXPECT_LE(s.tokensPerSecond, fastest);
        fastest = s.tokensPerSecond;
    }
}

TEST(Predict, suggestsSeveralChangesMoreRanksOrALargerCardWhereNoSingleChangeFits)
{
    RunConfig alone = oneBillion(), replicas = oneBillion();
    alone.model.name = "2B";
    alone.gpu = "rtx-4090-24gb";
    replicas.model.name = "8B";
    replicas.gpu = "a100-sxm-40gb";
    replicas.microBatch = 64;
    replicas.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    for (const RunConfig &config : {alone, replicas}) {
        const Prediction p = predicted(config);
        ASSERT_EQ(p.memory.verdict, Verdict::Oom);
        ASSERT_FALSE(p.suggestions.empty()) << config.model.name;
        for (const Suggestion &s : p.suggestions) {
            RunConfig changed = config;
            for (const auto &[key, value] : s.change)
                changed = applySetting(changed, key, value).value();
            const Prediction then = predicted(changed);
            EXPECT_EQ(s.goal, Goal::Fit);
            EXPECT_NE(then.memory.verdict, Verdict::Oom) << s.why;
            EXPECT_EQ(then.memory.peak, s.peak) << s.why;
            EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond) << s.why;
            EXPECT_EQ(changed.tokensPerStep(), config.tokensPerStep()) << s.why;
        }
    }
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

TEST(Predict, writesWhatASuggestionChangesAsTheConfigurationDoes)
{
    RunConfig config = oneBillion();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    config.microBatch = 64;
    const nlohmann::json p = nlohmann::json::parse(toJson(predicted(config)).dump());
    ASSERT_FALSE(p["suggestions"].empty());
    for (const auto &suggestion : p["suggestions"]) {
        for (const auto &[key, value] : suggestion["change"].items())
            EXPECT_EQ(value.is_number(), p["config"][key].is_number()) << key << ": " << value;
    }
}

TEST(Predict, errorsNameTheFlag)
{
    RunConfig config = oneBillion();
    config.gpu = "h1000";
    EXPECT_EQ(predict(config, catalogue()).error().where, "--gpu");
    config = oneBillion();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .tp = 2};
    EXPECT_EQ(predict(config, catalogue()).error().where, "--tp");
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

TEST(PredictionJson, hasEveryFieldOfTheContract)
{
    RunConfig config = oneBillion();
    config.microBatch = 4; // leaves room for a suggestion
    const nlohmann::ordered_json json = toJson(predicted(config));
    const std::vector<std::pair<std::string, std::vector<std::string>>> fields{
        {"", {"version", "config", "model", "memory", "speed", "cost", "origin", "suggestions"}},
        {"/model", {"name", "params", "params_active", "params_matmul", "flops_per_token"}},
        {"/memory", {"verdict", "capacity_bytes", "peak_bytes", "peak_p10_bytes", "peak_p90_bytes",
                        "peak_allocated_bytes", "peak_reserved_bytes", "outside_allocator_bytes", "headroom_bytes",
                        "max_micro_batch", "peak_at", "at_peak"}},
        {"/memory/peak_at", {"step", "phase", "op", "layer", "stage"}},
        {"/memory/stages/0", {"stage", "peak_bytes", "allocated_bytes", "reserved_bytes"}},
        {"/memory/at_peak",
            {"parameters", "masters", "gradients", "optimizer", "activations", "logits", "communication", "workspace"}},
        {"/speed", {"step_s", "step_p10_s", "step_p90_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "mfu_causal",
                       "hfu", "launch_bound", "cuda_graph", "seconds"}},
        {"/speed/seconds", {"gemm", "attention", "elementwise", "loss", "optimizer", "communication",
                               "communication_exposed", "recompute"}},
        {"/cost", {"price_book", "price_date", "usd_per_hour", "tokens_per_usd", "usd_per_billion_tokens", "tokens",
                      "hours", "usd", "expected_loss"}},
        {"/origin", {"memory", "speed", "notes"}},
    };
    for (const auto &[path, keys] : fields) {
        for (const std::string &key : keys)
            EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer(path + "/" + key))) << path << "/" << key;
    }
    EXPECT_EQ(json["version"], 1);
    EXPECT_TRUE(json["memory"]["peak_bytes"].is_number_integer());
}

TEST(PredictionJson, readsBackWhatItWrote)
{
    RunConfig config = oneBillion();
    config.targetLoss = 2.4;
    const Prediction p = predicted(config);
    const Prediction back = predictionFromJson(nlohmann::json::parse(toJson(p).dump())).value();
    RunConfig filled = withSizesOf(p.config, p.model); // what the user's configuration comes to
    filled.prices = p.cost.priceBook;
    filled.tokens = p.cost.tokens;
    EXPECT_EQ(back.config, filled);
    EXPECT_EQ(predicted(back.config).cost, p.cost);
    EXPECT_EQ(predicted(back.config).memory, p.memory);
    EXPECT_EQ(back.memory, p.memory);
    EXPECT_EQ(back.speed, p.speed);
    EXPECT_EQ(back.cost, p.cost);
}

TEST(PredictionJson, takesWhatIsThereOfADamagedFile)
{
    const auto json = nlohmann::json::parse(
        R"({"memory": {"peak_bytes": "many", "capacity_bytes": 7}, "speed": [], "origin": {"notes": [1, "a"]}})");
    const Prediction p = predictionFromJson(json).value();
    EXPECT_EQ(p.memory.capacity, 7);
    EXPECT_EQ(p.memory.peak, 0);
    EXPECT_EQ(p.notes, std::vector<std::string>{"a"});
    EXPECT_FALSE(predictionFromJson(nlohmann::json::parse("[1]")));
}

} // namespace
} // namespace slipway
