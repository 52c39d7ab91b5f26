// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gmock/gmock.h>

#include "ui/plan/plan_document.h"

namespace slipway::ui {
namespace {

TEST(PlanCommand, NamesWhatDiffersFromTheDefaultsAndNothingElse)
{
    RunConfig config;
    EXPECT_EQ(planCommand(config), "slipway plan");
    config.microBatch = 4;
    config.model.name = "my model.yaml";
    config.training.learningRate = 1.0; // of a run, not of a plan
    const std::string command = planCommand(config);
    EXPECT_THAT(command, ::testing::HasSubstr("--model 'my model.yaml'"));
    EXPECT_THAT(command, ::testing::HasSubstr("--micro-batch 4"));
    EXPECT_THAT(command, ::testing::Not(::testing::HasSubstr("learning")));
}

} // namespace
} // namespace slipway::ui
