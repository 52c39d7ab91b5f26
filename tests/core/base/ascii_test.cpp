// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/ascii.h"

#include <gtest/gtest.h>
#include <string_view>

namespace slipway {
namespace {

constexpr std::string_view kDigits = "0123456789", kSmall = "abcdefghijklmnopqrstuvwxyz",
                           kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

TEST(Ascii, EveryByteIsOfTheKindThatItsCharacterHas)
{
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const bool digit = kDigits.find(c) != std::string_view::npos, small = kSmall.find(c) != std::string_view::npos,
                   capital = kCapitals.find(c) != std::string_view::npos;
        EXPECT_EQ(isDigit(c), digit) << byte;
        EXPECT_EQ(isLower(c), small) << byte;
        EXPECT_EQ(isUpper(c), capital) << byte;
        EXPECT_EQ(isLetterOrDigit(c), digit || small || capital) << byte;
    }
}

TEST(Ascii, OnlyCapitalsHaveASmallLetter)
{
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const std::size_t at = kCapitals.find(c);
        EXPECT_EQ(lowerChar(c), at == std::string_view::npos ? c : kSmall[at]) << byte;
    }
}

} // namespace
} // namespace slipway
