// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/budget.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/runs/run_examples.h"
#include "predict/predict.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::writeBytes;

class Budget : public ::testing::Test {
protected:
    Budget() { m_config.training.stopAtUsd = 12; }
    void planned(std::optional<Usd> usdPerHour, bool relative = false)
    {
        Prediction prediction = examplePrediction();
        prediction.cost.usdPerHour = usdPerHour;
        prediction.cost.relative = relative;
        writeBytes(m_paths.prediction(), toJson(prediction).dump());
    }
    ScratchFolder m_folder;
    RunPaths m_paths{m_folder.path()};
    RunConfig m_config;
};

TEST_F(Budget, IsTheTimeThatItsPriceBuys)
{
    planned(3600.0);
    EXPECT_DOUBLE_EQ(secondsOfBudget(m_paths, m_config)->value(), 12);
}

TEST_F(Budget, IsLessWhatEarlierAttemptsAreBilled)
{
    planned(3600.0);
    std::string lines; // three steps, and an hour later two, of which the first repeats one
    for (const auto &[attempt, step, time] : {std::tuple(0, 1, "00:00:01"), std::tuple(0, 2, "00:00:02"),
             std::tuple(0, 3, "00:00:03"), std::tuple(1, 3, "01:00:00"), std::tuple(1, 4, "01:00:01")}) {
        StepMetrics metrics;
        metrics.attempt = attempt;
        metrics.step = step;
        metrics.time = std::string("2026-01-02T") + time + ".000Z";
        metrics.stepSeconds = 1;
        lines += toJsonLine(metrics) + "\n";
    }
    writeBytes(m_paths.metrics(), lines);
    EXPECT_NEAR(secondsOfBudget(m_paths, m_config)->value(), 12 - 3 - 2, 1e-6);
    m_config.training.stopAtUsd = 4;
    EXPECT_NEAR(secondsOfBudget(m_paths, m_config)->value(), -1, 1e-6);
}

TEST_F(Budget, IsNoneWhereNobodySetOneAndRefusedWhereNothingHasAPrice)
{
    for (const bool relative : {false, true}) {
        planned(relative ? std::optional(2.0) : std::nullopt, relative);
        EXPECT_THAT(secondsOfBudget(m_paths, m_config).error().message(),
            HasSubstr("stop_at_usd: prediction.json has no price per hour"));
    }
    m_config.training.stopAtUsd.reset();
    EXPECT_EQ(*secondsOfBudget(m_paths, m_config), std::nullopt);
}

} // namespace
} // namespace slipway
