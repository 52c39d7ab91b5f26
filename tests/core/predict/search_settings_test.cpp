// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/search_settings.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "config/settings.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

RunConfig changedBy(const RunConfig &config, const Suggestion &s) { return applySettings(config, s.change).value(); }

Prediction planned(const RunConfig &config)
{
    return predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value();
}

// 2B parameters on four A100 with 40 GB, far too large a micro-batch and vanilla attention.
RunConfig tooLarge()
{
    return applySettings({}, SettingTexts{{"model", "2B"}, {"gpu", "a100-40"}, {"gpus", "4"}, {"parallel", "ddp"},
                                 {"micro_batch", "32"}, {"attention", "vanilla"}})
        .value();
}

TEST(SearchSettings, FindsMoreThanAnySingleChangeDoes)
{
    const RunConfig config = tooLarge();
    const Prediction quick = predict(config, catalogue()).value();
    ASSERT_EQ(quick.memory.verdict, Verdict::Oom);
    ASSERT_FALSE(quick.suggestions.empty());
    const SettingsSearch search = searchSettings(config, catalogue()).value();
    ASSERT_FALSE(search.best.empty());
    EXPECT_GT(search.best.front().tokensPerSecond, 1.5 * quick.suggestions.front().tokensPerSecond);
    EXPECT_LT(*search.best.front().usdPerBillionTokens, *quick.suggestions.front().usdPerBillionTokens);
    EXPECT_EQ(changedBy(config, search.best.front()).attention, Attention::Flash);
}

TEST(SearchSettings, KeepModelAndTokensOfAStepAndAreVerifiedByTheirOwnPlan)
{
    const RunConfig config = tooLarge();
    const SettingsSearch search = searchSettings(config, catalogue()).value();
    for (const Suggestion &s : search.best) {
        const RunConfig other = changedBy(config, s);
        const Prediction then = planned(other);
        EXPECT_EQ(then.memory.verdict, Verdict::Fits) << s.why;
        EXPECT_EQ(then.memory.peak, s.peak) << s.why;
        EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond) << s.why;
        EXPECT_EQ(other.tokensPerStep(), config.tokensPerStep()) << s.why;
        EXPECT_EQ(other.parallel.gpus, config.parallel.gpus) << s.why;
        EXPECT_EQ(other.model, config.model) << s.why;
    }
}

template<typename T>
T oneOf(std::mt19937 &random, std::initializer_list<T> values)
{
    return values.begin()[random() % values.size()];
}

// Tokens per second of the fastest of all combinations that fit, by loops that leave nothing out; 0 where none does.
double fastestOfAll(const RunConfig &c)
{
    const std::int64_t sequences = c.microBatch * c.gradAccum * c.parallel.dataParallel();
    double fastest = 0;
    for (int tp = 1; tp <= 8; tp *= 2) {
        for (int pp = 1; pp <= 8; pp *= 2) {
            for (const char *kind : {"none", "ddp", "zero1", "fsdp-grad-op", "fsdp-full"}) {
                for (const char *recompute : {"none", "selective", "full"}) {
                    for (const char *attention : {"flash", "vanilla"}) {
                        if (c.parallel.gpus % (tp * pp) != 0 || sequences % (c.parallel.gpus / (tp * pp)) != 0)
                            continue;
                        const std::int64_t each = sequences / (c.parallel.gpus / (tp * pp));
                        for (std::int64_t size = 1; size <= each; ++size) {
                            if (each % size != 0)
                                continue;
                            const RunConfig config = applySettings(c,
                                SettingTexts{{"parallel", kind}, {"recompute", recompute}, {"attention", attention},
                                    {"tp", std::to_string(tp)}, {"pp", std::to_string(pp)},
                                    {"micro_batch", std::to_string(size)}, {"grad_accum", std::to_string(each / size)}})
                                                         .value();
                            const Result<Prediction> then =
                                predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false});
                            if (then && then->memory.verdict == Verdict::Fits)
                                fastest = std::max(fastest, then->speed.tokensPerSecond);
                        }
                    }
                }
            }
        }
    }
    return fastest;
}

