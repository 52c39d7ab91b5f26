// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/median.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Median, IsTheMiddleValueOrTheMeanOfTheMiddleTwo)
{
    EXPECT_EQ(median({}), std::nullopt);
    EXPECT_EQ(median({7}), 7);
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 8, 2}), 3);
}

TEST(Median, QuantilesAreValuesOfTheSample)
{
    std::vector<double> values{5, 1, 4, 2, 3, 6};
    EXPECT_EQ(quantileOf(values, 0), 1);
    EXPECT_EQ(quantileOf(values, 0.5), 4);
    EXPECT_EQ(quantileOf(values, 0.9), 6);
}

} // namespace
} // namespace slipway
