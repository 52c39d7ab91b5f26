// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/loss_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(LossText, SaysPlainlyWhatIsNoNumber)
{
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                     kInfinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(lossText(4.123456), "4.1235");
    EXPECT_EQ(lossText(4.123456, -1), "4.123456");
    EXPECT_EQ(lossText(kNaN), "NaN");
    EXPECT_EQ(lossText(std::copysign(kNaN, -1.0)), "NaN");
    EXPECT_EQ(lossText(kInfinity), "infinite");
    EXPECT_EQ(lossText(-kInfinity, -1), "-infinite");
}

} // namespace
} // namespace slipway
