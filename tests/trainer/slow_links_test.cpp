// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/slow_links.h"

#include <gtest/gtest.h>

#include "comm/thread_group.h"

namespace slipway {
namespace {

// Time that stands still but for what is waited for.
struct Played {
    Seconds now = 0;
    LinkClock clock{.now = [this] { return now; }, .waitUntil = [this](Seconds until) { now = until; }};
};

constexpr double kBytesPerSecond = 100;

TEST(SlowLinks, OverlapWithWhatIsComputedWhileAMessageIsUnderWay)
{
    ThreadGroup(2).run([](Communicator &ranks) {
        Played played;
        SlowLinks links(ranks, kBytesPerSecond, played.clock);
        const std::unique_ptr<Communicator> group = links.split(0);
        std::vector<std::byte> data(200, std::byte(links.rank())), got(200);
        const int other = 1 - links.rank();
        group->send(data, other);
        played.now += 1.5; // of 2 s
        group->receive(got, other);
        EXPECT_EQ(got.front(), std::byte(other));
        EXPECT_DOUBLE_EQ(played.now, 2);
        EXPECT_DOUBLE_EQ(links.messages().busy, 2);
        EXPECT_DOUBLE_EQ(links.messages().overlapped(), 0.75);
        EXPECT_DOUBLE_EQ(links.collectives().busy, 0);
    });
}

TEST(SlowLinks, BringOneMessageAfterTheOtherAndOverlapWithNoCollective)
{
    ThreadGroup(2).run([](Communicator &ranks) {
        const Played played;
        SlowLinks links(ranks, kBytesPerSecond, played.clock);
        std::vector<std::byte> data(100), got(100), all(200);
        for (int i = 0; i < 2; ++i)
            links.send(data, 1 - links.rank());
        for (int i = 0; i < 2; ++i)
            links.receive(got, 1 - links.rank());
        EXPECT_DOUBLE_EQ(played.now, 2);
        links.allGather(data, all);
        EXPECT_DOUBLE_EQ(played.now, 3);
        EXPECT_DOUBLE_EQ(links.messages().busy, 2);
        EXPECT_DOUBLE_EQ(links.messages().overlapped(), 0);
        EXPECT_DOUBLE_EQ(links.collectives().busy, 1);
        EXPECT_DOUBLE_EQ(links.collectives().overlapped(), 0);
    });
}

} // namespace
} // namespace slipway
