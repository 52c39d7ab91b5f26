// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/stall_detector.h"

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class StallDetectorTest : public ::testing::Test {
protected:
    StallDetectorTest() { static_cast<void>(watch.check(signs)); }

    // Whether any of so many checks finds a hang; `change` is made to the signs before each.
    template<typename Change>
    bool checks(int count, Change change)
    {
        bool hangs = false;
        for (int i = 0; i < count; ++i) {
            change(signs);
            hangs = watch.check(signs) || hangs;
        }
        return hangs;
    }
    bool checks(int count)
    {
        return checks(count, [](ProcessActivity &) {});
    }

    StallDetector watch;
    ProcessActivity signs{.steps = 7, .processor = 12, .transferred = 4096};
};

constexpr int kLong = 10 * StallDetector::kPatience;

TEST_F(StallDetectorTest, TakesARankOfWhichNothingMovesForOneThatHangs)
{
    EXPECT_FALSE(checks(StallDetector::kPatience));
    EXPECT_TRUE(checks(1));
}

TEST_F(StallDetectorTest, LeavesALongOpAlone)
{
    EXPECT_FALSE(checks(kLong, [](ProcessActivity &s) { s.processor += 2 * StallDetector::kBusy; }));
}

TEST_F(StallDetectorTest, LeavesASlowDiskAlone)
{
    EXPECT_FALSE(checks(kLong,
        [n = 0](ProcessActivity &s) mutable { s.transferred += ++n % StallDetector::kPatience == 0 ? 512U : 0U; }));
}

TEST_F(StallDetectorTest, LeavesALongStepOfManyPartsOnADeviceAlone)
{
    EXPECT_FALSE(checks(kLong, [](ProcessActivity &s) { ++s.steps, s.reportDeviceWait = true; }));
}

TEST_F(StallDetectorTest, IsNotMisledByAProcessorThatIsBusyWithWaitingForADevice)
{
    signs.reportDeviceWait = true;
    EXPECT_TRUE(checks(StallDetector::kPatience + 1, [](ProcessActivity &s) { s.processor += 30; }));
}

TEST_F(StallDetectorTest, CountsFromTheLastSignOfLife)
{
    EXPECT_FALSE(checks(StallDetector::kPatience - 1));
    EXPECT_FALSE(checks(1, [](ProcessActivity &s) { ++s.steps; }));
    EXPECT_FALSE(checks(StallDetector::kPatience));
    EXPECT_TRUE(checks(1));
}

} // namespace
} // namespace slipway::testing
