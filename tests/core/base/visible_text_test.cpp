// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/visible_text.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(VisibleText, LeavesTextsOfAllScriptsAsTheyAre)
{
    EXPECT_EQ(visibleText("größer 日本語 🚢 \"quoted\"\\n", {}), "größer 日本語 🚢 \"quoted\"\\n");
}

TEST(VisibleText, EscapesWhatATerminalOrAWindowWouldObey)
{
    EXPECT_EQ(visibleText("\x1b[31m", {}), "\\u001b[31m");
    EXPECT_EQ(visibleText("\x7f\xc2\x9b", {}), "\\u007f\\u009b");        // DEL, and CSI as one character
    EXPECT_EQ(visibleText("\xe2\x80\xaetxt.exe", {}), "\\u202etxt.exe"); // the rest would be written from right to left
    EXPECT_EQ(visibleText("a\nb\tc", "\n\t"), "a\nb\tc");
    EXPECT_EQ(visibleText("a\nb\tc", {}), "a\\u000ab\\u0009c");
}

TEST(VisibleText, EscapesBytesThatAreNoUtf8)
{
    EXPECT_EQ(visibleText("\xff\xc0\xaf\xed\xa0\x80\xc3", {}), "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xc3");
}

TEST(VisibleText, CountsWhatIsTooLong) { EXPECT_EQ(visibleText("0123456789", {}, 4), "0123... (6 bytes more)"); }

TEST(BeginningOf, ATextCutsNoCharacter)
{
    EXPECT_EQ(utf8Prefix("äöü", 3), "ä");
    EXPECT_EQ(utf8Prefix("äöü", 4), "äö");
    EXPECT_EQ(utf8Prefix("äöü", 6), "äöü");
    EXPECT_EQ(utf8Prefix("ä", 1), "");
}

} // namespace
} // namespace slipway
