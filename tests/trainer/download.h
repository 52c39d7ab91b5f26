// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <future>

#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {

// Weights and states, as the host sees them.
inline std::vector<float> valuesOf(const Executor &executor)
{
    std::vector<float> all;
    for (const WeightView &weight : executor.weights()) {
        for (const float *values : {weight.master, weight.momentum, weight.variance})
            all.insert(all.end(), values, values + weight.count);
    }
    return all;
}

// What is brought over is what was there when that began, whatever a step changes beside it.
inline void expectDownloadHoldsBesideAStep(Executor &executor, int vocab)
{
    const Batch batch = randomBatch(executor.tokensPerStep(), vocab, 3);
    std::int64_t step = 0;
    const auto train = [&] {
        static_cast<void>(executor.step(batch.input(), {.learningRate = 1e-2, .step = ++step}).value());
    };
    for (int i = 0; i < 5; ++i)
        train();
    executor.downloadWeights();
    const std::vector<float> before = valuesOf(executor);
    executor.beginDownload();
    std::future<void> copies = std::async(std::launch::async, [&] { executor.finishDownload(); });
    train();
    copies.get();
    EXPECT_EQ(valuesOf(executor), before) << "an update overtook the copies";
    executor.downloadWeights();
    EXPECT_NE(valuesOf(executor), before);
}

} // namespace slipway::testing