TEST(SearchSettings, ComeWithinThreePerCentOfTheFastestOfAllCombinations)
{
    std::mt19937 random(20261123);
    int compared = 0;
    for (int i = 0; i < 5; ++i) {
        RunConfig c;
        c.model.name = oneOf(random, {"1B", "2B", "Qwen/Qwen3-0.6B", "llama-2-7b"});
        c.gpu = oneOf(random, {"a100-40", "h100", "rtx-4090", "v100-sxm2-32gb"});
        c.framework = oneOf(random, {Framework::Slipway, Framework::PytorchCompile, Framework::Megatron});
        c.parallel = {.kind = ParallelKind::Ddp, .gpus = oneOf(random, {2, 4, 8})};
        c.microBatch = oneOf(random, {16, 24});
        const Result<Prediction> now = predict(c, catalogue());
        const double fastest = now ? fastestOfAll(c) : 0;
        if (fastest == 0)
            continue;
        ++compared;
        const SettingsSearch search = searchSettings(c, catalogue()).value();
        double found = now->memory.verdict == Verdict::Fits ? now->speed.tokensPerSecond : 0;
        for (const Suggestion &s : search.best) {
            if (changedBy(c, s).gpu == c.gpu)
                found = std::max(found, s.tokensPerSecond);
        }
        EXPECT_GE(found, 0.97 * fastest) << c.model.name << " on " << c.parallel.gpus << " x " << c.gpu;
    }
    EXPECT_GE(compared, 3);
}

// On the CPU, where our own trainer runs every mesh.
RunConfig ownMesh(const SettingTexts &changes)
{
    const SettingTexts common{{"model", "100M"}, {"layers", "4"}, {"gpu", "cpu"}, {"precision", "fp32"}, {"gpus", "4"},
        {"seq_len", "256"}, {"micro_batch", "1"}, {"grad_accum", "4"}};
    return applySettings(applySettings({}, common).value(), changes).value();
}

TEST(SearchSettings, CoverSchedulesAndExpertRanksOfOurOwnTrainer)
{
    struct Case {
        SettingTexts base;
        std::vector<SettingTexts> others; // any of which might be the fastest
    };
    for (const Case &each : {Case{{{"pp", "4"}}, {{{"pp", "4"}, {"pipeline_schedule", "zero-bubble"}},
                                                     {{"pp", "2"}, {"parallel", "ddp"}, {"micro_batch", "1"},
                                                         {"grad_accum", "2"}, {"pipeline_schedule", "zero-bubble"}},
                                                     {{"pp", "2"}, {"parallel", "ddp"}, {"micro_batch", "1"},
                                                         {"grad_accum", "2"}, {"virtual_stages", "2"}}}},
             Case{{{"experts", "8"}, {"experts_per_token", "2"}, {"parallel", "ddp"}, {"grad_accum", "1"}},
                 {{{"experts", "8"}, {"experts_per_token", "2"}, {"parallel", "ddp"}, {"grad_accum", "1"}, {"ep", "2"}},
                     {{"experts", "8"}, {"experts_per_token", "2"}, {"parallel", "ddp"}, {"grad_accum", "1"},
                         {"ep", "4"}}}}}) {
        const RunConfig config = ownMesh(each.base);
        const SettingsSearch search = searchSettings(config, catalogue()).value();
        double found = planned(config).speed.tokensPerSecond * 1.01; // what gains less is not worth a change
        for (const Suggestion &s : search.best)
            found = std::max(found, s.tokensPerSecond);
        for (const SettingTexts &other : each.others)
            EXPECT_GE(found, planned(ownMesh(other)).speed.tokensPerSecond);
    }
    // Where only schedules can differ, the better one is found.
    RunConfig pipeline = ownMesh({{"pp", "4"}, {"layers", "8"}});
    const double without = planned(pipeline).speed.tokensPerSecond;
    pipeline.parallel.schedule = PipelineSchedule::ZeroBubble;
    EXPECT_GT(planned(pipeline).speed.tokensPerSecond, without);
}

// One sequence, head and layer: four ranks can only split the sequence.
TEST(SearchSettings, CoverTheMeshesOfFp8)
{
    const RunConfig config =
        applySettings({}, SettingTexts{{"model", "llama-3.1-8b"}, {"gpu", "h100-sxm-80gb"}, {"precision", "fp8-mixed"},
                              {"gpus", "8"}, {"tp", "8"}, {"micro_batch", "4"}, {"grad_accum", "8"}})
            .value();
    const SettingsSearch search = searchSettings(config, catalogue()).value();
    ASSERT_FALSE(search.best.empty());
    EXPECT_LT(changedBy(config, search.best.front()).parallel.tp, 8);
}

