// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/stop_monitor.h"

#include <gtest/gtest.h>

#include <csignal>

#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::ScratchFolder;
using testing::writeBytes;

TEST(StopMonitor, HearsNothingWhereNobodyAsks)
{
    const ScratchFolder folder;
    const StopMonitor monitor({.directory = folder.path()}, std::nullopt);
    EXPECT_FALSE(monitor.reason());
}

TEST(StopMonitor, TellsSignalsApart)
{
    const ScratchFolder folder;
    for (const auto &[signalNumber, name, status] :
        {std::tuple(SIGTERM, "SIGTERM", 143), std::tuple(SIGINT, "SIGINT", 130), std::tuple(SIGUSR1, "SIGUSR1", 143)}) {
        const StopMonitor monitor({.directory = folder.path()}, std::nullopt);
        EXPECT_FALSE(monitor.reason());
        std::raise(signalNumber);
        EXPECT_EQ(monitor.reason(), (StopReason{.text = name, .exitStatus = status}));
    }
}

TEST(StopMonitor, FindsTheFileThatAsksForAStop)
{
    const ScratchFolder folder;
    const StopMonitor monitor({.directory = folder.path()}, std::nullopt);
    writeBytes(folder / "stop.request", "");
    EXPECT_EQ(monitor.reason(), (StopReason{.text = "stop.request", .exitStatus = 143}));
}

TEST(StopMonitor, EndsATimeLimit)
{
    const ScratchFolder folder;
    EXPECT_EQ(StopMonitor({.directory = folder.path()}, 0.0).reason()->exitStatus, 124);
    EXPECT_FALSE(StopMonitor({.directory = folder.path()}, 1e6).reason());
}

TEST(StopMonitor, EndsAtTheNearestOfItsLimits)
{
    const ScratchFolder folder;
    StopMonitor monitor({.directory = folder.path()}, 1e6);
    monitor.limit(1e30, "a budget that lasts");
    EXPECT_FALSE(monitor.reason());
    monitor.limit(-5, "the budget of $1.00");
    monitor.limit(10, "later");
    EXPECT_EQ(monitor.reason(), (StopReason{.text = "the budget of $1.00", .exitStatus = 124}));
}

} // namespace
} // namespace slipway
