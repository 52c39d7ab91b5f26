// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Files with metrics as the tools wrote them: PyTorch 2.11's SummaryWriter, and W&B 0.31 offline.
#include "runs/log_records.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "runs/tensorboard.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string recorded(const std::string &name)
{
    return readFile(std::string(SLIPWAY_TEST_DATA) + "/logs/" + name).value();
}
const std::string kEvents = "events.out.tfevents.1700000000.host", kWandb = "run.wandb";

TEST(LogFormatOf, IsTheOneOfTheFirstBytes)
{
    EXPECT_EQ(logFormatOf(recorded(kEvents).substr(0, 256)), LogFormat::TensorBoard);
    EXPECT_EQ(logFormatOf(recorded(kWandb).substr(0, 256)), LogFormat::Wandb);
    EXPECT_EQ(logFormatOf("{\n  \"best_global_step\": null,\n"), LogFormat::TrainerState);
    EXPECT_EQ(logFormatOf("{\n  \"lr\": 0.1,\n"), LogFormat::Lines) << "a script that prints its arguments";
    EXPECT_EQ(logFormatOf("{\"step\": 1, \"loss\": 2}\n"), LogFormat::Lines);
    EXPECT_EQ(logFormatOf(""), LogFormat::Lines);
    EXPECT_EQ(logFormatOf("{"), LogFormat::Lines);
}

TEST(LogRecords, OfTensorBoardAreItsScalarsWithTheirTimes)
{
    const std::string file = recorded(kEvents);
    const LogRecords records = tensorBoardRecords(file);
    EXPECT_EQ(records.taken, file.size());
    ASSERT_EQ(records.list.size(), 7U);
    EXPECT_EQ(records.list[0].step, 1);
    EXPECT_EQ(records.list[0].time, 1700000001);
    EXPECT_THAT(records.list[0].values, ElementsAre(Pair("train/loss", 4.0)));
    EXPECT_EQ(records.list[6].step, 3);
    EXPECT_THAT(records.list[6].values, ElementsAre(Pair("eval/loss", 1.5))) << "a tensor with one number";
}

TEST(LogRecords, OfAFileThatIsCutAreThoseThatAreWhole)
{
    const std::string events = recorded(kEvents), wandb = recorded(kWandb);
    std::size_t taken = 0;
    for (std::size_t size = 0; size <= events.size(); ++size) {
        const LogRecords records = tensorBoardRecords(std::string_view(events).substr(0, size));
        EXPECT_FALSE(records.isDamaged) << size;
        EXPECT_LE(records.taken, size);
        EXPECT_GE(records.taken, taken);
        taken = records.taken;
    }
    std::size_t offset = 0;
    std::vector<std::int64_t> steps;
    for (std::size_t size = 0; size <= wandb.size(); ++size) { // as it grows, byte by byte
        const LogRecords records = wandbRecords(
            std::string_view(wandb).substr(offset, size - offset), static_cast<std::int64_t>(offset), false);
        ASSERT_FALSE(records.isDamaged) << size;
        offset += records.taken;
        for (const LoggedValues &one : records.list)
            steps.push_back(one.step);
    }
    EXPECT_EQ(offset, wandb.size());
    EXPECT_THAT(steps, ElementsAre(10, 20, 30, 40, 50, 50));
}

TEST(LogRecords, OfWandbHaveTheStepThatTheTrainingCounts)
{
    const LogRecords records = wandbRecords(recorded(kWandb), 0, false);
    ASSERT_EQ(records.list.size(), 6U);
    EXPECT_EQ(records.list[0].step, 10);
    EXPECT_GT(records.list[0].time, 1.7e9);
    EXPECT_THAT(records.list[0].values, ::testing::Contains(Pair("train/loss", 4.0)));
    EXPECT_THAT(records.list[2].values, ::testing::Contains(Pair("train/grad_norm", ::testing::IsNan())));
    EXPECT_EQ(records.list[5].step, 50);
    EXPECT_THAT(records.list[5].values, ::testing::Contains(Pair("eval/loss", 1.5)));
}

TEST(LogRecords, PassOverDamageAndLargeOnes)
{
    std::string file = recorded(kEvents);
    file[file.size() - 10] ^= 1; // in the last event
    EXPECT_EQ(tensorBoardRecords(file).list.size(), 6U);
    file = recorded(kEvents);
    file[0] = 'x';
    EXPECT_TRUE(tensorBoardRecords(file).isDamaged) << "nobody can tell where the next one begins";
    const LogRecords large = tensorBoardRecords(tensorboardRecord(std::string(1 << 20, 'p')).substr(0, 5000));
    EXPECT_EQ(large.taken, 12U);
    EXPECT_EQ(large.behind, (1 << 20) + 4);
    std::string wandb = recorded(kWandb);
    wandb[13] = 9; // the type of the first fragment
    EXPECT_TRUE(wandbRecords(wandb, 0, false).isDamaged);
    for (std::size_t i = 0; i < wandb.size(); ++i) { // whatever stands there
        std::string changed = recorded(kWandb);
        changed[i] = static_cast<char>(changed[i] ^ 0x55);
        EXPECT_LE(wandbRecords(changed, 0, false).taken, changed.size());
    }
}

TEST(LogRecords, OfATrainerStateAreItsHistory)
{
    const auto records = trainerStateRecords(R"({
  "best_metric": null,
  "log_history": [
    {"epoch": 0.5, "grad_norm": 1.5, "learning_rate": 0.001, "loss": 2.5, "step": 10},
    {"epoch": 0.5, "eval_loss": 2.25, "step": 10},
    {"loss": 2.0, "step": -1}, {"loss": 2.0}, 7, {"loss": "x", "step": 11}
  ]
})");
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 2U) << "others have no step, or no number";
    EXPECT_EQ(records->at(0).step, 10);
    EXPECT_THAT(records->at(0).values, ::testing::Contains(Pair("loss", 2.5)));
    EXPECT_FALSE(trainerStateRecords("{\n \"best_metric\": null, \"log_hist"));
    EXPECT_TRUE(trainerStateRecords("[]")->empty());
}

} // namespace
} // namespace slipway
