// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Cross entropy of scaled and capped logits with the z-loss, against LibTorch's autograd in fp64.
#include <gtest/gtest.h>

#include "aten_ops/loss.h"
#include "autograd.h"
#include "cpu_ops/cross_entropy.h"
#include "fixed_seed.h"

namespace slipway::testing {
namespace {

struct LossCase {
    std::int64_t rows, width;
    cpu_ops::LossOptions options;
};

class LossOptions : public ::testing::TestWithParam<LossCase> {
protected:
    testing::FixedSeed m_seed;
    LossCase c = GetParam();
    at::Tensor logits = randomFloats({c.rows, c.width}).mul_(4), logits64 = exact(logits);
    at::Tensor targets = [this] {
        at::Tensor ids = at::randint(0, c.width, {c.rows}, at::kInt);
        if (c.rows > 2)
            ids[1] = cpu_ops::kNotCounted;
        return ids;
    }();
    static constexpr double kScale = 0.25;
    // Cross entropy and z-loss, summed over the rows that count.
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> exactSums() const
    {
        at::Tensor values = logits64 * static_cast<double>(c.options.logitScale);
        if (const auto cap = static_cast<double>(c.options.softCap); cap != 0)
            values = cap * at::tanh(values / cap);
        const at::Tensor counts = targets.ge(0).to(at::kDouble), logSum = at::logsumexp(values, 1);
        const at::Tensor chosen = values.gather(1, targets.to(at::kLong).clamp_min(0).unsqueeze(1)).squeeze(1);
        return {((logSum - chosen) * counts).sum(),
            (logSum.square() * counts).sum() * static_cast<double>(c.options.zLoss)};
    }
};

TEST_P(LossOptions, TheCpusMatchAutograd)
{
    const cpu_ops::LossSums sums = cpu_ops::crossEntropy(
        {c.rows, c.width}, targets.data_ptr<std::int32_t>(), static_cast<float>(kScale), c.options, dataOf(logits));
    const auto [loss, zLoss] = exactSums();
    EXPECT_NEAR(sums.crossEntropy, loss.item<double>(), 1e-5 * (1 + loss.item<double>()));
    EXPECT_NEAR(sums.zLoss, zLoss.item<double>(), 1e-5 * (1 + zLoss.item<double>()));
    ((loss + zLoss) * kScale).backward();
    EXPECT_LT(distanceOf(logits, logits64.grad()), 1e-5);
}

TEST_P(LossOptions, LibTorchsMatchAutogradWithTheZLossWithinTheLossOrApart)
{
    const auto [loss, zLoss] = exactSums();
    const double exactLoss = loss.item<double>() * kScale, exactZLoss = zLoss.item<double>() * kScale;
    ((loss + zLoss) * kScale).backward();
    const at::Tensor together = at::ones({}), apart = at::ones({}), zLossSum = at::ones({}), again = logits.clone();
    aten_ops::LossOptions options{.logitScale = static_cast<double>(c.options.logitScale),
        .softCap = static_cast<double>(c.options.softCap),
        .zLoss = static_cast<double>(c.options.zLoss)};
    aten_ops::crossEntropy(logits, targets, kScale, together, true, options);
    EXPECT_LT(distanceOf(logits, logits64.grad()), 1e-5);
    EXPECT_NEAR(together.item<double>(), 1 + exactLoss + exactZLoss, 1e-5 * (1 + exactLoss + exactZLoss));
    options.zLossSum = zLossSum;
    aten_ops::crossEntropy(again, targets, kScale, apart, false, options);
    EXPECT_TRUE(again.equal(logits));
    EXPECT_NEAR(apart.item<double>(), exactLoss, 1e-5 * (1 + exactLoss));
    if (options.zLoss != 0) {
        EXPECT_NEAR(zLossSum.item<double>(), exactZLoss, 1e-5 * (1 + exactZLoss));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LossOptions,
    ::testing::Values(LossCase{1, 1, {.zLoss = 0.1f}}, LossCase{1, 35, {.logitScale = 0.125f}},
        LossCase{70, 97, {.softCap = 5}}, LossCase{67, 513, {.logitScale = 0.5f, .softCap = 3, .zLoss = 1e-2f}},
        LossCase{5, 2001, {.zLoss = 1e-3f}}, LossCase{9, 16, {}}));

// Far from each other, as a run that went astray has them.
TEST(LargeLogits, StayFiniteForLargeLogits)
{
    const at::Tensor logits = at::tensor({1e4f, -1e4f, 0.0f});
    const std::int32_t target = 1;
    const cpu_ops::LossSums sums =
        cpu_ops::crossEntropy({1, 3}, &target, 1, {.softCap = 30, .zLoss = 1e-4f}, dataOf(logits));
    EXPECT_NEAR(sums.crossEntropy, 60, 1e-5);
    EXPECT_NEAR(sums.zLoss, 0.09, 1e-6);
    EXPECT_TRUE(logits.isfinite().all().item<bool>());
}

} // namespace
} // namespace slipway::testing
