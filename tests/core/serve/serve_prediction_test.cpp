// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_prediction.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/serving_catalogue.h"

namespace slipway {
namespace {

Result<ServePrediction> predicted(const ServeConfig &config)
{
    return predictServing(config, catalogue(), frameworks());
}

TEST(ServePrediction, HasTheKeysOfTheInterface)
{
    ServeConfig config = eightBillion(16);
    config.requestsPerSecond = 2;
    config.requests = 200;
    const nlohmann::ordered_json json = toJson(predicted(config).value());
    for (const char *path : {"/version", "/config/weights", "/model/params", "/memory/weights_bytes",
             "/memory/kv_bytes_per_token", "/memory/kv_cache_bytes", "/memory/kv_waste_bytes", "/memory/max_sequences",
             "/memory/max_sequences_contiguous", "/memory/peak_bytes", "/speed/time_to_first_token_s",
             "/speed/time_per_output_token_s", "/speed/tokens_per_s", "/speed/tokens_per_s_max", "/speed/best_batch",
             "/latency/ttft_p50_s", "/latency/ttft_p99_s", "/latency/tpot_p50_s", "/latency/tpot_p99_s",
             "/cost/usd_per_million_tokens"})
        EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer(path))) << path;
    EXPECT_EQ(json["memory"]["kv_bytes_per_token"], 131072); // 32 layers x 2 x 8 heads x 128 x 2 bytes
    EXPECT_EQ(json["memory"]["kv_cache_bytes"], 16 * 768 * 131072LL);
}

TEST(ServePrediction, ThroughputFollowsFromItsTimes)
{
    const ServePrediction p = predicted(eightBillion(16)).value();
    const double batch = 16, tokens = 256;
    EXPECT_NEAR(p.speed.tokensPerSecond, batch * tokens / (batch * p.speed.ttft + (tokens - 1) * p.speed.tpot), 1e-6);
    EXPECT_GE(p.speed.tokensPerSecondMost, p.speed.tokensPerSecond);
    EXPECT_LE(p.speed.bestBatch, p.maxSequences);
    EXPECT_EQ(p.verdict, Verdict::Fits);
}

TEST(ServePrediction, DollarsForAMillionTokensAreThoseOfTheHours)
{
    const ServePrediction p = predicted(eightBillion(16)).value();
    ASSERT_FALSE(p.prices.empty());
    EXPECT_EQ(p.prices.front().price.book, p.priceBook);
    for (const ServePrice &price : p.prices)
        EXPECT_NEAR(*price.atBatch, price.usdPerHour * 1e6 / (3600 * p.speed.tokensPerSecond), 1e-9);
}

// Requests of one prompt token and two output tokens: in a full server, about as many sequences decode as start.
TEST(ServePrediction, EveryStepOfALoadReadsTheWeights)
{
    ServeConfig config = eightBillion(16);
    config.prompt = 1;
    config.generate = 2;
    config.requests = 2000;
    config.requestsPerSecond = 1e6;
    const ServePrediction p = predicted(config).value();
    ASSERT_TRUE(p.load);
    EXPECT_GE(p.load->result.tpot.p50, 0.99 * p.speed.tpotAlone);
}

TEST(ServePrediction, ALightLoadMeetsTheTimesOfAnIdleServerAndAHeavyOneDoesNot)
{
    ServeConfig config = eightBillion(16);
    config.requests = 300;
    config.requestsPerSecond = 0.01;
    const ServePrediction light = predicted(config).value();
    ASSERT_TRUE(light.load);
    EXPECT_FALSE(light.load->saturated);
    EXPECT_NEAR(light.load->result.ttft.p50, light.speed.ttft, 0.05 * light.speed.ttft);
    EXPECT_NEAR(light.load->result.tpot.p50, light.speed.tpotAlone, 0.05 * light.speed.tpotAlone);
    config.requestsPerSecond = 1000;
    const ServePrediction heavy = predicted(config).value();
    EXPECT_TRUE(heavy.load->saturated);
    EXPECT_GT(heavy.load->result.ttft.p99, 10 * light.load->result.ttft.p99);
    EXPECT_GT(heavy.load->result.tpot.p50, light.load->result.tpot.p50);
}

