// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Logs as they come: cut, doubled, interleaved and begun again.
#include "runs/log_steps.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/log_grammar.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ScriptRules rulesOf(const std::string &framework)
{
    return {.script = testing::shippedScriptInterface(framework),
        .log = {},
        .tokensPerStep = 1000,
        .seqLen = 100,
        .gpus = 2};
}

class LogOf {
public:
    explicit LogOf(const ScriptRules &rules) : m_steps(LogSteps::make(rules).value()) {}
    explicit LogOf(const std::string &framework) : LogOf(rulesOf(framework)) {}

    LogOf &line(const std::string &text)
    {
        // The state survives between any two lines.
        m_steps.setState(logStepsStateFromJson(nlohmann::json::parse(toJson(m_steps.state()).dump())));
        m_steps.take(text, m_time += 2, m_found);
        return *this;
    }
    std::vector<StepMetrics> finish()
    {
        m_steps.finish(m_found);
        return m_found;
    }
    std::vector<std::int64_t> numbers()
    {
        std::vector<std::int64_t> list;
        for (const StepMetrics &step : finish())
            list.push_back(step.step);
        return list;
    }
    LogSteps m_steps;
    std::vector<StepMetrics> m_found;
    double m_time = 1'000'000;
};

TEST(LogSteps, OfOneLineEachAreGivenOutAtOnce)
{
    LogOf log("nanogpt");
    log.line("iter 0: loss 4.5, time 900.00ms, mfu -100.00%").line("iter 10: loss 4.25, time 100.00ms, mfu 40.00%");
    ASSERT_EQ(log.m_found.size(), 2U) << "before the log ends";
    EXPECT_EQ(log.m_found[1].step, 10);
    EXPECT_EQ(log.m_found[1].loss, 4.25);
    EXPECT_EQ(log.m_found[1].stepSeconds, 0.1);
    EXPECT_EQ(log.m_found[1].tokensPerSecond, 10'000) << "1000 tokens per step";
    EXPECT_EQ(log.m_found[1].tokens, 10'000);
    EXPECT_EQ(log.m_found[1].mfu, 0.4);
    EXPECT_FALSE(log.m_found[0].mfu) << "a negative MFU is none";
}

TEST(LogSteps, TakeTheirTimeFromTheClockWhereTheLineHasNone)
{
    LogOf log("");
    log.line("step 10 loss 4").line("step 14 loss 3");
    EXPECT_EQ(log.finish().at(1).stepSeconds, 0.5) << "four steps in two seconds";
    EXPECT_EQ(log.finish().at(1).tokensPerSecond, 2000);
}

TEST(LogSteps, OfHuggingFaceHaveTheStepOfTheBarThatFollows)
{
    LogOf log("hf-trainer");
    log.line("Map: 100%|##########| 36718/36718 [00:03<00:00, 9000 examples/s]")
        .line("  0%|          | 0/500 [00:00<?, ?it/s]")
        .line("  2%|2         | 9/500 [00:05<04:10,  1.96it/s]")
        .line("{'loss': 2.5, 'grad_norm': 1.25, 'learning_rate': 4.9e-05, 'epoch': 0.02}")
        .line("  2%|2         | 10/500 [00:05<04:10,  1.96it/s]")
        .line("{'loss': 2.25, 'grad_norm': 1.5, 'learning_rate': 4.8e-05, 'epoch': 0.04}")
        .line("  4%|4         | 20/500 [00:10<04:05,  1.96it/s]")
        .line("100%|##########| 13/13 [00:01<00:00, 9it/s]")
        .line("{'eval_loss': 2.125, 'eval_runtime': 1.3, 'epoch': 0.04}")
        .line("{'loss': 2.0, 'grad_norm': 1.5, 'learning_rate': 4.7e-05, 'epoch': 0.06}")
        .line("  6%|6         | 30/500 [00:15<04:00,  1.96it/s]")
        .line("{'train_runtime': 15.0, 'train_loss': 2.25, 'epoch': 0.06}");
    EXPECT_THAT(log.numbers(), ElementsAre(10, 20, 30));
    EXPECT_EQ(log.m_found[0].gradNorm, 1.25);
    EXPECT_EQ(log.m_found[2].evalLoss, 2.125);
}

TEST(LogSteps, OfHuggingFaceWithoutABarAreCounted)
{
    LogOf log("hf-trainer");
    log.line("{'loss': 2.5, 'grad_norm': 1.25, 'learning_rate': 4.9e-05, 'epoch': 0.02}")
        .line("{'loss': 2.25, 'grad_norm': 1.5, 'learning_rate': 4.8e-05, 'epoch': 0.04}")
        .line("{'loss': 2.0, 'grad_norm': 1.5, 'learning_rate': 4.7e-05, 'epoch': 0.06}");
    EXPECT_THAT(log.numbers(), ElementsAre(0, 1, 2));
}

TEST(LogSteps, OfSeveralLinesAreOneWhenTheNextBegins)
{
    LogOf log("composer");
    log.line("[batch=1/100]:")
        .line("\t Train time/batch: 0")
        .line("\t Train loss/train/total: 7.5")
        .line("\t Train throughput/device/tokens_per_sec: 500")
        .line("[batch=2/100]:");
    ASSERT_EQ(log.m_found.size(), 1U);
    EXPECT_EQ(log.m_found[0].loss, 7.5);
    EXPECT_EQ(log.m_found[0].tokensPerSecond, 1000) << "of two GPUs";
}

TEST(LogSteps, OfATableHaveTheValuesOfTheirColumns)
{
    LogOf log("lightning");
    log.line("epoch,lr-AdamW,step,train_loss_step,val_loss")
        .line("0,0.001,49,,")
        .line("0,,49,2.5,")
        .line("0,,99,2.25,")
        .line("0,,99,,2.75");
    const std::vector<StepMetrics> steps = log.finish();
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].step, 49);
    EXPECT_EQ(steps[0].loss, 2.5);
    EXPECT_EQ(steps[0].learningRate, 0.001);
    EXPECT_EQ(steps[1].evalLoss, 2.75);
}

