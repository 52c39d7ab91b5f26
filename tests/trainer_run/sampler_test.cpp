// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/sampler.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "run/run_loop.h"
#include "scratch_folder.h"
#include "support/shipped_catalogue.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using testing::makeTinyRun;
using testing::messageOf;
using testing::ScratchFolder;

TEST(DrawToken, IsTheLikeliestWithoutHeat)
{
    std::mt19937_64 random(1);
    const std::vector<float> logits{0.1F, 2.0F, 1.9F, -3.0F};
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(drawToken(logits, {.temperature = 0}, random), 1);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(drawToken(logits, {.temperature = 5, .topK = 1}, random), 1);
}

TEST(DrawToken, FollowsTheSoftmax)
{
    std::mt19937_64 random(1);
    const std::vector<float> logits{std::log(1.0F), std::log(2.0F), std::log(5.0F)};
    std::array<int, 3> drawn{};
    for (int i = 0; i < 8000; ++i)
        ++drawn[static_cast<std::size_t>(drawToken(logits, {.temperature = 1, .topK = 0}, random))];
    EXPECT_NEAR(drawn[0], 1000, 120);
    EXPECT_NEAR(drawn[1], 2000, 160);
    EXPECT_NEAR(drawn[2], 5000, 200);
}

TEST(Sampler, GoesOnAsItsDataDoes)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 300", "learning_rate: 1e-2"});
    const Result<RunJob> job = prepareRun(run.directory, catalogue());
    ASSERT_TRUE(job) << messageOf(job);
    ASSERT_TRUE(train(*job, {.threads = 1}));
    Result<Sampler> sampler = Sampler::open(*job, {.temperature = 0});
    ASSERT_TRUE(sampler) << messageOf(sampler);
    int right = 0;
    std::vector<std::int32_t> ids{1};
    for (int i = 0; i < 40; ++i) { // past seq_len, which is 16
        const Result<std::int32_t> next = sampler->next(ids);
        ASSERT_TRUE(next) << messageOf(next);
        right += *next == (ids.back() * 5 + 3) % 64;
        ids.push_back(*next);
    }
    EXPECT_GE(right, 36);
}

} // namespace
} // namespace slipway
