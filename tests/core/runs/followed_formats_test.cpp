// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// metrics.jsonl out of what is not a log of lines: TensorBoard, W&B, Transformers' trainer_state.json, nvidia-smi.
#include <cmath>

#include <gmock/gmock.h>

#include "followed_log.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using testing::FollowedLog;

TEST_F(FollowedLog, OfTensorBoardHasItsStepsAndTimesHoweverItIsCut)
{
    writeRules("runs", false, {});
    const std::string file =
        readFile(std::string(SLIPWAY_TEST_DATA) + "/logs/events.out.tfevents.1700000000.host").value();
    for (std::size_t size = 100; size < file.size() + 50; size += 50) {
        writeOwn(file.substr(0, size), false);
        poll();
    }
    poll(true);
    ASSERT_THAT(steps(), ElementsAre(1, 2, 3));
    EXPECT_EQ(metrics()[0].loss, 4);
    EXPECT_NEAR(metrics()[0].learningRate, 1e-3, 1e-9);
    EXPECT_EQ(metrics()[1].stepSeconds, 1);
    EXPECT_EQ(metrics()[2].evalLoss, 1.5);
}

TEST_F(FollowedLog, OfWandbHasItsSteps)
{
    writeRules("wandb", false, {});
    writeOwn(readFile(std::string(SLIPWAY_TEST_DATA) + "/logs/run.wandb").value(), false);
    poll(true);
    ASSERT_THAT(steps(), ElementsAre(10, 20, 30, 40, 50));
    EXPECT_TRUE(std::isnan(metrics()[2].gradNorm));
    EXPECT_EQ(metrics()[4].evalLoss, 1.5);
}

TEST_F(FollowedLog, OfATrainerStateHasEachStepOnceThoughEveryCheckpointTellsAll)
{
    writeRules("out", false, "hf-trainer");
    const auto state = [](int steps) {
        std::string text =
            "{\n  \"best_metric\": null,\n  \"global_step\": " + std::to_string(steps) + ",\n  \"log_history\": [";
        for (int i = 1; i <= steps; ++i)
            text += std::string(i > 1 ? "," : "") + "{\"learning_rate\": 0.5, \"loss\": " + std::to_string(3.0 / i) +
                    ", \"step\": " + std::to_string(i) + "}";
        return text + "]\n}\n";
    };
    writeOwn(state(2), false);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    const std::string cut = state(4);
    writeOwn(cut.substr(0, cut.size() / 2), true);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2)) << "it is being written";
    writeOwn(cut, false);
    poll();
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(metrics()[3].learningRate, 0.5);
}

TEST_F(FollowedLog, HasWhatTheGpusDid)
{
    std::ofstream(m_paths.directory / "script.times", std::ios::app)
        << "g " << m_begin << " 0, 97, 301.5, 61, 40000\ng " << m_begin << " 1, [N/A], 300, 60, 40001\n";
    append("step 1 loss 4\n");
    poll();
    const std::vector<GpuSample> gpus = metrics().at(0).gpus;
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[0].utilisation, 97);
    EXPECT_EQ(gpus[0].powerWatts, 301.5);
    EXPECT_EQ(gpus[0].used, 40000 * kMiB);
    EXPECT_FALSE(gpus[0].clockMhz) << "an older runner did not ask for it";
    EXPECT_FALSE(gpus[1].utilisation);
}

TEST_F(FollowedLog, HasTheClocksOfTheGpusAndLeavesOutWhatCannotBe)
{
    std::ofstream times(m_paths.directory / "script.times", std::ios::app);
    for (const char *gpu : {"0, 97, 301.5, 61, 40000, 1410, 1980, 0x0000000000000004",
             "1, 97, 301.5, 61, 40000, [N/A], [N/A], [N/A]", "2, 97, 301.5, 61, 40000, 1410, 1980",
             "3, 101, -1, 4000, -5, -1, 0, 0xffffffffffffffff", "4, nan, inf, -inf, nan, nan, inf, 4"})
        times << "g " << m_begin << " " << gpu << "\n";
    times << std::flush;
    append("step 1 loss 4\n");
    poll();
    const GpuSample all{.utilisation = 97, .powerWatts = 301.5, .temperatureC = 61, .used = 40000 * kMiB};
    GpuSample first = all, third = all;
    first.clockMhz = third.clockMhz = 1410;
    first.clockMaxMhz = third.clockMaxMhz = 1980;
    first.throttleReasons = 4;
    EXPECT_THAT(metrics().at(0).gpus, ElementsAre(first, all, third, GpuSample(), GpuSample()));
}

} // namespace
} // namespace slipway
