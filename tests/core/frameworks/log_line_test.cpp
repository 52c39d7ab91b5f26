// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Lines as the programs print them, read by the shipped grammars.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frameworks/log_line.h"
#include "support/log_grammar.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using Q = LogQuantity;

struct Example {
    const char *framework, *line;
    std::vector<std::pair<Q, double>> figures;
};

class LogLines : public ::testing::TestWithParam<Example> {};

TEST_P(LogLines, HaveTheFiguresThatTheirProgramMeans)
{
    const Example &e = GetParam();
    const LogFigures figures = readLogLine(e.line, testing::shippedLogGrammar(e.framework), nullptr);
    for (const auto &[quantity, value] : e.figures) {
        ASSERT_TRUE(figures.of(quantity)) << e.framework << ": " << enumName(quantity);
        EXPECT_NEAR(*figures.of(quantity), value, 1e-9 * std::abs(value)) << e.framework << ": " << enumName(quantity);
    }
    const auto found = std::count_if(
        figures.values.begin(), figures.values.end(), [](const auto &value) { return value.has_value(); });
    EXPECT_EQ(static_cast<std::size_t>(found), e.figures.size()) << e.framework << ": a figure that nobody printed";
}

INSTANTIATE_TEST_SUITE_P(Recorded, LogLines,
    ::testing::Values(Example{"nanogpt", "iter 10: loss 4.2031, time 135.22ms, mfu 40.10%",
                          {{Q::Step, 10}, {Q::Loss, 4.2031}, {Q::StepSeconds, 0.13522}, {Q::Mfu, 0.401}}},
        Example{"nanogpt", "step 250: train loss 2.1013, val loss 2.2045", {{Q::Step, 250}, {Q::EvalLoss, 2.2045}}},
        Example{"hf-trainer", "{'loss': 2.3445, 'grad_norm': 1.25, 'learning_rate': 4.9e-05, 'epoch': 0.02}",
            {{Q::Loss, 2.3445}, {Q::GradNorm, 1.25}, {Q::LearningRate, 4.9e-05}}},
        Example{"hf-trainer", "{'loss': '2.3445', 'grad_norm': '1.25', 'learning_rate': '4.9e-05', 'epoch': '0.02'}",
            {{Q::Loss, 2.3445}, {Q::GradNorm, 1.25}, {Q::LearningRate, 4.9e-05}}},
        Example{"hf-trainer", "{'eval_loss': 2.5, 'eval_runtime': 1.3, 'epoch': 1.0}", {{Q::EvalLoss, 2.5}}},
        Example{"hf-trainer",
            "{'train_runtime': 123.4, 'train_samples_per_second': 12.3, 'train_steps_per_second': 0.4, 'train_loss': "
            "3.1, 'epoch': 1.0}",
            {}},
        Example{"torchtitan",
            "[rank0]:[titan] 2025-03-14 10:00:00,000 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss:  7.1234  "
            "\x1b[38;2;180;60;0mgrad_norm:  1.2500  \x1b[33mmemory: 35.50GiB(44.9%)  \x1b[34mtps: 7,123  "
            "\x1b[36mtflops: 412.50  \x1b[35mmfu: 41.7%\x1b[39m",
            {{Q::Step, 10}, {Q::Loss, 7.1234}, {Q::GradNorm, 1.25}, {Q::Reserved, 35.5 * 1073741824},
                {Q::TokensPerGpu, 7123}, {Q::Mfu, 0.417}}},
        Example{"megatron-lm",
            " [2026-01-02 03:04:05] iteration       10/     100 | consumed samples:         5120 | elapsed time per "
            "iteration (ms): 1234.5 | throughput per GPU (TFLOP/s/GPU): 250.1 | learning rate: 1.500000E-04 | global "
            "batch size:   512 | lm loss: 9.123456E+00 | loss scale: 1.0 | grad norm: 1.234 | number of skipped "
            "iterations:   0 | number of nan iterations:   0 |",
            {{Q::Step, 10}, {Q::Loss, 9.123456}, {Q::LearningRate, 1.5e-4}, {Q::GradNorm, 1.234},
                {Q::StepSeconds, 1.2345}, {Q::TflopsPerGpu, 250.1}}},
        Example{"nanochat",
            "step 00010/21400 (0.05%) | loss: 8.123456 | grad norm: 1.2000 | lrm: 1.00 | dt: 512.10ms | tok/sec: "
            "1,023,456 | mfu: 47.90 | total time: 0.10m",
            {{Q::Step, 10}, {Q::Loss, 8.123456}, {Q::GradNorm, 1.2}, {Q::StepSeconds, 0.5121}, {Q::AllTokens, 1023456},
                {Q::Mfu, 0.479}}},
        Example{"litgpt",
            "Epoch 1 | iter 10 step 5 | loss train: 10.123, val: n/a | iter time: 123.45 ms (step) remaining time: "
            "0:12:34",
            {{Q::Step, 5}, {Q::Loss, 10.123}, {Q::StepSeconds, 0.12345}}},
        Example{"llm.c",
            "step   10/18865 | loss 7.123456 (+nanz)| norm 1.2345 (+nanz)| lr 1.00e-04 | 512.34 ms | 45.6% bf16 MFU | "
            "1023456 tok/s",
            {{Q::Step, 10}, {Q::Loss, 7.123456}, {Q::GradNorm, 1.2345}, {Q::LearningRate, 1e-4}, {Q::Mfu, 0.456},
                {Q::AllTokens, 1023456}}},
        Example{"deepspeed",
            "[2026-01-02 03:04:05,678] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[0.0001], "
            "mom=[(0.9, 0.95)]",
            {{Q::Step, 10}, {Q::LearningRate, 1e-4}}},
        Example{"deepspeed",
            "[Rank 0] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=12.5, CurrSamplesPerSec=12.25, "
            "MemAllocated=1.2GB, MaxMemAllocated=10.5GB",
            {{Q::Step, 10}, {Q::Sequences, 12.5}, {Q::Allocated, 10.5 * 1073741824}}},
        Example{"composer", "[batch=10/100]:", {{Q::Step, 10}}},
        Example{"composer", "\t Train loss/train/total: 7.1234", {{Q::Loss, 7.1234}}},
        Example{"composer", "\t Train throughput/device/tokens_per_sec: 12345.6", {{Q::TokensPerGpu, 12345.6}}},
        Example{"", "a word of no number at all", {}}));

