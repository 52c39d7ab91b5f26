// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How long the stages of our own trainer's pipelines wait, by schedule, and what each axis of a mesh adds to a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "config/settings.h"
#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

SpeedPrediction speedOf(SettingTexts changes)
{
    SettingTexts all{{"model", "100M"}, {"layers", "8"}, {"hidden", "512"}, {"heads", "8"}, {"kv_heads", "8"},
        {"gpu", "cpu"}, {"precision", "fp32"}, {"parallel", "none"}, {"micro_batch", "1"}, {"seq_len", "256"},
        {"gpus", "4"}, {"pp", "4"}, {"grad_accum", "8"}};
    all.insert(all.end(), changes.begin(), changes.end());
    const Result<Prediction> p = predict(applySettings({}, all).value(), catalogue());
    EXPECT_TRUE(p) << (p ? "" : p.error().message());
    return p ? p->speed : SpeedPrediction{};
}

// Of the step, in the stage that waits least: the others have less to do, too.
double bubbleOf(const SpeedPrediction &speed)
{
    EXPECT_FALSE(speed.bubbles.empty());
    return speed.bubbles.empty() ? 0 : *std::min_element(speed.bubbles.begin(), speed.bubbles.end()) / speed.step;
}

TEST(PipelineSpeed, EveryStageWaitsAndWorksWithinTheStep)
{
    for (const char *schedule : {"gpipe", "1f1b", "zero-bubble"}) {
        const SpeedPrediction speed = speedOf({{"pipeline_schedule", schedule}});
        ASSERT_EQ(speed.bubbles.size(), 4U) << schedule;
        for (const Seconds idle : speed.bubbles) {
            EXPECT_GT(idle, 0) << schedule;
            EXPECT_LT(idle, speed.step) << schedule;
        }
    }
    EXPECT_TRUE(speedOf({{"pp", "1"}, {"parallel", "ddp"}}).bubbles.empty()) << "there is no pipeline";
}

TEST(PipelineSpeed, MoreMicroBatchesInterleavingAndASplitBackwardPassShortenTheBubble)
{
    const double plain = bubbleOf(speedOf({}));
    EXPECT_LT(bubbleOf(speedOf({{"grad_accum", "32"}})), 0.5 * plain);
    EXPECT_LT(bubbleOf(speedOf({{"pipeline_schedule", "interleaved"}, {"virtual_stages", "2"}})), plain);
    EXPECT_LT(bubbleOf(speedOf({{"pipeline_schedule", "zero-bubble"}})), plain);
    EXPECT_NEAR(bubbleOf(speedOf({{"pipeline_schedule", "gpipe"}})), plain, 0.05 * plain)
        << "GPipe holds more micro-batches, and waits as long";
}

TEST(PipelineSpeed, WhatTheAxesOfAMeshExposeAddsUpToNoMoreThanAllExposedCommunication)
{
    const SpeedPrediction speed = speedOf({{"gpus", "8"}, {"pp", "2"}, {"tp", "2"}, {"parallel", "ddp"}});
    Seconds sum = 0;
    for (const auto &[axis, exposed] : speed.exposedByAxis) {
        EXPECT_TRUE(axis == "tp" || axis == "pp" || axis == "dp") << axis;
        EXPECT_GE(exposed, 0) << axis;
        sum += exposed;
    }
    EXPECT_EQ(speed.exposedByAxis.size(), 3U);
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, speed.communicationExposed * (1 + 1e-9));
}

// Gathered keys are there before attention begins; those of a ring come while it runs.
TEST(ContextSpeed, ARingOverlapsWhatGatheringExposes)
{
    const auto exposed = [](const char *exchange) {
        const SpeedPrediction speed = speedOf(
            {{"pp", "1"}, {"cp", "4"}, {"seq_len", "4096"}, {"grad_accum", "1"}, {"context_exchange", exchange}});
        const auto axis = std::ranges::find(speed.exposedByAxis, "cp", &std::pair<std::string, Seconds>::first);
        return axis == speed.exposedByAxis.end() ? -1 : axis->second;
    };
    EXPECT_GT(exposed("gather"), 0);
    EXPECT_GE(exposed("ring"), 0);
    EXPECT_LT(exposed("ring"), 0.2 * exposed("gather"));
}

} // namespace
} // namespace slipway
