// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serving.h"

#include <gtest/gtest.h>

#include "memory/memory_walk.h"
#include "plan/inference/inference_step.h"
#include "support/serving_catalogue.h"

namespace slipway {
namespace {

ServeConfig configOf(const std::string &model, const std::string &gpu = "h100-sxm-80gb")
{
    ServeConfig config;
    config.run.model.name = model;
    config.run.gpu = gpu;
    return config;
}

Serving servingOf(const ServeConfig &config) { return resolveServing(config, catalogue(), frameworks()).value(); }

// 8 layers of which every second sees 64 keys.
Serving windowed(std::int64_t block)
{
    ServeConfig config = configOf("1B");
    config.run.model.layers = 8;
    config.block = block;
    Serving s = servingOf(config);
    s.model.pattern = {{.window = 64}, {.window = 0}};
    return s;
}

TEST(Serving, TheCacheOfASequenceIsWholeBlocks)
{
    ServeConfig config = configOf("1B");
    config.block = 16;
    const Serving s = servingOf(config);
    const Bytes token = cachePerToken(s);
    EXPECT_EQ(token, Bytes{s.model.layers} * 2 * s.model.kvWidth() * 2);
    EXPECT_EQ(sequenceCache(s, 1), 16 * token);
    EXPECT_EQ(sequenceCache(s, 16), 16 * token);
    EXPECT_EQ(sequenceCache(s, 17), 32 * token);
    EXPECT_EQ(sequenceCacheUsed(s, 17), 17 * token);
}

TEST(Serving, ALayerWithAWindowKeepsWhatItSees)
{
    const Serving s = windowed(16);
    const Bytes token = cacheBytesPerToken(s.model, s.layout);
    EXPECT_EQ(sequenceCache(s, 32), 8 * 32 * token);
    // 63 keys before a query lie in 5 blocks at most.
    EXPECT_EQ(sequenceCache(s, 1000), (4 * 5 * 16 + 4 * 1008) * token);
    EXPECT_EQ(sequenceCacheUsed(s, 1000), (4 * 64 + 4 * 1000) * token);
    Serving whole = windowed(16);
    whole.software.freesWindow = false;
    EXPECT_EQ(sequenceCache(whole, 1000), 8 * 1008 * token);
}

TEST(Serving, AContiguousCacheReservesTheLongestLength)
{
    ServeConfig config = configOf("1B");
    config.contiguous = true;
    config.maxLength = 4096;
    const Serving s = servingOf(config);
    EXPECT_EQ(sequenceCache(s, 1), 4096 * cachePerToken(s));
    EXPECT_EQ(sequenceCache(s, 700), 4096 * cachePerToken(s));
}

TEST(Serving, WasteOfPagingIsHalfABlockAndOfReservingTheRest)
{
    ServeConfig config = configOf("1B");
    config.prompt = 512;
    config.generate = 256;
    config.batch = 4;
    config.maxLength = 4096;
    const Serving paged = servingOf(config);
    const ServingMemory m = memoryOf(paged, 4);
    const double token = double(cachePerToken(paged));
    // Lengths 513 to 768: over each block's 16 tokens 15, 14 ... 0 are not used, 7.5 on average.
    EXPECT_EQ(m.wasteMean, static_cast<Bytes>(4 * 7.5 * token));
    EXPECT_NEAR(m.wasteFraction, 7.5 / (640.5 + 7.5), 1e-12);
    EXPECT_LT(m.wasteFraction, 0.04);
    config.contiguous = true;
    const ServingMemory reserved = memoryOf(servingOf(config), 4);
    EXPECT_EQ(reserved.wasteMean, static_cast<Bytes>(4 * (4096 - 640.5) * token));
    EXPECT_NEAR(reserved.wasteFraction, 1 - 640.5 / 4096, 1e-12);
}

TEST(Serving, MemoryIsTheSumOfItsPartsAndOneSequenceMoreThanTheMostDoesNotFit)
{
    for (const char *name : {"1B", "llama-3.1-8b", "qwen3-30b-a3b"}) {
        if (!catalogue().model(name))
            continue;
        const Serving s = servingOf(configOf(name));
        const std::int64_t most = maxSequences(s, false);
        ASSERT_GT(most, 0) << name;
        for (const std::int64_t batch : {std::int64_t{1}, most, most + 1}) {
            const ServingMemory m = memoryOf(s, batch);
            EXPECT_EQ(m.peak, m.weights + m.cache + m.activations + m.outside);
            EXPECT_EQ(m.cache <= m.pool, batch <= most) << name << " " << batch;
            EXPECT_EQ(m.fits(), batch <= most) << name << " " << batch;
        }
        EXPECT_EQ(memoryOf(s, 1).weights, 2 * parameterCount(s.model));
    }
}

// Transformers copies the cache of a layer to append a token: in the last step of an answer, that of all its tokens.
TEST(Serving, TheLastStepHasAllTokensOfASequenceBeforeItButItsOwn)
{
    ServeConfig config = configOf("1B");
    config.framework = "transformers";
    config.prompt = 100;
    config.generate = 4000;
    const Serving s = servingOf(config);
    ASSERT_TRUE(s.layout.growsCache);
    const ServingMemory m = memoryOf(s, 3);
    const InferenceStep last{.decoding = 3, .decodePast = 4099, .cacheBytes = {m.cache}};
    const MemoryPeak peak = peakMemory(buildInferenceStep(s.model, s.layout, last), Placement::None);
    EXPECT_EQ(m.activations, peak.allocated - m.weights - m.cache);
}

TEST(Serving, OnlyOurDecoderLoadsTheKernelsOfOurTrainer)
{
    ServeConfig config = configOf("1B");
    config.framework = "vllm";
    const Bytes context = memoryOf(servingOf(config), 1).outside;
    config.framework = "slipway";
    EXPECT_EQ(memoryOf(servingOf(config), 1).outside, context + 136 * kMiB);
}

TEST(Serving, PagingFitsMoreSequencesWhereLessThanTheLongestIsAsked)
{
    ServeConfig config = configOf("llama-3.1-8b");
    config.maxLength = 8192;
    const Serving s = servingOf(config);
    // 768 tokens are 48 blocks, without a rest; activations leave both the same room but for their batch.
    const double ratio = double(maxSequences(s, false)) / double(maxSequences(s, true));
    EXPECT_NEAR(ratio, 8192.0 / 768, 0.6);
    config.maxLength.reset();
    const Serving same = servingOf(config);
    EXPECT_NEAR(double(maxSequences(same, false)), double(maxSequences(same, true)), 1);
}

TEST(Serving, GroupedKeysTakeTheirPartOfTheCache)
{
    ServeConfig config = configOf("llama-3.1-8b");
    const Bytes grouped = cachePerToken(servingOf(config));
    config.run.model.kvHeads = 32;
    EXPECT_EQ(cachePerToken(servingOf(config)), 4 * grouped);
}

TEST(Serving, AModelWithLearnedPositionsTakesNoLongerRequests)
{
    ServeConfig config = configOf("gpt2-124m");
    config.prompt = 1000;
    config.generate = 100;
    const Result<Serving> longer = resolveServing(config, catalogue(), frameworks());
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().where, "--generate");
    EXPECT_EQ(longer.error().accepted, "1 to 24 after a prompt of 1000");
    config.prompt = 1024;
    EXPECT_EQ(resolveServing(config, catalogue(), frameworks()).error().where, "--prompt");
}

TEST(Serving, AModelWithRopeTakesNoLongerRequestsThanItsContext)
{
    ServeConfig config = configOf("llama-3-8b");
    config.prompt = 8000;
    config.generate = 192;
    EXPECT_TRUE(resolveServing(config, catalogue(), frameworks()));
    config.generate = 193;
    const Result<Serving> longer = resolveServing(config, catalogue(), frameworks());
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().message(),
        "--generate: 8000 and 193 tokens exceed the 8192 positions of llama-3-8b (accepted: 1 to 192 after a prompt of "
        "8000)");
    config.prompt = 8192;
    EXPECT_EQ(resolveServing(config, catalogue(), frameworks()).error().message(),
        "--prompt: a prompt of 8192 tokens does not fit into the 8192 positions of llama-3-8b (accepted: 1 to 8191)");
    // What was measured was possible; a learned table has no rows beyond its end.
    EXPECT_TRUE(resolveServing(config, catalogue(), frameworks(), Lengths::AsMeasured));
    config.run.model.name = "gpt2-124m";
    EXPECT_FALSE(resolveServing(config, catalogue(), frameworks(), Lengths::AsMeasured));
}

