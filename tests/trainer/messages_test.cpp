// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What two ranks say to each other alone, and what all say to all, whatever carries it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank_groups.h"

namespace slipway::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Bytes = std::vector<std::byte>;

constexpr std::size_t kLarge = 4 << 20; // more than a connection holds

// Different for each message.
Bytes message(int from, int to, int number, std::size_t size)
{
    Bytes bytes(size);
    unsigned state = static_cast<unsigned>(1 + from + 16 * to + 256 * number);
    for (std::byte &byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::byte>(state >> 24);
    }
    return bytes;
}

void expectMessage(Communicator &communicator, int from, int number, std::size_t size)
{
    Bytes received(size);
    communicator.receive(received, from);
    EXPECT_TRUE(received == message(from, communicator.rank(), number, size))
        << "message " << number << " from rank " << from << " to rank " << communicator.rank();
}

template<typename Failure, typename Work>
std::string failureOf(const Work &work)
{
    try {
        work();
    } catch (const Failure &failure) {
        return failure.what();
    }
    ADD_FAILURE() << "nothing failed";
    return {};
}

class Messages : public ::testing::TestWithParam<RankGroup> {
protected:
    static void run(int ranks, const std::function<void(Communicator &)> &work) { GetParam().run(ranks, work); }
};

TEST_P(Messages, ArriveInTheOrderInWhichTheyWereSentWhateverTheirSizes)
{
    const std::vector<std::size_t> sizes{5, 0, 100'000, 1, 0, kLarge, 64};
    run(3, [&](Communicator &communicator) {
        const int rank = communicator.rank();
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            for (const int to : {(rank + 1) % 3, (rank + 2) % 3})
                communicator.send(message(rank, to, static_cast<int>(i), sizes[i]), to);
        }
        for (const int from : {(rank + 1) % 3, (rank + 2) % 3}) {
            for (std::size_t i = 0; i < sizes.size(); ++i)
                expectMessage(communicator, from, static_cast<int>(i), sizes[i]);
        }
    });
}

TEST_P(Messages, LeaveTheirMemoryToTheSenderBeforeTheyAreReceived)
{
    run(2, [](Communicator &communicator) {
        const int rank = communicator.rank();
        Bytes sent = message(rank, 1 - rank, 0, kLarge);
        communicator.send(sent, 1 - rank);
        std::fill(sent.begin(), sent.end(), std::byte{0xEE});
        Bytes().swap(sent);
        communicator.barrier();
        expectMessage(communicator, 1 - rank, 0, kLarge);
    });
}

