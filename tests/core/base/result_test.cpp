// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/result.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace slipway {
namespace {

TEST(Result, GivesTheValueOrWhatTheCallerHasInItsPlace)
{
    const Result<std::vector<int>> some = std::vector<int>{1, 2}, none = Error{.what = "none"};
    EXPECT_EQ(some.valueOr({}), (std::vector<int>{1, 2}));
    EXPECT_EQ(none.valueOr({}), std::vector<int>());
    EXPECT_EQ(none.valueOr({3}), std::vector<int>{3});
    Result<std::unique_ptr<int>> moved = std::make_unique<int>(4);
    EXPECT_EQ(*std::move(moved).valueOr(nullptr), 4) << "without a copy";
}

} // namespace
} // namespace slipway