TEST(ServePrediction, StepsBetweenPowersOfTwoOfTokensTakeNoLongerThanThoseAround)
{
    ServeConfig config = eightBillion(16);
    config.prompt = 700;
    config.requests = 300;
    config.requestsPerSecond = 0.01;
    const ServePrediction light = predicted(config).value();
    config.requestsPerSecond = 0.7 * light.load->mostRequestsPerSecond;
    const ServePrediction busy = predicted(config).value();
    EXPECT_FALSE(busy.load->saturated);
    EXPECT_LT(busy.load->result.tpot.p50, 20 * light.load->result.tpot.p50);
    EXPECT_LT(busy.load->result.ttft.p50, 20 * light.load->result.ttft.p50);
}

TEST(ServePrediction, NotesSpeakOfExpertsOnlyWhereThereAreSome)
{
    const auto speaks = [](const std::string &model) {
        ServeConfig config = eightBillion(16);
        config.run.model.name = model;
        config.run.parallel.tp = 4;
        const ServePrediction p = predicted(config).value();
        return std::ranges::any_of(
            p.notes, [](const std::string &note) { return note.find("experts") != std::string::npos; });
    };
    EXPECT_FALSE(speaks("llama-3.1-8b"));
    EXPECT_TRUE(speaks("mixtral-8x7b"));
}

TEST(ServePrediction, WhatDoesNotFitIsMetWithChangesThatDo)
{
    ServeConfig config = eightBillion(16);
    config.batch = 1000;
    const ServePrediction p = predicted(config).value();
    EXPECT_EQ(p.verdict, Verdict::Oom);
    ASSERT_FALSE(p.suggestions.empty());
    for (const ServeSuggestion &suggestion : p.suggestions) {
        ServeConfig changed = config;
        for (const auto &[key, value] : suggestion.change)
            ASSERT_TRUE(setServeSetting(changed, key, value));
        EXPECT_NE(predicted(changed)->verdict, Verdict::Oom) << suggestion.change.front().first;
    }
}

// By the server that a suggestion describes.
ServeOutcome outcomeWith(ServeConfig config, const ServeSuggestion &suggestion)
{
    for (const auto &[key, value] : suggestion.change)
        EXPECT_TRUE(setServeSetting(config, key, value)) << key;
    return serveOutcome(config, catalogue(), frameworks()).value();
}

TEST(ServePrediction, AServerThatFitsIsMetWithChangesThatAreFasterOrCheaperByTheirOwnPlans)
{
    const ServeConfig config = eightBillion(16);
    const ServePrediction p = predicted(config).value();
    const ServeOutcome now = serveOutcome(config, catalogue(), frameworks()).value();
    EXPECT_DOUBLE_EQ(now.tokensPerSecond, p.speed.tokensPerSecond);
    EXPECT_EQ(now.peak, p.memory.peak);
    EXPECT_DOUBLE_EQ(now.usdPerMillionTokens.value(), p.prices.front().atBatch.value());
    bool batch = false;
    ASSERT_FALSE(p.suggestions.empty());
    for (const ServeSuggestion &suggestion : p.suggestions) {
        const ServeOutcome then = outcomeWith(config, suggestion);
        EXPECT_EQ(then, suggestion.then);
        EXPECT_NE(then.verdict, Verdict::Oom);
        ASSERT_TRUE(suggestion.goal == ServeGoal::Speed || suggestion.goal == ServeGoal::Cost);
        if (suggestion.goal == ServeGoal::Speed)
            EXPECT_NEAR(suggestion.gain, then.tokensPerSecond / now.tokensPerSecond - 1, 1e-12);
        else
            EXPECT_NEAR(suggestion.gain, 1 - *then.usdPerMillionTokens / *now.usdPerMillionTokens, 1e-12);
        EXPECT_GT(suggestion.gain, 0.02);
        batch = batch || suggestion.change.front().first == "batch";
    }
    EXPECT_TRUE(batch) << "a batch of 16 leaves most of the throughput unused";
}

TEST(ServePrediction, SuggestionsKeepTheTargetsAndMeetThoseThatAreMissed)
{
    ServeConfig config = eightBillion(16);
    const Seconds now = predicted(config)->speed.tpot;
    config.tpot = 1.2 * now;
    const ServePrediction inTime = predicted(config).value();
    EXPECT_FALSE(inTime.suggestions.empty());
    for (const ServeSuggestion &suggestion : inTime.suggestions)
        EXPECT_LE(outcomeWith(config, suggestion).tpot, *config.tpot);
    config.batch = 256;
    const ServePrediction late = predicted(config).value();
    ASSERT_FALSE(late.suggestions.empty());
    bool smaller = false;
    for (const ServeSuggestion &suggestion : late.suggestions) {
        EXPECT_EQ(suggestion.goal, ServeGoal::Latency);
        EXPECT_LE(outcomeWith(config, suggestion).tpot, *config.tpot);
        smaller = smaller || suggestion.change.front().first == "batch";
    }
    EXPECT_TRUE(smaller);
}

