// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Constants that are fitted to measured peaks.
#include <gtest/gtest.h>

#include <cmath>

#include "calibration_fixture.h"
#include "measure/fit_memory.h"

namespace slipway {
namespace {

TEST(Calibration, refusesAPeakThatTheCardCannotHold)
{
    std::vector<Observation> runs = runsOf({}, 1);
    runs[0].allocated = 900 * kGiB;
    const Result<CalibrationOutcome> outcome = calibrate(runs, {.id = "mine", .asOf = "2026-01-02"}, catalogue());
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message().find("used 900.0 GiB on a GPU with"), std::string::npos)
        << outcome.error().message();
}

TEST(Calibration, refusesToHoldMoreThanAllThatIsPlannedSeveralTimesOver)
{
    const MemoryRow small{.allocated = 42 * kGiB, .predictedAllocated = kGiB / 2};
    const MemoryFit refused = fitMemory({small}, {}, catalogue().rates);
    EXPECT_TRUE(refused.constants.empty());
    ASSERT_FALSE(refused.refused.empty());
    EXPECT_EQ(refused.refused[0].constant, Constant::Held);
    EXPECT_NE(refused.refused[0].why.find("probably does not match the run"), std::string::npos);
    const MemoryRow large{.allocated = 70 * kGiB, .predictedAllocated = 70 * kGiB - (41 * kGiB + kGiB / 2)};
    EXPECT_EQ(fitMemory({small, large}, {}, catalogue().rates).constants.size(), 1U)
        << "as much was held beyond a plan that is as large";
}

// Sources differ by 15 % in their peaks, rows of one source by 7 %: of one run 82 % of its difference counts.
TEST(Calibration, takesAFactorOnPeaksOfRunsThatDifferAsTheirPlansDo)
{
    const auto row = [](double measured, double planned) {
        return MemoryRow{
            .allocated = Bytes(measured * double(kGiB)), .predictedAllocated = Bytes(planned * double(kGiB))};
    };
    const MemoryFit one = fitMemory({row(12, 10)}, {}, catalogue().rates);
    ASSERT_EQ(one.constants.size(), 1U);
    EXPECT_EQ(one.constants[0].constant, Constant::MemoryRatio);
    EXPECT_NEAR(std::log(one.constants[0].value), 0.0225 / (0.0225 + 0.0049) * std::log(1.2), 1e-9);
    const MemoryFit less = fitMemory({row(8, 10), row(17, 20), row(33, 40)}, {}, catalogue().rates);
    ASSERT_EQ(less.constants.size(), 1U) << "less than planned as well";
    EXPECT_LT(less.constants[0].value, 0.87);
    const MemoryFit bytes = fitMemory({row(12, 10), row(22, 20), row(42, 40)}, {}, catalogue().rates);
    ASSERT_EQ(bytes.constants.size(), 1U) << "as many bytes in all";
    EXPECT_EQ(bytes.constants[0].constant, Constant::Held);
    EXPECT_TRUE(fitMemory({row(10, 10), row(20, 20.01)}, {}, catalogue().rates).constants.empty())
        << "nothing is to be explained";
    const MemoryFit device = fitMemory(
        {{.device = 13 * kGiB, .predictedReserved = 10 * kGiB, .predictedOutside = kGiB}}, {}, catalogue().rates);
    ASSERT_EQ(device.constants.size(), 1U) << "of what a device shows, too";
    EXPECT_EQ(device.constants[0].constant, Constant::MemoryRatio);
}

// Only the first of two nodes was read, and the last stage of the pipeline, which needs most, is on the second one.
TEST(Calibration, comparesThePeakOfTheRanksThatWereRead)
{
    Observation run{.id = "run",
        .resolved = resolvedOf({{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "megatron"}, {"gpus", "8"},
            {"parallel", "ddp"}, {"gpus_per_node", "4"}, {"pp", "2"}, {"grad_accum", "2"}, {"vocab", "250000"}}),
        .onlyFirstNode = true};
    const MemoryPrediction m = assess(run.resolved, catalogue()).value().memory;
    ASSERT_GT(double(m.peakAllocated), 1.05 * double(m.stages.front().allocated));
    run.allocated = m.stages.front().allocated;
    EXPECT_LT(outcomeOf({run}).memory.before, 1e-6);
    run.onlyFirstNode = false;
    EXPECT_GT(outcomeOf({run}).memory.before, 0.05);
}

// The factor follows the median: 1.1 of three runs, one of which takes twice its plan. Of three runs 93 % of it counts.
TEST(Calibration, takesTheFactorOfMostPeaks)
{
    const auto row = [](double measured, double planned) {
        return MemoryRow{
            .allocated = Bytes(measured * double(kGiB)), .predictedAllocated = Bytes(planned * double(kGiB))};
    };
    const MemoryFit fit = fitMemory({row(11, 10), row(44, 40), row(40, 20)}, {}, catalogue().rates);
    ASSERT_EQ(fit.constants.size(), 1U);
    EXPECT_EQ(fit.constants[0].constant, Constant::MemoryRatio);
    EXPECT_NEAR(std::log(fit.constants[0].value), 0.0225 / (0.0225 + 0.0049 / 3) * std::log(1.1), 1e-9);
}

// One run is 32 GiB above its plan, and one 6 GiB. That is no reason to add 19 GiB to all plans.
TEST(Calibration, takesAFactorWhereTwoRunsDoNotTellBytesFromIt)
{
    const MemoryRow far{.reserved = 82 * kGiB, .predictedReserved = 50 * kGiB},
        near{.reserved = 71 * kGiB, .predictedReserved = 65 * kGiB};
    const MemoryFit fit = fitMemory({far, near}, {}, catalogue().rates);
    ASSERT_EQ(fit.constants.size(), 1U);
    EXPECT_EQ(fit.constants[0].constant, Constant::MemoryRatio);
}

TEST(Calibration, scalesAllThatIsPlannedByTheFactor)
{
    const std::vector<Observation> runs = runsOf({}, 1);
    ResolvedConfig resolved = runs[0].resolved;
    const MemoryPrediction planned = assess(resolved, catalogue()).value().memory;
    resolved.calibration.set(Constant::MemoryRatio, 1.25);
    const MemoryPrediction more = assess(resolved, catalogue()).value().memory;
    EXPECT_GT(more.peakAllocated, planned.peakAllocated * 12 / 10);
    EXPECT_LE(more.peakAllocated, planned.peakAllocated * 125 / 100);
    EXPECT_EQ(more.outsideAllocator, planned.outsideAllocator);
    EXPECT_TRUE(resolved.calibration.fitsMemory());
    EXPECT_FALSE(resolved.calibration.fitsSpeed());
}

TEST(Calibration, fitsWhatTheAllocatorHoldsAndWhatLiesOutside)
{
    const CalibrationOutcome outcome =
        outcomeOf(runsOf(truthOf({{Constant::Held, 2.0 * double(kGiB)}, {Constant::Outside, 3.0 * double(kGiB)}})));
    const DeviceCalibration device = outcome.calibration.of("a100-sxm-80gb", "pytorch-eager");
    EXPECT_NEAR(double(device.bytes(Constant::Held)) / double(kGiB), 2, 0.02) << toText(outcome);
    EXPECT_NEAR(double(device.bytes(Constant::Outside)) / double(kGiB), 3, 0.03);
    EXPECT_LT(outcome.memory.after, 0.005);
}

} // namespace
} // namespace slipway
