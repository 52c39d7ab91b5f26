// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a device's weights reach the host beside the steps.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "download.h"
#include "exec/staging.h"

namespace slipway::testing {
namespace {

TEST(Staging, BringsSourcesInOrderThroughChunksOfAnySize)
{
    std::vector<std::vector<std::byte>> data;
    for (const std::size_t size : {1U, 100U, 0U, 4096U, 17U, 1000U}) {
        std::vector<std::byte> bytes(size);
        for (std::size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<std::byte>((i * 31 + size) % 251);
        if (!bytes.empty())
            data.push_back(bytes);
    }
    const std::vector<Staging::Source> sources(data.begin(), data.end());
    for (const Bytes chunk : {1, 7, 64, 4096, 100'000}) {
        Staging staging(c10::kCPU, chunk);
        std::vector<std::vector<std::byte>> brought(data.size());
        for (int again = 0; again < 2; ++again) {
            brought.assign(data.size(), {});
            staging.mark();
            staging.copy(sources, [&](std::size_t number, Bytes offset, std::span<const std::byte> bytes) {
                EXPECT_EQ(offset, std::ssize(brought[number]));
                EXPECT_LE(std::ssize(bytes), chunk);
                brought[number].insert(brought[number].end(), bytes.begin(), bytes.end());
            });
            EXPECT_EQ(brought, data) << "chunks of " << chunk;
        }
    }
}

// The device may run late, and the copies later still.
TEST(Download, HoldsWhatWeightsWereWhenItBeganWhateverStepsFollow)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.seqLen = 24;
    const StepPlan plan = planOf(config, model);
    for (const StepGraphs graphs : {StepGraphs::Off, StepGraphs::On}) {
        for (const std::optional<std::uint64_t> emulatedStreams :
            {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1)}) {
            SingleCommunicator alone;
            const auto executor = std::move(Executor::create(plan, model, alone,
                                                {.backend = BackendKind::TorchCpu,
                                                    .seed = 1,
                                                    .threads = 1,
                                                    .graphs = graphs,
                                                    .emulatedStreams = emulatedStreams}))
                                      .value();
            expectDownloadHoldsBesideAStep(*executor, model.vocab);
        }
    }
}

TEST(Download, OfTheProcessorsOwnOpsIsNoneAtAll)
{
    SingleCommunicator alone;
    const auto executor = executorOf(planOf(smallConfig(), smallModel()), smallModel(), alone);
    EXPECT_FALSE(executor->weightsAreCopies());
    executor->beginDownload();
    executor->finishDownload();
}

} // namespace
} // namespace slipway::testing
