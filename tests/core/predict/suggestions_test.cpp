// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/settings.h"
#include "one_billion.h"
#include "predict/candidate.h"

namespace slipway {
namespace {

using testing::oneBillion;
using testing::predicted;

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

// InternEvo shards by PyTorch's FSDP, which its other strategies do not use. Megatron-Core has other GEMMs on a B200.
TEST(Predict, suggestionsHoldWithTheProfileOfTheChangedSettings)
{
    RunConfig strategy = oneBillion(), gpu = oneBillion();
    strategy.gpu = "a100-sxm-40gb";
    strategy.microBatch = 16;
    strategy.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    gpu.gpu = "h100-sxm-80gb";
    gpu.microBatch = 2;
    gpu.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 16};
    for (const auto &[config, framework] : {std::pair(strategy, "internevo"), std::pair(gpu, "megatron-core")}) {
        const RunConfig asked = applySetting(config, "framework", framework).value();
        const Prediction p = predicted(asked);
        EXPECT_FALSE(p.suggestions.empty()) << framework;
        for (const Suggestion &s : p.suggestions) {
            const Prediction then = predicted(applySettings(asked, s.change).value());
            EXPECT_EQ(then.memory.peak, s.peak) << framework << ": " << s.why;
            EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond) << framework << ": " << s.why;
        }
    }
}

TEST(Predict, saysOfALargerCardThatThePlanFitsThereInsteadOfHowLittleItSaves)
{
    Prediction p = predicted(oneBillion());
    p.suggestions = {{.change = {{"gpu", "h100-sxm-80gb"}},
        .why = "a GPU with more memory",
        .peak = p.memory.peak,
        .tokensPerSecond = 1000,
        .goal = Goal::Fit,
        .gain = 0}};
    EXPECT_NE(toText(p).find("gpu h100-sxm-80gb: fits; 1.00K tokens/s"), std::string::npos) << toText(p);
}

TEST(Predict, comparesCostsOnlyWhereThereIsAPrice)
{
    Assessment a;
    a.cost.goodput = 0.5;
    EXPECT_FALSE(costOf(a));
    a.cost.usdPerBillionTokens = 0;
    EXPECT_FALSE(costOf(a));
    a.cost.usdPerBillionTokens = 3;
    EXPECT_EQ(costOf(a), 6);
}

TEST(Predict, suggestsNothingOnceEverySuggestionWasFollowed)
{
    RunConfig config = oneBillion();
    config.model.name = "100M";
    config.gpu = "cpu"; // neither another GPU nor a price, which could be traded for one another
    config.precision = Precision::Fp32;
    Prediction p = predicted(config);
    for (int followed = 0; followed < 20 && !p.suggestions.empty(); ++followed) {
        ASSERT_EQ(p.memory.verdict, Verdict::Fits);
        EXPECT_FALSE(p.leastFound);
        for (const Suggestion &s : p.suggestions)
            EXPECT_NE(s.goal, Goal::Fit) << s.why;
        for (const auto &[key, value] : p.suggestions.front().change)
            config = applySetting(config, key, value).value();
        p = predicted(config);
    }
    EXPECT_EQ(p.memory.verdict, Verdict::Fits);
    EXPECT_TRUE(p.suggestions.empty());
    EXPECT_FALSE(p.leastFound);
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

} // namespace
} // namespace slipway
