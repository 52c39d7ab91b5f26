// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/json_location.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

constexpr std::string_view kText = R"({
  "a": 1,
  "b": {"c": [10,
    20, {"d": "x"}],
    "text with } and \" and ]": [[]],
    "e": null
  },
  "a.b": 3,
  "a": 4
}
)";

using Line = std::optional<std::size_t>;

TEST(JsonPlace, IsTheLineOfTheKeyOrItem)
{
    EXPECT_EQ(lineInJson(kText, "b"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.c"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.c[0]"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.c[1]"), Line(4));
    EXPECT_EQ(lineInJson(kText, "b.c[2].d"), Line(4));
    EXPECT_EQ(lineInJson(kText, "b.e"), Line(6)) << "behind a string with brackets";
    EXPECT_EQ(lineInJson("[1,\n[2,\n3]]", "[1][1]"), Line(3));
}

TEST(JsonPlace, OfARepeatedKeyIsItsLastOne) { EXPECT_EQ(lineInJson(kText, "a"), Line(9)); }

TEST(JsonPlace, TakesAKeyWithADotForOneKey) { EXPECT_EQ(lineInJson(kText, "a.b"), Line(8)); }

TEST(JsonPlace, OfAPathThatLeadsNowhereIsItsLastPartThatExists)
{
    EXPECT_EQ(lineInJson(kText, "b.c[3]"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.none.d"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.c[2"), Line(3));
    EXPECT_EQ(lineInJson(kText, "b.c[99999999999999999999]"), Line(3));
    EXPECT_EQ(jsonLocation("f.json", kText, "b.e"), "f.json:6");
}

TEST(JsonPlace, OfAMissingKeyIsTheLineOnWhichTheObjectBegins)
{
    EXPECT_EQ(lineInJson(kText, "none"), Line(1));
    EXPECT_EQ(lineInJson(kText, ""), Line(1));
    EXPECT_EQ(lineInJson("\n\n{\"a\": 1}", "b"), Line(3));
    EXPECT_EQ(jsonLocation("f.json", kText, "none"), "f.json:1");
    EXPECT_EQ(lineInJson(" \n", "a"), std::nullopt);
    EXPECT_EQ(jsonLocation("f.json", "", "none"), "f.json");
}

TEST(JsonPlace, EndsInAnyText)
{
    for (const std::string_view text : {"", "{", "[", "{\"a\"", "{\"a\":", "{\"a\": [1,", "{\"a\": \"\\", "}", "{]",
             "{\"a\": ]}", "{,}", "[,,]", "{\"a\" \"b\": 1}", "nonsense", "\"a\""}) {
        for (const std::string_view path : {"a", "a.b", "a[1]", "[1]", "[", "a."})
            lineInJson(text, path);
    }
}

TEST(JsonPlace, NeedsNoStackForDepth)
{
    const std::string deep(1'000'000, '[');
    EXPECT_EQ(lineInJson("{\"a\": " + deep + ", \"b\": 1}", "a"), Line(1));
}

} // namespace
} // namespace slipway
