// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/stop_watch.h"

#include <gtest/gtest.h>

#include <csignal>

#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::ScratchFolder;
using testing::writeBytes;

TEST(StopWatch, HearsNothingWhereNobodyAsks)
{
    const ScratchFolder folder;
    const StopWatch watch({.directory = folder.path()}, std::nullopt);
    EXPECT_FALSE(watch.asked());
}

TEST(StopWatch, TellsSignalsApart)
{
    const ScratchFolder folder;
    for (const auto &[signalNumber, name, status] :
        {std::tuple(SIGTERM, "SIGTERM", 143), std::tuple(SIGINT, "SIGINT", 130), std::tuple(SIGUSR1, "SIGUSR1", 143)}) {
        const StopWatch watch({.directory = folder.path()}, std::nullopt);
        EXPECT_FALSE(watch.asked());
        std::raise(signalNumber);
        EXPECT_EQ(watch.asked(), (StopReason{.text = name, .exitStatus = status}));
    }
}

TEST(StopWatch, FindsTheFileThatAsksForAStop)
{
    const ScratchFolder folder;
    const StopWatch watch({.directory = folder.path()}, std::nullopt);
    writeBytes(folder / "stop.request", "");
    EXPECT_EQ(watch.asked(), (StopReason{.text = "stop.request", .exitStatus = 143}));
}

TEST(StopWatch, EndsATimeLimit)
{
    const ScratchFolder folder;
    EXPECT_EQ(StopWatch({.directory = folder.path()}, 0.0).asked()->exitStatus, 124);
    EXPECT_FALSE(StopWatch({.directory = folder.path()}, 1e6).asked());
}

TEST(StopWatch, EndsAtTheNearestOfItsLimits)
{
    const ScratchFolder folder;
    StopWatch watch({.directory = folder.path()}, 1e6);
    watch.limit(1e30, "a budget that lasts");
    EXPECT_FALSE(watch.asked());
    watch.limit(-5, "the budget of $1.00");
    watch.limit(10, "later");
    EXPECT_EQ(watch.asked(), (StopReason{.text = "the budget of $1.00", .exitStatus = 124}));
}

} // namespace
} // namespace slipway