TEST(LogLine, ALossThatIsNoNumberIsToldAsSuch)
{
    const LogFigures figures = readLogLine("step 3 | loss: nan", testing::shippedLogGrammar(), nullptr);
    ASSERT_TRUE(figures.of(Q::Loss));
    EXPECT_TRUE(std::isnan(*figures.of(Q::Loss)));
}

TEST(LogLine, AProgressBarHasItsPlace)
{
    const LogFigures figures = readLogLine("  2%|\xe2\x96\x8f         | 10/500 [00:05<04:10,  1.96it/s]",
        testing::shippedLogGrammar("hf-trainer"), nullptr);
    EXPECT_EQ(figures.bar, (ProgressBar{.at = 10, .of = 500}));
    const LogFigures map = readLogLine("Map: 50%|#####     | 500/1000 [00:05<00:05, 100 examples/s]",
        testing::shippedLogGrammar("hf-trainer"), nullptr);
    EXPECT_FALSE(map.bar) << "a bar with a description is not the training's";
}

TEST(LogLine, MemoryHasTheUnitOfTheLineWhereTheFormHasNone)
{
    const LogGrammar grammar{.forms = {{.words = "mem", .is = Q::Allocated}}};
    const auto bytesIn = [&](const char *line) { return readLogLine(line, grammar, nullptr).of(Q::Allocated); };
    EXPECT_EQ(bytesIn("mem=30.5GB"), 30.5e9);
    EXPECT_EQ(bytesIn("mem=2GiB"), 2147483648.0);
    EXPECT_EQ(bytesIn("mem=999999999999999"), 999999999999999.0);
    EXPECT_FALSE(bytesIn("mem=1000000000000000")) << "no GPU has a petabyte";
}

