// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/least_squares.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace slipway {
namespace {

// Four equations for three unknowns, which (0.5, -0.25, 0.75) solves. Inverting the normal matrix by hand,
// [[6, 3, 3], [3, 6, 4], [3, 4, 11]], gives 50/219, 19/73 and 9/73 on its diagonal.
std::vector<double> threeUnknowns(const std::vector<double> &x)
{
    constexpr std::array<std::array<double, 3>, 4> kRows{{{1, 2, 0}, {0, 1, 3}, {2, 0, 1}, {1, 1, 1}}};
    constexpr std::array<double, 4> kValues{0, 2, 1.75, 1};
    std::vector<double> residuals;
    for (std::size_t i = 0; i < kRows.size(); ++i)
        residuals.push_back(kRows[i][0] * x[0] + kRows[i][1] * x[1] + kRows[i][2] * x[2] - kValues[i]);
    return residuals;
}

TEST(LeastSquares, SolvesLinearEquationsAndKnowsTheErrorsOfTheirSolution)
{
    const Fit fit = leastSquares(threeUnknowns, {0, 0, 0}, 10);
    ASSERT_EQ(fit.at.size(), 3U);
    EXPECT_NEAR(fit.at[0], 0.5, 1e-5);
    EXPECT_NEAR(fit.at[1], -0.25, 1e-5);
    EXPECT_NEAR(fit.at[2], 0.75, 1e-5);
    EXPECT_NEAR(fit.sum, 0, 1e-9);
    EXPECT_NEAR(fit.errors[0], std::sqrt(50.0 / 219), 1e-6);
    EXPECT_NEAR(fit.errors[1], std::sqrt(19.0 / 73), 1e-6);
    EXPECT_NEAR(fit.errors[2], std::sqrt(9.0 / 73), 1e-6);
    EXPECT_NEAR(fit.tolerance[0], 219.0 / (50 * 6), 1e-6);
    EXPECT_NEAR(fit.tolerance[1], 73.0 / (19 * 6), 1e-6);
    EXPECT_NEAR(fit.tolerance[2], 73.0 / (9 * 11), 1e-6);
}

TEST(LeastSquares, StaysWithinTheBound)
{
    const Fit fit = leastSquares([](const std::vector<double> &x) { return std::vector{x[0] - 5}; }, {0}, 2);
    EXPECT_DOUBLE_EQ(fit.at[0], 2);
}

TEST(LeastSquares, ParametersThatCannotBeToldApartHaveNoTolerance)
{
    const Fit fit = leastSquares(
        [](const std::vector<double> &x) { return std::vector{x[0] + x[1] - 1, 2 * (x[0] + x[1]) - 2}; }, {0, 0}, 10);
    EXPECT_NEAR(fit.at[0] + fit.at[1], 1, 1e-5);
    EXPECT_EQ(fit.tolerance[0], 0);
    EXPECT_EQ(fit.tolerance[1], 0);
}

} // namespace
} // namespace slipway
