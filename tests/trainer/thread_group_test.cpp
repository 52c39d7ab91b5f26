// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <atomic>
#include <cmath>
#include <future>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"

namespace slipway::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ThreadGroup, SumsOnEveryRankWhateverTheLength)
{
    for (const int ranks : {1, 2, 3, 4}) {
        for (const std::size_t length : {0u, 1u, 2u, 7u, 1000u}) {
            ThreadGroup group(ranks);
            std::vector<std::vector<float>> data(static_cast<std::size_t>(ranks), std::vector<float>(length));
            group.run([&](Communicator &communicator) {
                auto &mine = data[static_cast<std::size_t>(communicator.rank())];
                std::fill(mine.begin(), mine.end(), static_cast<float>(communicator.rank() + 1));
                communicator.allReduceSum(mine);
            });
            for (const auto &result : data)
                EXPECT_THAT(result, Each(static_cast<float>(ranks * (ranks + 1)) / 2));
        }
    }
}

TEST(ThreadGroup, WritesNothingBehindWhatItSums)
{
    constexpr float kGuard = 99;
    for (const std::size_t length : {1u, 2u, 5u, 7u}) { // of which no rank has an equal part
        ThreadGroup group(4);
        std::vector<std::vector<float>> data(4, std::vector<float>(length + 8, kGuard));
        group.run([&](Communicator &communicator) {
            auto &mine = data[static_cast<std::size_t>(communicator.rank())];
            std::fill_n(mine.begin(), length, 1.0f);
            communicator.allReduceSum(std::span(mine).first(length));
        });
        for (const auto &result : data) {
            EXPECT_THAT(std::vector(result.begin(), result.begin() + static_cast<long>(length)), Each(4.0f));
            EXPECT_THAT(std::vector(result.begin() + static_cast<long>(length), result.end()), Each(kGuard));
        }
    }
}

TEST(ThreadGroup, SumsInRankOrder)
{
    // In fp32 only (1e8 + -1e8) + 1 gives 1.
    const std::vector<float> values{1e8f, -1e8f, 1.0f};
    ThreadGroup group(3);
    std::vector<float> sums(3);
    group.run([&](Communicator &communicator) {
        float value = values[static_cast<std::size_t>(communicator.rank())];
        communicator.allReduceSum({&value, 1});
        sums[static_cast<std::size_t>(communicator.rank())] = value;
    });
    EXPECT_THAT(sums, Each(1.0f));
}

// Rank r has r + 1 in part p times 10^p.
std::vector<float> partsOf(int rank, int ranks)
{
    std::vector<float> all;
    for (int part = 0; part < ranks; ++part)
        all.insert(all.end(), 3, static_cast<float>(rank + 1) * static_cast<float>(std::pow(10, part)));
    return all;
}

TEST(ThreadGroup, ReducesEachPartToItsRankAsideOrInPlace)
{
    for (const bool inPlace : {false, true}) {
        ThreadGroup group(3);
        std::vector<std::vector<float>> parts(3);
        group.run([&](Communicator &communicator) {
            const auto rank = static_cast<std::size_t>(communicator.rank());
            std::vector<float> all = partsOf(communicator.rank(), 3), aside(3);
            const std::span<float> own = inPlace ? std::span(all).subspan(3 * rank, 3) : std::span(aside);
            communicator.reduceScatterSum(all, own);
            parts[rank].assign(own.begin(), own.end());
        });
        EXPECT_THAT(parts, ElementsAre(Each(6.0f), Each(60.0f), Each(600.0f)));
    }
}

TEST(ThreadGroup, GathersThePartsOfAllRanksAsideOrInPlace)
{
    for (const bool inPlace : {false, true}) {
        ThreadGroup group(3);
        std::vector<std::vector<int>> seen(3);
        group.run([&](Communicator &communicator) {
            const auto rank = static_cast<std::size_t>(communicator.rank());
            std::vector<int> all(6), aside(2);
            const std::span<int> own = inPlace ? std::span(all).subspan(2 * rank, 2) : std::span(aside);
            std::fill(own.begin(), own.end(), communicator.rank());
            communicator.allGather(std::as_bytes(own), std::as_writable_bytes(std::span(all)));
            seen[rank] = all;
        });
        EXPECT_THAT(seen, Each(ElementsAre(0, 0, 1, 1, 2, 2)));
    }
}