TEST(LogSteps, ThatSeveralRanksPrintAreGivenOutOnce)
{
    LogOf log("");
    for (const char *const line : {"step 1 loss 4.0", "step 1 loss 4.5", "step 2 loss 3.0", "step 1 loss 4.0",
             "step 2 loss 3.5", "step 3 loss 2.0", "step 3 loss 2.5step 3 loss 2.5", "step 2 loss 3.0"})
        log.line(line);
    EXPECT_THAT(log.numbers(), ElementsAre(1, 2, 3));
    EXPECT_EQ(log.m_found[1].loss, 3.0) << "the first line counts";
}

TEST(LogSteps, BeginAgainWhereTheScriptDoes)
{
    LogOf log("");
    for (int step = 0; step <= 500; step += 10)
        log.line("step " + std::to_string(step) + " loss 4");
    for (int step = 0; step <= 20; step += 10)
        log.line("step " + std::to_string(step) + " loss 5");
    const std::vector<std::int64_t> numbers = log.numbers();
    EXPECT_EQ(std::vector<std::int64_t>(numbers.end() - 3, numbers.end()), (std::vector<std::int64_t>{0, 10, 20}));
    EXPECT_EQ(log.m_found.back().loss, 5);
}

TEST(LogSteps, OfALaterAttemptBeginAgainAtOnce)
{
    LogOf log("");
    log.line("step 4 loss 4").line("step 5 loss 4");
    log.m_steps.beginAttempt(1, log.m_found);
    log.line("step 4 loss 3.5");
    ASSERT_EQ(log.m_found.size(), 3U);
    EXPECT_EQ(log.m_found[2].attempt, 1);
    EXPECT_EQ(log.m_found[2].step, 4);
}

TEST(LogSteps, KeepALossThatIsNoNumber)
{
    LogOf log("");
    log.line("step 4 loss nan");
    EXPECT_TRUE(std::isnan(log.finish().at(0).loss));
}

TEST(LogSteps, SayWhatWasSeenWhenNothingMatches)
{
    LogOf log("nanogpt");
    log.line("Loading \x1b[31mweights\x07");
    for (int i = 1; i < LogSteps::kPatience; ++i) {
        EXPECT_FALSE(log.m_steps.complaint());
        log.line("nothing of interest");
    }
    const std::optional<std::string> said = log.m_steps.complaint();
    ASSERT_TRUE(said);
    EXPECT_THAT(*said, HasSubstr("Seen: 'Loading"));
    EXPECT_EQ(said->find('\x1b'), std::string::npos);
    EXPECT_FALSE(log.m_steps.complaint()) << "once";
}

TEST(LogSteps, CountTheUsersOwnExpressionFirst)
{
    ScriptRules rules = rulesOf("");
    rules.script.log.pattern = "n=(?<step>\\d+) ce=(?<loss>\\S+)";
    LogOf log(rules);
    log.line("n=7 ce=2.5 step 1 loss 9");
    ASSERT_EQ(log.finish().size(), 1U);
    EXPECT_EQ(log.m_found[0].step, 7);
    EXPECT_EQ(log.m_found[0].loss, 2.5);
    rules.script.log.pattern = "n=(";
    EXPECT_FALSE(LogSteps::make(rules));
}

TEST(LogSteps, OfDamagedStateBeginAnew)
{
    EXPECT_EQ(logStepsStateFromJson(nlohmann::json::parse(R"({"last":"x"})")).last, -1);
    EXPECT_THAT(logStepsStateFromJson(nlohmann::json::parse(R"({"columns":[1e9]})")).columns, ElementsAre(-1));
    EXPECT_THAT(logStepsStateFromJson(nlohmann::json::object()).behind, IsEmpty());
}

} // namespace
} // namespace slipway
