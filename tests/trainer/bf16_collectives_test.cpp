// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Gradients that ranks sum in bf16: rounded on each way of a ring, and near the sums in fp32.
#include "exec/bf16_collectives.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "oracle.h"

namespace slipway::testing {
namespace {

std::uint16_t bitsOf(float value) { return c10::BFloat16(value).x; }
float valueOf(std::uint16_t bits) { return static_cast<float>(c10::BFloat16(bits, c10::BFloat16::from_bits())); }

// 256 + 1 is 256 in bf16, 1 + 1 + 256 is 258: what comes first along the ring counts.
TEST(Bf16Collectives, RoundAtEveryRankOfTheRing)
{
    ThreadGroup(3).run([](Communicator &group) {
        const float own = group.rank() == 0 ? 256.0f : 1.0f;
        std::vector<std::uint16_t> data(3, bitsOf(own));
        allReduceBf16(group, data);
        // The sum of part p begins at rank p + 1: 1, 1, 256; 1, 256, 1; 256, 1, 1.
        EXPECT_EQ(valueOf(data[0]), 258);
        EXPECT_EQ(valueOf(data[1]), 256);
        EXPECT_EQ(valueOf(data[2]), 256);
        std::vector<std::uint16_t> all(3, bitsOf(own)), part(1);
        reduceScatterBf16(group, all, part);
        EXPECT_EQ(part.front(), data[static_cast<std::size_t>(group.rank())]) << "as in the sum over all";
    });
}

std::vector<double> train(RunConfig config, ParallelKind kind, ReduceType type, int steps)
{
    constexpr int kRanks = 4;
    const ModelSpec model = smallModel();
    config.precision = Precision::Bf16Mixed;
    config.seqLen = 24;
    config.microBatch = 1;
    config.reduceType = type;
    config.parallel = {.kind = kind, .gpus = kRanks, .gpusPerNode = 2};
    std::vector<double> losses;
    ThreadGroup(kRanks).run([&](Communicator &group) {
        const auto executor = executorOf(planOf(config, model), model, group, 1, BackendKind::TorchCpu);
        for (int step = 1; step <= steps; ++step) {
            Batch batch =
                randomBatch(24 * config.gradAccum * kRanks, model.vocab, static_cast<std::uint64_t>(step % 7));
            const auto own = [&](std::vector<std::int32_t> &ids) {
                const auto share = std::ssize(ids) / kRanks, first = share * group.rank();
                ids = {ids.begin() + first, ids.begin() + first + share};
            };
            own(batch.tokens), own(batch.targets);
            const double loss = executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss;
            if (group.rank() == 0)
                losses.push_back(loss);
        }
    });
    return losses;
}

class StepsWithBf16Reduction : public ::testing::TestWithParam<std::tuple<ParallelKind, std::int64_t>> {};

TEST_P(StepsWithBf16Reduction, LearnWhatSumsInFp32Do)
{
    RunConfig config = smallConfig();
    const auto [kind, accumulation] = GetParam();
    config.gradAccum = accumulation;
    const std::vector<double> wide = train(config, kind, ReduceType::Fp32, 40),
                              narrow = train(config, kind, ReduceType::Bf16, 40);
    EXPECT_NE(wide.back(), narrow.back()) << "the sums are rounded";
    double apart = 0;
    for (std::size_t i = 0; i < wide.size(); ++i)
        apart = std::max(apart, std::abs(narrow[i] / wide[i] - 1));
    RecordProperty("apart", std::to_string(apart));
    EXPECT_LT(apart, 5e-3);
    EXPECT_LT(wide.back(), wide.front());
}

INSTANTIATE_TEST_SUITE_P(Strategies, StepsWithBf16Reduction,
    ::testing::Combine(
        ::testing::Values(ParallelKind::Ddp, ParallelKind::FsdpFull, ParallelKind::Zero1, ParallelKind::Hsdp),
        ::testing::Values(1, 2)),
    [](const auto &test) {
        std::string name(enumName(std::get<0>(test.param)));
        std::ranges::replace(name, '-', '_');
        return name + "_accumulation_" + std::to_string(std::get<1>(test.param));
    });

TEST(Bf16Collectives, AreRefusedInFp32)
{
    RunConfig config = smallConfig();
    config.reduceType = ReduceType::Bf16;
    const auto refused = buildPlan(config, smallModel());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "--reduce-type");
}

} // namespace
} // namespace slipway::testing