TEST(ThreadGroup, SplitsIntoGroupsOfOneColorInTheirOrder)
{
    ThreadGroup group(4);
    std::vector<float> sums(4);
    std::vector<int> places(4);
    group.run([&](Communicator &world) {
        const auto rank = static_cast<std::size_t>(world.rank());
        const std::unique_ptr<Communicator> pair = world.split(world.rank() % 2), again = world.split(world.rank() / 2);
        EXPECT_EQ(pair->size(), 2);
        places[rank] = pair->rank();
        float value = static_cast<float>(std::pow(10, world.rank()));
        pair->allReduceSum({&value, 1});
        again->allReduceSum({&value, 1});
        sums[rank] = value;
    });
    EXPECT_THAT(places, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(sums, Each(1111.0f));
}

TEST(ThreadGroup, AFailureReachesThoseWhoWaitInAGroupOfTheirOwn)
{
    ThreadGroup group(4);
    EXPECT_THROW(group.run([](Communicator &world) {
        const std::unique_ptr<Communicator> pair = world.split(world.rank() / 2);
        if (world.rank() == 0)
            throw std::runtime_error("it fell over");
        EXPECT_THROW(world.rank() == 1 ? pair->barrier() : world.barrier(), PeerFailed);
    }),
        std::runtime_error);
}

TEST(ThreadGroup, BroadcastsTheRootsBytes)
{
    ThreadGroup group(3);
    std::vector<int> seen(3);
    group.run([&](Communicator &communicator) {
        int value = communicator.rank() * 10;
        communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), 2);
        seen[static_cast<std::size_t>(communicator.rank())] = value;
    });
    EXPECT_THAT(seen, Each(20));
}

TEST(ThreadGroup, AFailingRankReleasesTheOthersAndItsOwnErrorIsSeen)
{
    ThreadGroup group(4);
    std::atomic<int> released = 0;
    const auto work = [&](Communicator &communicator) {
        communicator.barrier();
        if (communicator.rank() == 2)
            throw std::runtime_error("disk full");
        try {
            communicator.barrier();
        } catch (const PeerFailed &failure) {
            EXPECT_THAT(failure.what(), HasSubstr("rank 2"));
            ++released;
            throw;
        }
    };
    try {
        group.run(work);
        ADD_FAILURE() << "the failure was lost";
    } catch (const std::runtime_error &error) {
        EXPECT_STREQ(error.what(), "disk full");
    }
    EXPECT_EQ(released, 3);
}

TEST(ThreadGroup, ARankThatEndsEarlyReleasesTheOthers)
{
    ThreadGroup group(2);
    EXPECT_THROW(group.run([](Communicator &communicator) {
        if (communicator.rank() == 0)
            communicator.barrier();
    }),
        std::logic_error);
}

TEST(ThreadGroup, RanksThatReduceDifferentSizesAreABug)
{
    ThreadGroup group(2);
    EXPECT_THROW(group.run([](Communicator &communicator) {
        std::vector<float> data(static_cast<std::size_t>(communicator.rank() + 1));
        communicator.allReduceSum(data);
    }),
        std::logic_error);
}

TEST(ThreadGroup, RunsAgainAfterAFailure)
{
    ThreadGroup group(2);
    EXPECT_THROW(group.run([](Communicator &) { throw std::runtime_error("once"); }), std::runtime_error);
    std::atomic<int> through = 0;
    group.run([&](Communicator &communicator) {
        communicator.barrier();
        ++through;
    });
    EXPECT_EQ(through, 2);
}

TEST(ThreadGroup, NamesTheRankThatHangsToWhoeverEndsTheProcess)
{
    std::promise<void> released;
    std::string cause;
    ThreadGroup group(2, ThreadGroup::Hanging{.timeout = 0.5, .end = [&](const std::string &told) {
                                                  cause = told;
                                                  released.set_value(); // in the place of the process's end
                                              }});
    group.run([&](Communicator &communicator) {
        communicator.reportProgress("reading");
        if (communicator.rank() == 1)
            released.get_future().wait();
        communicator.barrier();
    });
    EXPECT_EQ(cause, "rank 1 hangs, while reading");
}

TEST(ThreadGroup, NamesTheRankThatHangsWhileAnotherWaitsForItsMessage)
{
    std::promise<void> released;
    std::string cause;
    ThreadGroup group(3, ThreadGroup::Hanging{.timeout = 0.5, .end = [&](const std::string &told) {
                                                  cause = told;
                                                  released.set_value(); // in the place of the process's end
                                              }});
    group.run([&](Communicator &world) {
        world.nameRanks([](int rank) { return "pp " + std::to_string(rank); });
        world.reportProgress("computing");
        const std::unique_ptr<Communicator> others = world.split(world.rank() > 0);
        std::byte data{};
        if (world.rank() == 1)
            released.get_future().wait();
        if (world.rank() > 0)
            others->rank() == 0 ? others->send({&data, 1}, 1) : others->receive({&data, 1}, 0);
        world.barrier();
    });
    EXPECT_EQ(cause, "rank 1 (pp 1) hangs, while computing");
}

TEST(ThreadGroup, TellsOfARankThatIsAloneAndShowsNoSignOfLife)
{
    std::promise<void> released;
    std::string cause;
    ThreadGroup group(1, ThreadGroup::Hanging{.timeout = 3600, .silence = 0.5, .end = [&](const std::string &told) {
                                                  cause = told;
                                                  released.set_value(); // in the place of the process's end
                                              }});
    group.run([&](Communicator &communicator) {
        communicator.reportProgress("reading");
        released.get_future().wait();
    });
    EXPECT_EQ(cause, "this rank hangs, while reading: it has neither computed, read nor written");
}

} // namespace
} // namespace slipway::testing