TEST_P(Messages, GoRoundARingWhereEverybodySendsFirst)
{
    constexpr int kRanks = 4;
    run(kRanks, [](Communicator &communicator) {
        const int rank = communicator.rank(), next = (rank + 1) % kRanks, previous = (rank + kRanks - 1) % kRanks;
        for (int round = 0; round < 20; ++round) {
            communicator.send(message(rank, next, round, 300'000), next);
            expectMessage(communicator, previous, round, 300'000);
        }
    });
}

TEST_P(Messages, WaitWhileCollectivesGoOn)
{
    run(3, [](Communicator &communicator) {
        const int rank = communicator.rank();
        communicator.send(message(rank, (rank + 1) % 3, 0, 1000), (rank + 1) % 3);
        std::vector<int> ranks(3);
        communicator.allGather(std::as_bytes(std::span(&rank, 1)), std::as_writable_bytes(std::span(ranks)));
        EXPECT_THAT(ranks, ElementsAre(0, 1, 2));
        std::vector<float> all(3, 1), own(1);
        communicator.reduceScatterSum(all, own);
        EXPECT_EQ(own.front(), 3);
        expectMessage(communicator, (rank + 2) % 3, 0, 1000);
    });
}

TEST_P(Messages, OfAGroupStayInIt)
{
    run(4, [](Communicator &world) {
        const int rank = world.rank();
        const std::unique_ptr<Communicator> rows = world.split(rank / 2), columns = world.split(rank % 2);
        const int acrossRows = 1 - rows->rank(), acrossColumns = 1 - columns->rank();
        world.send(message(rank, 3 - rank, 1, 10), 3 - rank);
        rows->send(message(rows->rank(), acrossRows, 2, 20), acrossRows);
        columns->send(message(columns->rank(), acrossColumns, 3, 30), acrossColumns);
        expectMessage(*columns, acrossColumns, 3, 30);
        expectMessage(*rows, acrossRows, 2, 20);
        expectMessage(world, 3 - rank, 1, 10);
        world.barrier();
    });
}

// Rank r sends (r + 2 s) % 5 thousands to rank s, nothing among them.
std::size_t partSize(int from, int to) { return static_cast<std::size_t>((from + 2 * to) % 5) * 1000; }

TEST_P(Messages, OfAllToAllHaveTheSizesThatEachPairAgreesOn)
{
    constexpr int kRanks = 4;
    run(kRanks, [](Communicator &communicator) {
        const int rank = communicator.rank();
        for (int round = 0; round < 3; ++round) {
            Bytes sent, expected;
            std::vector<std::size_t> sentSizes, receivedSizes;
            for (int other = 0; other < kRanks; ++other) {
                sentSizes.push_back(partSize(rank, other));
                receivedSizes.push_back(partSize(other, rank));
                const Bytes to = message(rank, other, round, sentSizes.back()),
                            from = message(other, rank, round, receivedSizes.back());
                sent.insert(sent.end(), to.begin(), to.end());
                expected.insert(expected.end(), from.begin(), from.end());
            }
            Bytes received(expected.size());
            communicator.allToAll(sent, sentSizes, received, receivedSizes);
            EXPECT_TRUE(received == expected) << "rank " << rank;
        }
    });
}

TEST_P(Messages, OfAllToAllMayAllBeEmpty)
{
    run(2, [](Communicator &communicator) {
        const std::vector<std::size_t> none(2, 0);
        communicator.allToAll({}, none, {}, none);
        communicator.barrier();
    });
}

TEST_P(Messages, FindTheLargestOfEachElement)
{
    run(3, [](Communicator &communicator) {
        const auto rank = static_cast<float>(communicator.rank());
        std::vector<float> data{-1 - rank, rank, -rank * rank, rank == 1 ? 7.0f : -INFINITY};
        data.resize(10'000, -3 + rank);
        communicator.allReduceMax(data);
        EXPECT_THAT(std::vector(data.begin(), data.begin() + 4), ElementsAre(-1, 2, 0, 7));
        EXPECT_THAT(std::vector(data.begin() + 4, data.end()), Each(-1.0f));
    });
}

TEST_P(Messages, OfAnotherSizeThanExpectedNameBothSizes)
{
    for (const std::size_t expected : {0u, 7u, 9u}) {
        const std::string failure = failureOf<std::logic_error>([&] {
            run(4, [&](Communicator &world) {
                const std::unique_ptr<Communicator> pair = world.split(world.rank() / 2);
                if (world.rank() == 2)
                    pair->send(message(0, 1, 0, 8), 1);
                Bytes received(expected);
                if (world.rank() == 3)
                    pair->receive(received, 0);
                world.barrier();
            });
        });
        EXPECT_EQ(failure, "rank 2 sent 8 bytes, but rank 3 expects " + std::to_string(expected) + " bytes of it");
    }
}

TEST_P(Messages, OfAllToAllWhosePairsDisagreeNameBothSizes)
{
    const std::string failure = failureOf<std::logic_error>([] {
        run(2, [](Communicator &communicator) {
            const bool first = communicator.rank() == 0;
            const std::vector<std::size_t> sent{4, 6}, received{first ? 4u : 5u, first ? 4u : 6u};
            Bytes out(10), in(first ? 8 : 11);
            communicator.allToAll(out, sent, in, received);
        });
    });
    EXPECT_EQ(failure, "rank 0 sent 6 bytes, but rank 1 expects 5 bytes of it");
}

TEST_P(Messages, OfAllToAllHaveASizeForEachRankAndFillTheirBuffers)
{
    run(2, [](Communicator &communicator) {
        const std::vector<std::size_t> one{4}, two{4, 4};
        Bytes eight(8), nine(9);
        EXPECT_THAT(failureOf<std::logic_error>([&] { communicator.allToAll(eight, one, eight, two); }),
            AllOf(HasSubstr("sent"), HasSubstr("1 ranks"), HasSubstr("2")));
        EXPECT_THAT(failureOf<std::logic_error>([&] { communicator.allToAll(eight, two, nine, two); }),
            AllOf(HasSubstr("received"), HasSubstr("8 bytes"), HasSubstr("9")));
        communicator.barrier();
    });
}

TEST_P(Messages, GoToAnotherRankOnly)
{
    run(2, [](Communicator &communicator) {
        Bytes data(1);
        for (const int other : {communicator.rank(), -1, 2}) {
            EXPECT_THAT(failureOf<std::logic_error>([&] { communicator.send(data, other); }),
                HasSubstr("cannot send to rank " + std::to_string(other)));
            EXPECT_THAT(failureOf<std::logic_error>([&] { communicator.receive(data, other); }),
                HasSubstr("cannot receive from rank " + std::to_string(other)));
        }
        communicator.barrier();
    });
}

TEST_P(Messages, OfARankThatFailsReleaseEveryoneWhoWaitsForThem)
{
    std::atomic<int> released = 0;
    const std::string failure = failureOf<std::runtime_error>([&] {
        run(4, [&](Communicator &world) {
            Bytes data(10);
            try { // rank 3 may fail before another rank has returned from the split
                const std::unique_ptr<Communicator> pair = world.split(world.rank() / 2);
                if (world.rank() == 3)
                    throw std::runtime_error("disk full");
                world.rank() == 2 ? pair->receive(data, 1) : world.receive(data, world.rank() == 1 ? 3 : 2);
            } catch (const PeerFailed &peer) {
                EXPECT_THAT(peer.what(), HasSubstr("rank 3"));
                ++released;
                throw;
            }
        });
    });
    EXPECT_EQ(failure, "disk full");
    EXPECT_EQ(released, 3);
}

TEST_P(Messages, OfARankThatFailsNameItsPlace)
{
    const std::string failure = failureOf<std::runtime_error>([&] {
        run(3, [&](Communicator &world) {
            world.nameRanks([](int rank) { return rank == 2 ? "tp 0, pp 1" : ""; });
            EXPECT_EQ(world.nameOf(0), "rank 0");
            const std::unique_ptr<Communicator> pair = world.split(world.rank() / 2);
            EXPECT_EQ(pair->nameOf(2), "rank 2 (tp 0, pp 1)");
            world.barrier();
            if (world.rank() == 2)
                throw std::runtime_error("disk full");
            Bytes data(10);
            EXPECT_THAT(
                failureOf<PeerFailed>([&] { world.receive(data, 2); }), HasSubstr("rank 2 (tp 0, pp 1) failed"));
            throw PeerFailed("as it was told");
        });
    });
    EXPECT_EQ(failure, "disk full");
}

INSTANTIATE_TEST_SUITE_P(Over, Messages, ::testing::ValuesIn(everyRankGroup()),
    [](const ::testing::TestParamInfo<RankGroup> &group) { return std::string(group.param.name); });

TEST(MessagesOfThreads, ThatNeverComeBecauseTheRankEndedNameIt)
{
    EXPECT_EQ(failureOf<PeerFailed>([] {
        ThreadGroup(3).run([](Communicator &world) {
            const std::unique_ptr<Communicator> group = world.split(world.rank() > 0);
            Bytes data(1);
            if (world.rank() == 2)
                group->receive(data, 0);
        });
    }),
        "rank 1 ended without the message that rank 2 waits for");
}

TEST(MessagesOfThreads, ThatHadArrivedAreReceivedThoughTheirRankHasFailed)
{
    EXPECT_THROW(ThreadGroup(2).run([](Communicator &communicator) {
        if (communicator.rank() == 0) {
            communicator.send(message(0, 1, 0, 100), 1);
            throw std::runtime_error("disk full");
        }
        EXPECT_THROW(communicator.barrier(), PeerFailed);
        expectMessage(communicator, 0, 0, 100);
    }),
        std::runtime_error);
}

TEST(MessagesOfThreads, OfARankThatEndedAreReceived)
{
    ThreadGroup(2).run([](Communicator &communicator) {
        if (communicator.rank() == 0)
            return communicator.send(message(0, 1, 0, 100), 1);
        expectMessage(communicator, 0, 0, 100);
        Bytes data(1);
        EXPECT_THROW(communicator.receive(data, 0), PeerFailed);
    });
}

TEST(MessagesOverGloo, ThatDoNotComeNameTheRankThatOwesThem)
{
    if (!glooMissing().empty())
        GTEST_SKIP() << glooMissing();
    std::promise<void> released;
    std::string failure;
    const auto work = [&](Communicator &world) {
        world.nameRanks([](int rank) { return "pp " + std::to_string(rank); });
        if (world.rank() == 0)
            return released.get_future().wait();
        Bytes data(1);
        failure = failureOf<PeerFailed>([&] { world.receive(data, 0); });
        released.set_value();
    };
    EXPECT_THROW(runOverGloo(2, work, 1), PeerFailed);
    EXPECT_EQ(failure, "rank 0 (pp 0) did not respond within 1 s: it hangs, or its machine was lost");
}

TEST(MessagesOfOneRank, GoToItselfByAllToAllAlone)
{
    SingleCommunicator alone;
    const Bytes sent = message(0, 0, 0, 100);
    Bytes received(100);
    const std::vector<std::size_t> sizes{100}, others{99};
    alone.allToAll(sent, sizes, received, sizes);
    EXPECT_EQ(received, sent);
    EXPECT_THROW(alone.allToAll(sent, sizes, std::span(received).first(99), others), std::logic_error);
    EXPECT_THROW(alone.send(sent, 0), std::logic_error);
    EXPECT_THROW(alone.receive(received, 0), std::logic_error);
}

} // namespace
} // namespace slipway::testing
