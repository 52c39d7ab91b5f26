// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages between devices, as NCCL is told of them.
#include <thread>

#include <gmock/gmock.h>

#include "comm/thread_group.h"
#include "played_nccl.h"

namespace slipway::testing {
namespace {

class NcclMessages : public PlayedNccl {};

TEST_F(NcclMessages, SendsToOneRankAndReceivesFromIt)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        DeviceGroup &device = *joined->onDevice();
        const auto pair = joined->split(communicator.rank() > 0);
        std::vector<int> numbers(4, communicator.rank());
        const auto bytes = std::as_writable_bytes(std::span(numbers));
        if (communicator.rank() == 1)
            pair->onDevice()->send(bytes.data(), bytes.size(), 1, nullptr);
        if (communicator.rank() == 2) {
            pair->onDevice()->receive(bytes.data(), bytes.size(), 0, nullptr);
            device.send(bytes.data(), bytes.size(), 0, nullptr);
        }
        if (communicator.rank() == 0)
            device.receive(bytes.data(), bytes.size(), 2, nullptr);
        EXPECT_THAT(numbers, ::testing::Each(1));
        communicator.barrier();
    });
}

TEST_F(NcclMessages, DoesAllOfAnAllToAllAtOnceWithoutItsEmptyParts)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const int rank = communicator.rank();
        std::vector<int> sent, expected;
        std::vector<std::size_t> sentSizes, receivedSizes;
        for (int other = 0; other < 3;
            ++other) { // rank r has r numbers for each rank but the last, which gets one more
            const auto count = [](int from, int to) { return static_cast<std::size_t>(from) + (to == 2 ? 1 : 0); };
            sent.insert(sent.end(), count(rank, other), 10 * rank + other);
            expected.insert(expected.end(), count(other, rank), 10 * other + rank);
            sentSizes.push_back(count(rank, other) * sizeof(int));
            receivedSizes.push_back(count(other, rank) * sizeof(int));
        }
        std::vector<int> received(expected.size());
        joined->onDevice()->allToAll(std::as_bytes(std::span(sent)).data(), sentSizes,
            std::as_writable_bytes(std::span(received)).data(), receivedSizes, nullptr);
        EXPECT_EQ(received, expected);
        EXPECT_THROW(
            joined->onDevice()->allToAll(nullptr, std::span(sentSizes).first(2), nullptr, receivedSizes, nullptr),
            std::logic_error);
        communicator.barrier();
    });
    EXPECT_THAT(m_played.heard, ::testing::Contains("together: 1 sent, 2 received"));
}

TEST_F(NcclMessages, SendsRoundARingAtOnce)
{
    ThreadGroup(4).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        DeviceGroup &device = *joined->onDevice();
        const int rank = communicator.rank(), next = (rank + 1) % 4, previous = (rank + 3) % 4;
        int mine = rank, theirs = -1;
        device.groupCalls(
            [&] {
                device.send(std::as_bytes(std::span(&mine, 1)).data(), sizeof mine, next, nullptr);
                device.receive(std::as_writable_bytes(std::span(&theirs, 1)).data(), sizeof theirs, previous, nullptr);
            },
            nullptr);
        EXPECT_EQ(theirs, previous);
        communicator.barrier();
    });
    EXPECT_THAT(m_played.heard, ::testing::Contains("together: 1 sent, 1 received"));
}

TEST_F(NcclMessages, FindsTheLargestOfEachElement)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const auto rank = static_cast<float>(communicator.rank());
        std::vector<float> data{rank, -rank, rank * (2 - rank)};
        joined->onDevice()->allReduceMax(data.data(), data.size(), nullptr);
        EXPECT_THAT(data, ::testing::ElementsAre(2, 0, 1));
        communicator.barrier();
    });
}

TEST_F(NcclMessages, EndsAGroupOfMessagesOfWhichOneFails)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    DeviceGroup &device = *joined->onDevice();
    const std::byte mine{7};
    std::byte theirs{};
    const std::vector<std::size_t> one{1};
    m_played.collectiveResult = ncclInternalError;
    EXPECT_THROW(device.allToAll(&mine, one, &theirs, one, nullptr), PeerFailed);
    m_played.collectiveResult = ncclSuccess;
    EXPECT_THROW(
        device.groupCalls([] { throw std::runtime_error("the caller fell over"); }, nullptr), std::runtime_error);
    device.allToAll(&mine, one, &theirs, one, nullptr);
    EXPECT_EQ(theirs, mine);
}

TEST_F(NcclMessages, TakesNoCollectiveForAMessage)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    DeviceGroup &device = *joined->onDevice();
    float value = 1;
    EXPECT_THROW(device.groupCalls([&] { device.allReduceSum(&value, 1, nullptr); }, nullptr), std::logic_error);
    EXPECT_THROW(device.send(nullptr, 0, 0, nullptr), std::logic_error) << "to itself";
    EXPECT_THROW(device.receive(nullptr, 0, 1, nullptr), std::logic_error) << "from nobody";
    device.allReduceSum(&value, 1, nullptr);
}

TEST_F(NcclMessages, AbortsAReceiveWhoseSenderDoesNotCome)
{
    ThreadGroup(2).run([this](Communicator &communicator) {
        const auto joined = std::move(join(communicator, 0.05)).value();
        communicator.barrier();
        if (communicator.rank() == 0)
            m_played.hangs = true;
        communicator.barrier();
        if (communicator.rank() == 1) {
            std::byte data{};
            joined->onDevice()->receive(&data, 1, 0, nullptr);
            const auto waited = [&] {
                for (;;) {
                    joined->onDevice()->check();
                    std::this_thread::yield();
                }
            };
            EXPECT_THROW(waited(), PeerFailed);
            EXPECT_THROW(joined->onDevice()->receive(&data, 1, 0, nullptr), PeerFailed);
        }
        communicator.barrier();
    });
    EXPECT_EQ(m_played.aborted, 1);
}

TEST_F(NcclMessages, SaysOnTheHostWhatTheRanksSayThere)
{
    ThreadGroup(2).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const int mine = communicator.rank(), other = 1 - mine;
        int theirs = -1;
        joined->send(std::as_bytes(std::span(&mine, 1)), other);
        joined->receive(std::as_writable_bytes(std::span(&theirs, 1)), other);
        EXPECT_EQ(theirs, other);
        float largest = static_cast<float>(mine);
        joined->allReduceMax({&largest, 1});
        EXPECT_EQ(largest, 1);
        joined->nameRanks([](int rank) { return "pp " + std::to_string(rank); });
        EXPECT_EQ(joined->nameOf(1), "rank 1 (pp 1)");
        communicator.barrier();
    });
}

} // namespace
} // namespace slipway::testing
