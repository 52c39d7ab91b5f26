// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/lone_watch.h"

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class LoneWatchTest : public ::testing::Test {
protected:
    LoneWatchTest() { static_cast<void>(watch.look(signs)); }

    // Whether any of so many looks finds a hang; `change` is made to the signs before each.
    template<typename Change>
    bool looks(int count, Change change)
    {
        bool hangs = false;
        for (int i = 0; i < count; ++i) {
            change(signs);
            hangs = watch.look(signs) || hangs;
        }
        return hangs;
    }
    bool looks(int count)
    {
        return looks(count, [](SignsOfLife &) {});
    }

    LoneWatch watch;
    SignsOfLife signs{.steps = 7, .processor = 12, .transferred = 4096};
};

constexpr int kLong = 10 * LoneWatch::kPatience;

TEST_F(LoneWatchTest, TakesARankOfWhichNothingMovesForOneThatHangs)
{
    EXPECT_FALSE(looks(LoneWatch::kPatience));
    EXPECT_TRUE(looks(1));
}

TEST_F(LoneWatchTest, LeavesALongOpAlone)
{
    EXPECT_FALSE(looks(kLong, [](SignsOfLife &s) { s.processor += 2 * LoneWatch::kBusy; }));
}

TEST_F(LoneWatchTest, LeavesASlowDiskAlone)
{
    EXPECT_FALSE(looks(
        kLong, [n = 0](SignsOfLife &s) mutable { s.transferred += ++n % LoneWatch::kPatience == 0 ? 512U : 0U; }));
}

TEST_F(LoneWatchTest, LeavesALongStepOfManyPartsOnADeviceAlone)
{
    EXPECT_FALSE(looks(kLong, [](SignsOfLife &s) { ++s.steps, s.awaitsDevice = true; }));
}

TEST_F(LoneWatchTest, IsNotMisledByAProcessorThatIsBusyWithWaitingForADevice)
{
    signs.awaitsDevice = true;
    EXPECT_TRUE(looks(LoneWatch::kPatience + 1, [](SignsOfLife &s) { s.processor += 30; }));
}

TEST_F(LoneWatchTest, CountsFromTheLastSignOfLife)
{
    EXPECT_FALSE(looks(LoneWatch::kPatience - 1));
    EXPECT_FALSE(looks(1, [](SignsOfLife &s) { ++s.steps; }));
    EXPECT_FALSE(looks(LoneWatch::kPatience));
    EXPECT_TRUE(looks(1));
}

} // namespace
} // namespace slipway::testing
