// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Bytes that the decoder's cache takes are those of the plan, and the benchmark that says so.
#include "run/bench_serve.h"

#include <gtest/gtest.h>

#include "run/decoder.h"
#include "run/generator.h"

namespace slipway {
namespace {

Serving smallServing(std::int64_t block)
{
    ServeConfig config;
    config.framework = "slipway";
    config.weights = config.kv = StoredType::Fp32;
    config.block = block;
    config.prompt = config.generate = 64;
    for (const auto &[key, value] :
        {std::pair("model", "100M"), std::pair("layers", "2"), std::pair("hidden", "64"), std::pair("heads", "4"),
            std::pair("kv_heads", "2"), std::pair("ffn", "96"), std::pair("vocab", "61"), std::pair("gpu", "cpu")})
        EXPECT_TRUE(setServeSetting(config, key, value)) << key;
    return resolveServing(config, loadCatalogue().value(), loadServingFrameworks().value()).value();
}

GenerateRequest requestOf(int prompt, std::int64_t tokens)
{
    GenerateRequest request{.tokens = tokens, .options = {.temperature = 0}};
    for (int i = 0; i < prompt; ++i)
        request.prompt.push_back((5 * i + prompt) % 61);
    return request;
}

class PlannedCache : public testing::TestWithParam<int> {};

TEST_P(PlannedCache, RaggedSequencesThatJoinAndLeaveTakeTheBytesOfThePlanAtEveryStep)
{
    const Serving serving = smallServing(GetParam());
    Decoder decoder(serving.model, benchWeights(serving.model), 128, {.block = GetParam()});
    Generator generator(decoder, {.sequences = 3, .tokens = 9});
    for (const auto &[prompt, tokens] :
        {std::pair(5, 3), std::pair(33, 20), std::pair(1, 40), std::pair(16, 1), std::pair(17, 30)})
        ASSERT_TRUE(generator.add(requestOf(prompt, tokens)));
    int steps = 0;
    for (bool more = true; more; ++steps) {
        more = generator.step().value();
        Bytes planned = 0;
        for (const std::int64_t tokens : generator.cachedTokens())
            planned += tokens > 0 ? sequenceCache(serving, tokens) : 0;
        ASSERT_EQ(decoder.cache().bytesInUse(), planned) << "step " << steps;
    }
    EXPECT_GE(steps, 40);
    EXPECT_EQ(decoder.cache().bytesInUse(), 0);
}

INSTANTIATE_TEST_SUITE_P(Blocks, PlannedCache, testing::Values(1, 16, 128));

TEST(BenchServe, MeasuresEachPointAndTheBytesThatItTakes)
{
    const Serving serving = smallServing(16);
    Decoder decoder(serving.model, benchWeights(serving.model), 128, {.block = 16});
    const ServeBench bench = benchServe(decoder, serving, {.batch = 3, .prompt = 20, .generate = 14});
    // 20 + 13 tokens are taken before the last one is drawn, 32 after the step before: 2 blocks of 2 layers, each with
    // a key and a value of 2 heads x 16 numbers in 4 bytes.
    EXPECT_EQ(bench.cache, 3 * 2 * 16 * (2 * 2 * 2 * 16 * 4));
    EXPECT_EQ(bench.plannedCache, bench.cache);
    EXPECT_GT(bench.ttft, 0);
    EXPECT_GT(bench.tpot, 0);
    EXPECT_GT(bench.tokensPerSecond, 0);
    EXPECT_EQ(decoder.cache().bytesInUse(), 0);
}

TEST(BenchServe, AnAnswerOfOneTokenHasNoTimePerFurtherToken)
{
    const Serving serving = smallServing(16);
    Decoder decoder(serving.model, benchWeights(serving.model), 128, {.block = 16});
    const ServeBench bench = benchServe(decoder, serving, {.batch = 2, .prompt = 4, .generate = 1});
    EXPECT_EQ(bench.tpot, 0);
    EXPECT_GT(bench.tokensPerSecond, 0);
}

} // namespace
} // namespace slipway
