// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/link_test.h"

#include <gmock/gmock.h>

#include "comm/thread_group.h"

namespace slipway {
namespace {

constexpr LinkTestOptions kSmallTest{.largest = 64 * kKiB, .repeats = 2};

TEST(LinkTest, ReadsEveryCollectiveAtThreeSizesAndEveryPair)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const Result<LinkReadings> readings = testLinks(communicator, kSmallTest);
        ASSERT_TRUE(readings);
        EXPECT_EQ(readings->hosts.size(), 3);
        ASSERT_EQ(readings->collectives.size(), 9);
        for (const CollectiveReading &reading : readings->collectives) {
            EXPECT_GT(reading.seconds, 0);
            const double factor = reading.op == "all_reduce" ? 4.0 / 3.0 : 2.0 / 3.0;
            EXPECT_NEAR(reading.busBytesPerSecond * reading.seconds, factor * static_cast<double>(reading.bytes), 1e-3);
        }
        ASSERT_EQ(readings->pairs.size(), 3);
        EXPECT_EQ(readings->pairs[2].first, 1);
        EXPECT_EQ(readings->pairs[2].second, 2);
        for (const PairReading &pair : readings->pairs) {
            EXPECT_GT(pair.latency, 0);
            EXPECT_GT(pair.bytesPerSecond, 0);
        }
    });
}

TEST(LinkTest, OfManyRanksReadsNeighbours)
{
    ThreadGroup(9).run([](Communicator &communicator) {
        const Result<LinkReadings> readings = testLinks(communicator, kSmallTest);
        ASSERT_TRUE(readings);
        EXPECT_EQ(readings->pairs.size(), 8);
    });
}

// Gathers everybody's first part.
class Forgetful final : public Communicator {
public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 2; }
    void allReduceSum(std::span<float> data) override { std::fill(data.begin(), data.end(), 3.0f); }
    void reduceScatterSum(std::span<float>, std::span<float> own) override { std::fill(own.begin(), own.end(), 3.0f); }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        std::copy(own.begin(), own.end(), all.begin());
        std::copy(own.begin(), own.end(), all.begin() + std::ssize(own));
    }
    void broadcast(std::span<std::byte>, int) override {}
    void barrier() override {}
    void allReduceMax(std::span<float>) override {}
    void allToAll(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
        std::span<const std::size_t>) override
    {
    }
    void send(std::span<const std::byte>, int) override {}
    void receive(std::span<std::byte>, int) override {}
    std::unique_ptr<Communicator> split(int) override { return std::make_unique<SingleCommunicator>(); }
};

TEST(LinkTest, FindsValuesThatAreWrong)
{
    Forgetful communicator;
    const Result<LinkReadings> readings = testLinks(communicator, kSmallTest);
    ASSERT_FALSE(readings);
    EXPECT_EQ(readings.error().fault, Fault::Outside);
    EXPECT_THAT(readings.error().message(), ::testing::HasSubstr("all-gather gave wrong values"));
}

} // namespace
} // namespace slipway