// The batch that is suggested; empty if none is.
std::string suggestedBatch(const ServeConfig &config)
{
    const ServePrediction p = predicted(config).value();
    for (const ServeSuggestion &suggestion : p.suggestions) {
        if (suggestion.change.front().first == "batch")
            return suggestion.change.front().second;
    }
    return {};
}

TEST(ServePrediction, ATargetThatABatchJustMeetsIsMet)
{
    ServeConfig config = eightBillion(16);
    const std::string fastest = suggestedBatch(config);
    ServeConfig there = config;
    ASSERT_TRUE(setServeSetting(there, "batch", fastest));
    config.tpot = predicted(there)->speed.tpot;
    EXPECT_EQ(suggestedBatch(config), fastest);
    there.batch = 64;
    config.tpot = predicted(there)->speed.tpot;
    config.batch = 256;
    EXPECT_EQ(suggestedBatch(config), "64");
}

TEST(ServePrediction, ASpotPriceOrAnotherGpuIsSuggestedWhereItIsCheaper)
{
    ServeConfig config = eightBillion(16);
    config.batch = 64;
    config.weights = StoredType::Int4;
    config.kv = StoredType::Fp8;
    bool hardware = false;
    const ServePrediction p = predicted(config).value();
    for (const ServeSuggestion &suggestion : p.suggestions) {
        const std::string &key = suggestion.change.front().first;
        hardware = hardware || ((key == "gpu" || key == "prices") && suggestion.goal == ServeGoal::Cost);
    }
    EXPECT_TRUE(hardware);
}

TEST(ServePrediction, WhatNeverFitsIsAnErrorThatSaysWhatWould)
{
    ServeConfig config = eightBillion(16);
    config.run.model.name = "llama-3.1-405b";
    config.run.gpu = "l4-24gb";
    config.prompt = 100'000;
    config.batch = 200;
    if (!catalogue().model(config.run.model.name))
        GTEST_SKIP() << "the catalogue has no model of that size";
    const Result<ServePrediction> p = predicted(config);
    ASSERT_FALSE(p);
    EXPECT_EQ(p.error().where, "--batch");
    EXPECT_FALSE(p.error().accepted.empty());
}

TEST(ServePrediction, NoMoreSequencesThanTheSoftwareTakesAtOnce)
{
    ServeConfig config = eightBillion(16);
    config.batch = 5000;
    const Result<ServePrediction> p = predicted(config);
    ASSERT_FALSE(p);
    EXPECT_EQ(p.error().message(), "--batch: vLLM takes at most 1024 sequences at once (accepted: 1 to 1024)");
}

TEST(ServePrediction, CardsKeepTheWantedTimesAndTheCheapestIsFirst)
{
    ServeConfig config = eightBillion(16);
    config.tpot = 0.02;
    config.ttft = 0.2;
    const ServePrediction p = predicted(config).value();
    ASSERT_GT(p.gpuChoices.size(), 1u);
    Usd before = 0;
    for (const GpuChoice &choice : p.gpuChoices) {
        EXPECT_LE(choice.tpot, 0.02) << choice.gpu;
        EXPECT_LE(choice.ttft, 0.2) << choice.gpu;
        EXPECT_GE(choice.usdPerMillionTokens, before);
        before = choice.usdPerMillionTokens;
    }
    config.tpot = 1e-6;
    EXPECT_TRUE(predicted(config)->gpuChoices.empty());
}

TEST(ServePrediction, TextSaysMemorySpeedAndCost)
{
    ServeConfig config = eightBillion(16);
    config.requestsPerSecond = 1;
    config.requests = 100;
    const std::string text = toText(predicted(config).value());
    for (const char *part : {"Memory   fits", "KV cache", "Speed    time to first token", "Load     1 requests/s",
             "Cost     ", "Origin   "})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ServeText, SaysHowManyGpusAreRentedWhereTheInstanceHasMore)
{
    ServePrediction p = predicted(eightBillion(16)).value();
    ASSERT_FALSE(p.prices.empty());
    p.prices.front().rented = 8;
    p.prices.front().usdPerHour = 77.77;
    EXPECT_NE(toText(p).find("$77.77/h for 8 rented GPUs"), std::string::npos) << toText(p);
    p.prices.front().rented = p.serving.ranks();
    EXPECT_EQ(toText(p).find("$77.77/h for"), std::string::npos) << toText(p);
}

} // namespace
} // namespace slipway