TEST(LogLine, ASpeedBeforeItsUnitCountsThousandsAndMillionsOnly)
{
    const LogGrammar grammar{.forms = {{.words = "tok/s", .is = Q::AllTokens}}};
    const auto speedIn = [&](const char *line) { return readLogLine(line, grammar, nullptr).of(Q::AllTokens); };
    EXPECT_EQ(speedIn("131.5k tok/s"), 131.5e3);
    EXPECT_EQ(speedIn("1.5m tok/s"), 1.5e6);
    EXPECT_FALSE(speedIn("epoch 12e tok/s"));
}

TEST(LogLine, BytesOfABinaryFileAreNoFigures)
{
    EXPECT_TRUE(
        readLogLine(std::string("step 3 loss 2.5 \x01\x02", 18), testing::shippedLogGrammar(), nullptr).empty());
}

TEST(LogPattern, GivesItsNamedGroups)
{
    const Result<LogPattern> pattern =
        LogPattern::compile("it=(?<step>\\d+) .*L=(?<loss>\\S+)( n=(?<grad_norm>\\S+))?");
    ASSERT_TRUE(pattern) << pattern.error().message();
    const LogFigures figures = pattern->match("\x1b[1mit=7 x L=2.5\x1b[0m");
    EXPECT_EQ(figures.of(Q::Step), 7);
    EXPECT_EQ(figures.of(Q::Loss), 2.5);
    EXPECT_FALSE(figures.of(Q::GradNorm));
    EXPECT_TRUE(pattern->match("nothing").empty());
}

TEST(LogPattern, IgnoresWhatALongLineHasBehindItsLimit)
{
    const LogPattern pattern = LogPattern::compile("(?<step>\\d+) +(?<loss>\\d+)").value();
    const std::string line = "7" + std::string(kLongestLogLine - 2, ' ') + "123";
    EXPECT_EQ(pattern.match(line).of(LogQuantity::Loss), 1);
}

TEST(LogPattern, TakesStepsUpToATrillion)
{
    const LogPattern pattern = LogPattern::compile("(?<step>\\d+) (?<loss>\\d+)").value();
    EXPECT_EQ(pattern.match("1000000000000 2").of(LogQuantity::Step), 1e12);
    EXPECT_FALSE(pattern.match("1000000000001 2").of(LogQuantity::Step));
}

TEST(LogPattern, IsRefusedWhereItHasNoStepOrIsNone)
{
    EXPECT_THAT(LogPattern::compile("loss (?<loss>\\S+)").error().message(), HasSubstr("no group named step"));
    EXPECT_THAT(LogPattern::compile("step (?<step>\\d+)").error().message(), HasSubstr("no group named loss"));
    EXPECT_THAT(LogPattern::compile("(?<step>").error().message(), HasSubstr("is not understood at character"));
}

TEST(LogPattern, ThatWouldTryForYearsFindsNothing)
{
    const Result<LogPattern> pattern = LogPattern::compile("(?<step>(a+)+)$(?<loss>)");
    ASSERT_TRUE(pattern);
    std::string line(4000, 'a');
    line.back() = 'b';
    EXPECT_TRUE(pattern->match(line).empty());
}

TEST(ScriptInterface, TakesWhatItInheritsBehindItsOwn)
{
    const ScriptInterface litgpt = testing::shippedScriptInterface("litgpt"),
                          unknown = testing::shippedScriptInterface();
    ASSERT_FALSE(litgpt.log.forms.empty());
    EXPECT_EQ(litgpt.log.forms.front().beside, "loss train");
    EXPECT_GT(litgpt.log.forms.size(), unknown.log.forms.size());
    EXPECT_EQ(litgpt.stop.signal, "TERM");
    EXPECT_EQ(testing::shippedScriptInterface("llm.c").stop, unknown.stop)
        << "it inherits nothing, and is read all the same";
    EXPECT_TRUE(testing::shippedScriptInterface("hf-trainer").log.stepFromBar);
}

} // namespace
} // namespace slipway
