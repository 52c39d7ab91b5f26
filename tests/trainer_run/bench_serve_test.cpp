// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Bytes that the decoder's cache takes are those of the plan, and the benchmark that says so.
#include "run/bench_serve.h"

#include <set>
#include <utility>
#include <vector>

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

class PlannedCache : public ::testing::TestWithParam<int> {};

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

INSTANTIATE_TEST_SUITE_P(Blocks, PlannedCache, ::testing::Values(1, 16, 128));

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
    EXPECT_GT(bench.batchTtft, 0);
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

// Takes known times of a clock of its own: a second per step and a hundredth per token, and the first step of each
// shape a thousand more, as a GPU does that loads kernels.
class TimedDecoder : public SequenceDecoder {
public:
    Sequence begin() override { return m_tables.begin(); }
    void end(Sequence sequence) override { m_tables.end(sequence); }
    std::span<const float> forward(std::span<const DecoderInput> inputs) override
    {
        std::int64_t tokens = 0;
        for (const DecoderInput &input : inputs) {
            tokens += std::ssize(input.tokens);
            (void)m_tables.reserve(input.sequence, std::ssize(input.tokens));
            m_tables.advance(input.sequence, std::ssize(input.tokens));
        }
        time += 1 + 0.01 * double(tokens) + (m_warm.insert({std::ssize(inputs), tokens}).second ? 1000 : 0);
        m_logits.resize(inputs.size() * 61);
        return m_logits;
    }
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const override { return m_tables.hasRoom(tokens); }
    [[nodiscard]] Bytes cacheInUse() const override { return m_tables.blocksInUse(); }
    [[nodiscard]] int vocab() const override { return 61; }
    [[nodiscard]] std::int64_t positions() const override { return 1024; }

    Seconds time = 0;

private:
    BlockTables m_tables{KvCacheOptions{}};
    std::vector<float> m_logits;
    std::set<std::pair<std::int64_t, std::int64_t>> m_warm;
};

ServeBench timed(const ServeBenchPoint &point)
{
    TimedDecoder decoder;
    return benchServe(decoder, smallServing(16), point, [&] { return decoder.time; });
}

TEST(BenchServe, LeavesOutWhatTheFirstStepsOfAShapeCost)
{
    const ServeBench bench = timed({.batch = 1, .prompt = 100, .generate = 5});
    EXPECT_NEAR(bench.ttft, 2, 1e-9); // a step of 100 tokens
    EXPECT_NEAR(bench.batchTtft, 2, 1e-9);
    EXPECT_NEAR(bench.tpot, 1.01, 1e-9);
    EXPECT_NEAR(bench.tokensPerSecond, 5 / (2 + 4 * 1.01), 1e-9);
}

TEST(BenchServe, TimesDecodeStepsThoughPromptsTakeAsManyStepsAsAnswersHaveTokens)
{
    // A step takes 512 tokens: one prompt. Mixed with these, the first sequence would end as the last one starts.
    const ServeBench bench = timed({.batch = 64, .prompt = 512, .generate = 64});
    const Seconds prompt = 1 + 5.12, decode = 1 + 0.64;
    EXPECT_NEAR(bench.ttft, prompt, 1e-9);
    EXPECT_NEAR(bench.batchTtft, 64 * prompt, 1e-9);
    EXPECT_NEAR(bench.tpot, decode, 1e-9);
    EXPECT_NEAR(bench.tokensPerSecond, 64 * 64 / (64 * prompt + 63 * decode), 1e-9);
}

TEST(BenchServe, OnlyTheFirstTokensOfABatchTakeLongerInALargerOne)
{
    Seconds before = 0;
    for (const std::int64_t batch : {1, 8, 64}) {
        const ServeBench bench = timed({.batch = batch, .prompt = 300, .generate = 2});
        EXPECT_NEAR(bench.ttft, 4, 1e-9) << batch;
        EXPECT_GT(bench.batchTtft, before) << batch;
        before = bench.batchTtft;
    }
}

} // namespace
} // namespace slipway