TEST(Serving, AModelWhoseContextLengthIsNotGivenTakesRequestsOfAnyLength)
{
    ServeConfig config = configOf("1B");
    config.prompt = 1'000'000;
    const Result<Serving> serving = resolveServing(config, catalogue(), frameworks());
    ASSERT_TRUE(serving);
    EXPECT_EQ(serving->model.longestSequence(), 0);
}

TEST(Serving, OnePositionLeavesNoneForAnAnswer)
{
    const ModelSpec model{.name = "short", .contextLength = 1};
    const Result<void> checked = checkPositions(model, 1, 1, {.prompt = "--text", .generate = "--tokens"});
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().where, "--text");
}

TEST(Serving, RanksMustDivideTheHeads)
{
    ServeConfig config = configOf("llama-3.1-8b");
    config.run.parallel.tp = 3;
    EXPECT_EQ(resolveServing(config, catalogue(), frameworks()).error().where, "--tp");
}

TEST(Serving, ADecodeStepIsTimedInTheMiddleOfTheAnswers)
{
    ServeConfig config = eightBillion(16);
    config.prompt = 4096;
    config.generate = 2049; // the first token comes with the prompt, and 1024 of the others are there in the middle
    const Serving s = servingOf(config);
    EXPECT_EQ(decodeTime(s, 16), stepTime(s, {.decoding = 16, .decodePast = 5120}));
    EXPECT_NE(decodeTime(s, 16), stepTime(s, {.decoding = 16, .decodePast = 5121}));
}

