// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/mapped_memory.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

// Of the pages from `start` on, how many the system holds (mincore(2)).
std::size_t pagesHeld(std::byte *start, Bytes bytes)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> held((static_cast<std::size_t>(bytes) + page - 1) / page);
    EXPECT_EQ(::mincore(start, static_cast<std::size_t>(bytes), held.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(held.begin(), held.end(), [](unsigned char one) { return (one & 1U) != 0; }));
}

TEST(MappedMemory, GivesItsPagesBackAndIsZeroAgain)
{
    constexpr Bytes kBytes = 8 * kMiB;
    const MappedMemory memory = MappedMemory::map(kBytes).value();
    EXPECT_EQ(pagesHeld(memory.data(), kBytes), 0U);
    std::fill_n(memory.data(), kBytes, std::byte{1});
    EXPECT_GT(pagesHeld(memory.data(), kBytes), 0U);
    memory.discardPages();
    EXPECT_EQ(pagesHeld(memory.data(), kBytes), 0U);
    EXPECT_EQ(std::count(memory.data(), memory.data() + kBytes, std::byte{0}), kBytes);
}

// The host's copies of a device's weights: three of fp32 for each parameter.
TEST(HostCopies, TakeMemoryOnlyBetweenADownloadAndItsRelease)
{
    const ModelSpec model = smallModel();
    SingleCommunicator alone;
    const auto executor = std::move(Executor::create(planOf(smallConfig(), model), model, alone,
                                        {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2}))
                              .value();
    const auto isZero = [&] {
        return std::all_of(executor->weights().begin(), executor->weights().end(), [](const WeightView &weight) {
            return std::all_of(weight.master, weight.master + weight.count, [](float value) { return value == 0; });
        });
    };
    EXPECT_TRUE(isZero()) << "the initial weights are on the device";
    executor->downloadWeights();
    EXPECT_FALSE(isZero());
    const float kept = executor->weights().front().master[0];
    executor->uploadWeights();
    EXPECT_TRUE(isZero());
    executor->downloadWeights();
    EXPECT_EQ(executor->weights().front().master[0], kept);
    executor->releaseCopies();
    EXPECT_TRUE(isZero());
}

} // namespace
} // namespace slipway::testing
