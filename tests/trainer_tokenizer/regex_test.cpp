// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/regex.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tokenizer/regex_syntax.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> matches(std::string_view pattern, std::string_view text)
{
    const Result<Regex> regex = Regex::compile(pattern);
    if (!regex)
        return {regex.error().message()};
    RegexSearch search(*regex);
    search.start(text);
    std::vector<std::string> found;
    while (const auto match = search.next())
        found.emplace_back(text.substr(match->begin, match->end - match->begin));
    EXPECT_FALSE(search.failed());
    return found;
}

std::string refusalOfPattern(std::string_view pattern)
{
    const Result<Regex> regex = Regex::compile(pattern);
    return regex ? "accepted" : regex.error().message();
}

TEST(Regex, CutsTextAsGpt2Does)
{
    EXPECT_THAT(matches(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                    "I'll  pay 12€\n\nnow"),
        ElementsAre("I", "'ll", " ", " pay", " 12", "€", "\n", "\n", "now"));
}

TEST(Regex, BlanksAreThoseOfUnicode)
{
    EXPECT_THAT(matches(R"(\s+)", "a\u00a0\u2003b\u180ec\u3000\x1c"), ElementsAre("\u00a0\u2003", "\u3000"));
    EXPECT_THAT(matches(R"([^\S\n]+)", " \n\t"), ElementsAre(" ", "\t"));
}

TEST(Regex, ACountThatIsFollowedByAPlusRepeatsTheRepetition)
{
    EXPECT_THAT(matches(R"(\p{N}{1,2}+)", "12345"), ElementsAre("12345"));
    EXPECT_THAT(matches(R"(a{,2})", "aaa"), ElementsAre("aa", "a"));
}

TEST(Regex, CharactersMayBeWrittenAsNumbers)
{
    EXPECT_THAT(matches(R"(\x4a\u00E9|\x{1F600})", "Jé\U0001F600"), ElementsAre("Jé", "\U0001F600"));
}

TEST(Regex, WithoutRegardToCaseTheLongSIsAnS)
{
    EXPECT_THAT(matches(R"((?i:'s|'re)|x)", "'S'ſ'RE'r"), ElementsAre("'S", "'ſ", "'RE"));
    EXPECT_THAT(matches(R"((?i:a)a)", "AA aA Aa"), ElementsAre("Aa")) << "the group alone";
}

TEST(Regex, EmptyMatchesDoNotFollowAMatch) { EXPECT_THAT(matches("b*", "abb"), ElementsAre("", "bb")); }

TEST(Regex, WhatTheTwoLibrariesUnderstandDifferentlyIsRefused)
{
    for (const char *const pattern : {"a(?i)b", "(?<name>a)", "(a)\\1", "[a[bc]]", "[a&&b]", "\\h", "\\b", "a**",
             "a{2}?", "[]a]", "(?i:st)", "(?i:é)", "[a", "(a", "a)", "+a", "\\", "[\\", "a{9", "\\xE4", "\\p{", "[b-a]",
             "(?#c)", "\\G", "\\x{110000}", "a{1,2,3}"})
        EXPECT_NE(refusalOfPattern(pattern), "accepted") << pattern;
    EXPECT_THAT(refusalOfPattern("(?<n>a)"), HasSubstr("has a group that is not understood at byte 0"));
    EXPECT_THAT(refusalOfPattern("\\p{Nothing}"), HasSubstr("is not understood"));
    EXPECT_NE(refusalOfPattern(std::string(1000, '(')), "accepted");
}

TEST(Regex, ANeverEndingPatternEnds)
{
    const Result<Regex> regex = Regex::compile(R"((a+)+(a+)+(a+)+[bc])");
    ASSERT_TRUE(regex);
    RegexSearch search(*regex);
    const std::string text(5000, 'a');
    search.start(text);
    EXPECT_FALSE(search.next());
    EXPECT_TRUE(search.failed());
}

} // namespace
} // namespace slipway