TEST(Serving, ADecodeStepTakesAtLeastTheTimeToReadTheWeights)
{
    const Serving s = servingOf(configOf("llama-3.1-8b"));
    const Seconds reading = double(memoryOf(s, 1).weights - 2 * Bytes{s.model.vocab} * s.model.hidden) /
                            s.gpu.memoryBandwidth; // of the table one row is read
    EXPECT_GT(decodeTime(s, 1), reading);
    EXPECT_LT(decodeTime(s, 1), 2 * reading);
}

TEST(Serving, SmallerWeightsDecodeFasterAndLargerBatchesCostTime)
{
    ServeConfig config = configOf("llama-3.1-8b");
    const Serving bf16 = servingOf(config);
    config.weights = StoredType::Int4;
    const Serving int4 = servingOf(config);
    EXPECT_LT(decodeTime(int4, 1), 0.7 * decodeTime(bf16, 1)); // embedding, head and launches stay
    Seconds before = 0;
    for (const std::int64_t batch : {1, 8, 64, 512}) {
        EXPECT_GT(decodeTime(bf16, batch), before) << batch;
        before = decodeTime(bf16, batch);
    }
    EXPECT_LT(decodeTime(bf16, 32), 2 * decodeTime(bf16, 1)); // bandwidth: nearly the same bytes
}

TEST(Serving, TensorParallelRanksDecodeFasterButNotInProportion)
{
    ServeConfig config = configOf("llama-3.1-8b");
    const Seconds one = decodeTime(servingOf(config), 1);
    config.run.parallel.tp = 2;
    const Seconds two = decodeTime(servingOf(config), 1);
    EXPECT_LT(two, one);
    EXPECT_GT(two, one / 2);
}

TEST(Serving, GemmsAreBoundByArithmeticFromTheRidgeOn)
{
    const Serving s = servingOf(configOf("llama-3.1-8b"));
    // B tokens: 2 B FLOPs and 2 bytes a weight, so B = rate / bandwidth where activations are few.
    const double ridge = s.rates.gemmFlops / s.rates.memoryBandwidth;
    EXPECT_GT(double(computeBoundBatch(s)), ridge);
    EXPECT_LT(double(computeBoundBatch(s)), 1.5 * ridge);
}

