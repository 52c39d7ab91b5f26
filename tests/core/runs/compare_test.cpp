// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_examples.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

const ComparedFigure &figure(const RunComparison &comparison, const std::string &name)
{
    const auto found = std::find_if(
        comparison.figures.begin(), comparison.figures.end(), [&](const ComparedFigure &f) { return f.name == name; });
    EXPECT_NE(found, comparison.figures.end()) << name;
    return *found;
}

TEST(CompareRuns, ShowsOnlyTheSettingsThatDiffer)
{
    const RunData a = exampleRun(10);
    RunData b = exampleRun(10);
    b.config->training.learningRate = 1e-3;
    b.config->training.name = "another";
    b.config->training.tags = {"x"};
    b.config->microBatch = 16;
    const RunComparison comparison = *compareRuns(std::vector<const RunData *>{&a, &b});
    ASSERT_THAT(comparison.settings, SizeIs(2));
    EXPECT_EQ(comparison.settings[0].key, "micro_batch");
    EXPECT_THAT(comparison.settings[0].values, ElementsAre("8", "16"));
    EXPECT_EQ(comparison.settings[1].key, "learning_rate");
}

TEST(CompareRuns, GivesTheDifferenceToTheBaselineAndToThePrediction)
{
    const RunData a = exampleRun(10);
    RunData b = exampleRun(10);
    editSteps(b.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.tokensPerSecond = 1500;
    });
    b.prediction = examplePrediction();
    const RunComparison comparison = *compareRuns(std::vector<const RunData *>{&a, &b}, 0);
    const ComparedFigure &speed = figure(comparison, "tokens/s");
    EXPECT_DOUBLE_EQ(*speed.toBaseline[0], 0.0);
    EXPECT_DOUBLE_EQ(*speed.toBaseline[1], 0.5);
    EXPECT_FALSE(speed.runs[0].ratio());
    EXPECT_NEAR(*speed.runs[1].ratio(), 1500 / (1000 / 0.9), 1e-12);
    EXPECT_DOUBLE_EQ(
        *figure(*compareRuns(std::vector<const RunData *>{&a, &b}, 1), "tokens/s").toBaseline[0], 1000.0 / 1500 - 1);
}

TEST(CompareRuns, SaysOfWhichRunsTheSettingsAreNotKnown)
{
    const TemporaryDirectory folder;
    const RunData a = exampleRun(10), b = exampleRun(10);
    RunData theirs = exampleRun(10), other = exampleRun(10);
    theirs.paths = {folder.path()};
    writeText(folder.path() / "imported.json", "{}");
    other.config->microBatch = 16;
    const auto sentence = [](const std::vector<const RunData *> &runs, const std::vector<std::string> &names) {
        return settingsSentence(*compareRuns(runs), names);
    };
    EXPECT_EQ(sentence({&a, &b}, {"a", "b"}), "The runs have the same settings.");
    EXPECT_EQ(sentence({&a, &other}, {"a", "o"}), "The runs differ in 1 setting.");
    EXPECT_EQ(sentence({&a, &theirs}, {"a", "theirs"}), "The settings of theirs are not known.");
    EXPECT_EQ(sentence({&a, &b, &theirs}, {"a", "b", "t"}),
        "The settings of t are not known. The other runs have the same settings.");
    EXPECT_EQ(sentence({&a, &theirs, &other}, {"a", "t", "o"}),
        "The settings of t are not known. The other runs differ in 1 setting.");
}

TEST(CompareRuns, TakesTwoToTwenty)
{
    const RunData run = exampleRun(1);
    EXPECT_FALSE(compareRuns(std::vector<const RunData *>{&run}));
    EXPECT_TRUE(compareRuns(std::vector<const RunData *>(20, &run)));
    EXPECT_FALSE(compareRuns(std::vector<const RunData *>(21, &run)));
    EXPECT_FALSE(compareRuns(std::vector<const RunData *>(2, &run), 2));
}

TEST(CompareRuns, ARunWithoutStepsLeavesItsPlacesEmpty)
{
    const RunData none = exampleRun(0), some = exampleRun(5);
    const RunComparison comparison = *compareRuns(std::vector<const RunData *>{&none, &some});
    EXPECT_FALSE(figure(comparison, "tokens/s").runs[0].measured);
    EXPECT_FALSE(figure(comparison, "tokens/s").toBaseline[1]);
}

} // namespace
} // namespace slipway