// 8,200 tokens are no multiple of 16, which fp8 needs, but twice as many are.
TEST(SearchSettings, ContinuesAfterAMicroBatchThatTheTrainerDoesNotRun)
{
    const RunConfig config =
        applySettings({}, SettingTexts{{"model", "llama-2-7b"}, {"gpu", "h100-sxm-80gb"}, {"precision", "fp8-mixed"},
                              {"gpus", "8"}, {"parallel", "fsdp-full"}, {"micro_batch", "16"}, {"seq_len", "8200"}})
            .value();
    ASSERT_EQ(planned(config).memory.verdict, Verdict::Oom);
    const SettingsSearch search = searchSettings(config, catalogue()).value();
    ASSERT_FALSE(search.best.empty());
    for (const Suggestion &s : search.best)
        EXPECT_EQ(changedBy(config, s).microBatch % 2, 0) << s.why;
}

TEST(SearchSettings, FindARingThatIsFasterThanGatheredKeys)
{
    const RunConfig config = ownMesh({{"cp", "4"}, {"layers", "1"}, {"hidden", "256"}, {"heads", "1"},
        {"kv_heads", "1"}, {"ffn", "688"}, {"vocab", "1000"}, {"seq_len", "4096"}, {"grad_accum", "1"}});
    const double gathered = planned(config).speed.tokensPerSecond;
    const SettingsSearch search = searchSettings(config, catalogue()).value();
    const auto ring = std::ranges::find_if(search.best,
        [&](const Suggestion &s) { return changedBy(config, s).contextExchange == ContextExchange::Ring; });
    ASSERT_NE(ring, search.best.end());
    EXPECT_GT(ring->tokensPerSecond, gathered);
    EXPECT_EQ(ring->tokensPerSecond, planned(changedBy(config, *ring)).speed.tokensPerSecond);
}

// A profile's condition names the GPU by its id; Megatron-Core's GEMMs are slower on this one.
TEST(SearchSettings, AreTheSameWhateverNameOfTheGpuWasGiven)
{
    const SettingTexts texts{{"model", "7B"}, {"gpu", "b200-sxm-180gb"}, {"gpus", "8"}, {"parallel", "zero1"},
        {"framework", "megatron-core"}, {"micro_batch", "4"}, {"attention", "vanilla"}, {"recompute", "full"}};
    const RunConfig byId = applySettings({}, texts).value(), byAlias = applySetting(byId, "gpu", "B200").value();
    ASSERT_EQ(planned(byId).gpu, planned(byAlias).gpu);
    const SettingsSearch search = searchSettings(byAlias, catalogue()).value();
    ASSERT_FALSE(search.best.empty());
    EXPECT_EQ(search.best, searchSettings(byId, catalogue()).value().best);
    EXPECT_DOUBLE_EQ(
        planned(changedBy(byAlias, search.best.front())).speed.tokensPerSecond, search.best.front().tokensPerSecond);
}

TEST(SearchSettings, EndWhereTheyAreCancelled)
{
    int asked = 0;
    const SettingsSearch search = searchSettings(tooLarge(), catalogue(), [&] { return ++asked > 3; }).value();
    EXPECT_TRUE(search.cancelled);
    EXPECT_LE(search.plans, 3);
}

TEST(SearchSettings, AreMergedWithTheFirstSuggestionsEachOnce)
{
    const Suggestion a{.change = {{"attention", "flash"}}, .why = "found"},
        same{.change = {{"attention", "flash"}}, .why = "suggested"}, other{.change = {{"recompute", "full"}}};
    EXPECT_EQ(mergedSuggestions({.best = {a}}, {same, other}), (std::vector{a, other}));
}

// An 8B model with adapters and full recomputation of one sequence: 20 GiB with bf16 weights, of which 18 GiB are
// there.
TEST(SearchSettings, ProposeFrozenWeightsInFourBitsWhereOnlyTheseMakeAdaptersFit)
{
    RunConfig config = applySettings({}, SettingTexts{{"model", "llama-3.1-8b"}, {"gpu", "rtx-4090-24gb"},
                                             {"framework", "hf-trainer"}, {"lora_rank", "16"}, {"micro_batch", "1"},
                                             {"seq_len", "2048"}, {"recompute", "full"}, {"memory_gib", "18"}})
                           .value();
    ASSERT_EQ(planned(config).memory.verdict, Verdict::Oom);
    const auto packed = [&](const std::vector<Suggestion> &all) {
        return std::any_of(all.begin(), all.end(), [&](const Suggestion &s) {
            return s.goal == Goal::Fit && changedBy(config, s).frozenWeights == FrozenWeights::Nf4;
        });
    };
    EXPECT_TRUE(packed(searchSettings(config, catalogue()).value().best));
    EXPECT_TRUE(packed(predict(config, catalogue()).value().suggestions));
    config.loraRank = 0;
    EXPECT_FALSE(packed(searchSettings(config, catalogue()).value().best)) << "without adapters, nothing is frozen";
}

} // namespace
} // namespace slipway