TEST(Serving, AFrameworkThatGrowsItsCacheOrLaunchesEachKernelIsSlower)
{
    ServeConfig config = configOf("1B");
    const Seconds graphs = decodeTime(servingOf(config), 8);
    config.framework = "transformers";
    const Serving grows = servingOf(config);
    EXPECT_EQ(grows.block, 0);
    EXPECT_GT(decodeTime(grows, 8), 2 * graphs);
    Serving inPlace = grows;
    inPlace.layout.growsCache = false;
    EXPECT_LT(decodeTime(inPlace, 64), decodeTime(grows, 64));
    Serving unfused = grows;
    unfused.layout.fusedAttention = false;
    EXPECT_GT(prefillTime(unfused, 8), prefillTime(grows, 8));
    EXPECT_GT(memoryOf(unfused, 8).activations, memoryOf(grows, 8).activations);
}

TEST(Serving, ModulesOfManyKernelsCostTheirLaunches)
{
    ServeConfig config = configOf("1B");
    config.framework = "transformers";
    const Serving eager = servingOf(config);
    Serving fused = eager;
    fused.layout.normKernels = fused.layout.ropeKernels = fused.layout.activationKernels = 1;
    fused.layout.fusesProjections = true;
    // Two norms of 8 kernels, a rotation of 10, an activation of 2, and 3 more GEMMs in each layer; the last norm.
    const double more = eager.model.layers * (2 * 7 + 9 + 1 + 3) + 7;
    EXPECT_NEAR(decodeTime(eager, 1) - decodeTime(fused, 1), more * eager.rates.launch, 0.02 * decodeTime(eager, 1));
    EXPECT_EQ(memoryOf(eager, 1).weights, memoryOf(fused, 1).weights);
}

TEST(Serving, GemmsThatUnpackWeightsReachTheirPartOfTheBandwidth)
{
    ServeConfig config = configOf("llama-2-7b", "a100-sxm-80gb");
    config.framework = "gpt-fast";
    config.run.model.layers = 8;
    config.prompt = config.generate = 1;
    config.weights = StoredType::Int4;
    Serving s = servingOf(config);
    EXPECT_GT(s.rates.packedBandwidth, 0);
    const Seconds before = decodeKernelTime(s, 1);
    s.rates.packedBandwidth /= 2;
    const Seconds after = decodeKernelTime(s, 1);
    EXPECT_GT(after, 1.8 * before); // the head's GEMM, quantized too, and all layers'
    EXPECT_LT(after, 2 * before);
    config.weights = StoredType::Bf16;
    EXPECT_EQ(servingOf(config).rates.packedBandwidth, 0);
}

TEST(Serving, AttentionWithoutASplitOfTheKeysTakesAsLongAsItsLongestSequence)
{
    ServeConfig config = configOf("mistral-7b", "rtx-4090-24gb");
    config.framework = "autoawq";
    config.weights = StoredType::Int4;
    const Serving s = servingOf(config);
    ASSERT_GT(s.rates.cacheTimePerKey, 0);
    const auto step = [&](std::int64_t batch, std::int64_t past) {
        return stepTime(s, {.decoding = batch, .decodePast = past});
    };
    // One sequence leaves most multiprocessors idle: 1,000 keys more take their time in each layer.
    EXPECT_NEAR(step(1, 3000) - step(1, 2000), 1000 * s.rates.cacheTimePerKey * s.model.layers, 1e-6);
    EXPECT_LT(step(4, 3000) - step(1, 3000), 0.1 * step(1, 3000));
}

// A product of 16 rows costs a sixteenth of the arithmetic of 256, whatever tile it has.
TEST(Serving, GemmsOfFewRowsTakeAsLongAsTheirBytes)
{
    ServeConfig config = configOf("llama-2-7b", "rtx-3090-24gb");
    config.run.model.layers = 8;
    config.prompt = config.generate = 1;
    const Serving s = servingOf(config);
    const Bytes weights = memoryOf(s, 1).weights;
    const Bytes embedding = inferenceWeights(s.model, s.layout).embedding;
    EXPECT_NEAR(
        decodeKernelTime(s, 1), double(weights - embedding) / s.rates.memoryBandwidth, 0.1 * decodeKernelTime(s, 1));
}

} // namespace
} // namespace slipway
