// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/imported_run.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/progress.h"
#include "runs/run_reader.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Importing : ::testing::Test {
    TemporaryDirectory m_folder;
    std::filesystem::path file(const std::string &name, const std::string &text)
    {
        writeText(m_folder.path() / name, text);
        return m_folder.path() / name;
    }
    std::string errorOf(const std::string &name, const std::string &text)
    {
        const Result<ImportedMetrics> read = readExports({file(name, text)});
        return read ? "" : read.error().message();
    }
};

TEST_F(Importing, TensorboardsTablesOfSeveralTagsMeetAtTheirSteps)
{
    const auto loss =
        file("run-.-tag-train_loss.csv", "Wall time,Step,Value\n1700000000.5,1,4.5\n1700000001.5,2,NaN\n");
    const auto rate = file("run-.-tag-lr.json", "[[1700000000.5, 1, 0.001], [1700000001.5, 2, 0.002]]");
    const Result<ImportedMetrics> read = readExports({loss, rate});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->tool, "tensorboard");
    ASSERT_THAT(read->metrics, SizeIs(2));
    EXPECT_EQ(read->metrics[0].loss, 4.5);
    EXPECT_EQ(read->metrics[0].learningRate, 0.001);
    EXPECT_EQ(read->metrics[0].time, "2023-11-14T22:13:20.500Z");
    EXPECT_TRUE(std::isnan(read->metrics[1].loss));
}

TEST_F(Importing, JsonThatNestsVeryDeepOrLinesThatAreVeryLongAreErrors)
{
    const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
    EXPECT_THAT(errorOf("a.json", deep), HasSubstr("a.json: has arrays and objects more than 16 deep"));
    EXPECT_THAT(
        errorOf("b.json", "{\"_step\":1,\"loss\":1}\n{\"_step\":2,\"loss\":" + deep.substr(50'000, 20'000) + "}"),
        HasSubstr("b.json:2: has arrays and objects more than 16 deep"));
    EXPECT_THAT(errorOf("c.json", "{\"_step\":1,\"loss\":1}\n{\"_step\":2}" + std::string(70'000, ' ') + "\n"),
        HasSubstr("c.json:2: is larger than 65536 bytes"));
}

TEST_F(Importing, WhatTheOtherToolDidNotMeasureIsNotMeasuredAsNought)
{
    const Result<ImportedMetrics> read =
        readExports({file("run-.-tag-loss.csv", "Wall time,Step,Value\n1700000000,1,4.5\n1700000001,2,4.4\n")});
    ASSERT_TRUE(read) << read.error().message();
    RunData run;
    for (const StepMetrics &row : read->metrics)
        run.metrics.push_back(row);
    EXPECT_TRUE(run.metrics.measured({Quantity::Loss}));
    for (const Quantity quantity :
        {Quantity::TokensPerSecond, Quantity::StepSeconds, Quantity::LearningRate, Quantity::GradNorm})
        EXPECT_FALSE(run.metrics.measured({quantity}));
    EXPECT_EQ(summaryOf(run).steadyTokensPerSecond, std::nullopt);
}

TEST_F(Importing, WandbsTableTakesTheCurveAndLeavesItsEdges)
{
    const Result<ImportedMetrics> read = readExports({file("wandb.csv",
        "\"Step\",\"my - run - train/loss\",\"my - run - train/loss__MIN\",\"my - run - train/loss__MAX\",\"my - run - "
        "custom\"\n\"0\",\"5.5\",\"5\",\"6\",\"1\"\n\"10\",\"4.5\",\"4\",\"5\",\"\"\n")});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->tool, "wandb");
    ASSERT_THAT(read->metrics, SizeIs(2));
    EXPECT_EQ(read->metrics[1].step, 10);
    EXPECT_EQ(read->metrics[1].loss, 4.5);
    EXPECT_THAT(read->taken, Contains("train/loss"));
    EXPECT_THAT(read->ignored, Contains("custom"));
}

TEST_F(Importing, WandbsHistoryOfObjectsHasTimesAndTokens)
{
    const Result<ImportedMetrics> read = readExports(
        {file("history.jsonl", "{\"_step\":3,\"_timestamp\":1700000000,\"loss\":2.5,\"val_loss\":2.6,\"tokens_seen\":"
                               "4096,\"tokens_per_sec\":1000,\"mfu\":0.4}\n\n{\"_step\":4,\"loss\":\"NaN\"}\n")});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->metrics[0].tokens, 4096);
    EXPECT_EQ(read->metrics[0].evalLoss, 2.6);
    EXPECT_EQ(read->metrics[0].tokensPerSecond, 1000);
    EXPECT_EQ(read->metrics[0].mfu, 0.4);
    EXPECT_TRUE(std::isnan(read->metrics[1].loss));
}

TEST_F(Importing, BecomesARunDirectoryThatReadsLikeOne)
{
    const Registry registry(m_folder.path() / "runs");
    const Result<std::filesystem::path> made =
        importRun("theirs: 'a' # b", {file("run-x-tag-loss.csv", "Wall time,Step,Value\n1,1,4\n2,2,3\n")}, registry);
    ASSERT_TRUE(made) << made.error().message();
    const Result<RunData> run = readRun(*made);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->name, "theirs: 'a' # b");
    EXPECT_EQ(run->state(), RunState::Succeeded);
    EXPECT_THAT(run->metrics, SizeIs(2));
    EXPECT_TRUE(isImported(run->paths));
    EXPECT_THAT(run->config->training.tags, Contains("tensorboard"));
}

TEST_F(Importing, NamesTheLineThatIsWrong)
{
    EXPECT_THAT(
        errorOf("run-.-tag-loss.csv", "Wall time,Step,Value\n1,1,4\n2,two,3\n"), HasSubstr("run-.-tag-loss.csv:3"));
    EXPECT_THAT(errorOf("a.csv", "x,y\n1,2\n"), HasSubstr("Wall time,Step,Value"));
    EXPECT_THAT(errorOf("a.json", "[[1,2,3],[1,2]]"), HasSubstr("entry 2"));
    EXPECT_THAT(errorOf("b.json", "[{\"loss\":1}]"), HasSubstr("_step"));
    EXPECT_THAT(errorOf("c.jsonl", "{\"_step\":1,\"loss\":1}\n{broken\n"), HasSubstr("c.jsonl:2"));
    EXPECT_THAT(errorOf("d.csv", "_step,nothing\n1,2\n"), HasSubstr("no known metric"));
    EXPECT_THAT(errorOf("run-.-tag-loss.csv", "Wall time,Step,Value\n1,-4,4\n"), HasSubstr(":2"));
    EXPECT_NE(errorOf("empty.csv", ""), "");
    EXPECT_FALSE(readExports({m_folder.path() / "not-there.csv"}));
}

TEST_F(Importing, LeavesNoRunBehindWhereItFails)
{
    const Registry registry(m_folder.path() / "runs");
    EXPECT_FALSE(importRun("x", {file("a.csv", "x,y\n1,2\n")}, registry));
    EXPECT_TRUE(registry.list().empty());
}

} // namespace
} // namespace slipway
