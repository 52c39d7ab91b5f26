// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/json.h"

#include <gtest/gtest.h>
#include <string>

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

std::string refusal(std::string_view text, const JsonLimits &limits = {})
{
    const Result<nlohmann::json> json = parseJson(text, limits);
    return json ? "accepted" : json.error().message();
}

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

TEST(Json, ReadsEveryKindOfValue)
{
    const char *const text =
        R"({"a":[1,-2,3.5,"x",true,false,null,{},[]],"b":{"c":{"d":"e"},"f":18446744073709551615}})";
    const Result<nlohmann::json> json = parseJson(text);
    ASSERT_TRUE(json);
    EXPECT_EQ(json->dump(), text);
    EXPECT_EQ(parseJson(" 7 ").value(), 7);
    EXPECT_EQ(parseJson("\"\\u00e4\"").value(), "\u00e4");
}

TEST(Json, TakesTheLastValueOfAKeyThatStandsTwice)
{
    EXPECT_EQ(parseJson(R"({"a":[1,{"b":2}],"c":3,"a":4})").value().dump(), R"({"a":4,"c":3})");
}

TEST(Json, RefusesMoreDepthThanTheLimit)
{
    EXPECT_EQ(refusal(repeated("[", 32) + repeated("]", 32)), "accepted");
    EXPECT_EQ(refusal(repeated("[", 33) + repeated("]", 33)), "has arrays and objects more than 32 deep");
    // What ended the programs while they unwound it: half a million brackets, closed and unclosed.
    EXPECT_EQ(refusal(repeated("[", 500'000)), "has arrays and objects more than 32 deep");
    EXPECT_EQ(refusal(repeated("{\"a\":", 500'000)), "has arrays and objects more than 32 deep");
}

TEST(Json, RefusesMoreBytesValuesAndKeysThanTheLimits)
{
    EXPECT_EQ(refusal("[1,2,3]", {.bytes = 7}), "accepted");
    EXPECT_EQ(refusal("[1,2,3]", {.bytes = 6}), "is larger than 6 bytes");
    EXPECT_EQ(refusal("[1,2,3]", {.values = 4}), "accepted");
    EXPECT_EQ(refusal("[1,2,3]", {.values = 3}), "has more than 3 values");
    EXPECT_EQ(refusal(R"({"a":1,"b":{"c":1,"d":2}})", {.keys = 2}), "accepted");
    EXPECT_EQ(refusal(R"({"a":1,"b":2,"c":3})", {.keys = 2}), "has an object with more than 2 keys");
    // The same key over and over is no way round the limit.
    EXPECT_EQ(refusal(R"({"a":1,"a":2,"a":3})", {.keys = 2}), "has an object with more than 2 keys");
}

TEST(Json, SaysWhereTheTextIsBrokenAndNotWhatStandsThere)
{
    EXPECT_EQ(refusal(""), "is not valid JSON at line 1, column 1");
    EXPECT_EQ(refusal("{\"password\": hunter2}"), "is not valid JSON at line 1, column 14");
    EXPECT_EQ(refusal("{\"a\": 1,\n  \"b\": }\n"), "is not valid JSON at line 2, column 8");
    EXPECT_EQ(refusal("[1] [2]"), "is not valid JSON at line 1, column 5");
    EXPECT_EQ(refusal("{\"a\":1").substr(0, 17), "is not valid JSON");
    EXPECT_EQ(refusal("1e999").substr(0, 17), "is not valid JSON");
    EXPECT_EQ(refusal("NaN").substr(0, 17), "is not valid JSON");
}

TEST(Json, OfAFileNamesTheFileAndTheLine)
{
    const auto refusalOf = [](std::string_view text, const JsonLimits &limits = {}) {
        return parseJsonFile(text, "f.json", limits).error().message();
    };
    EXPECT_EQ(parseJsonFile("[1]", "f.json").value(), nlohmann::json::array({1}));
    EXPECT_EQ(refusalOf("{\"a\": 1,\n  \"b\": }\n"), "f.json:2: is not valid JSON at column 8");
    EXPECT_EQ(refusalOf(std::string_view("{}\n\0", 4)), "f.json:2: is not valid JSON at column 1: a NUL byte");
    EXPECT_EQ(refusalOf("[1,2,3]", {.bytes = 6}), "f.json: is larger than 6 bytes");
    EXPECT_EQ(refusalOf("[1,2,3]", {.values = 3}), "f.json: has more than 3 values");
}

TEST(Json, RefusesBytesThatAreNoUtf8AndNulBytes)
{
    EXPECT_EQ(refusal("[\"\xff\"]").substr(0, 17), "is not valid JSON");
    EXPECT_EQ(refusal("[\"\xc0\x80\"]").substr(0, 17), "is not valid JSON");
    EXPECT_EQ(refusal("[\"\xed\xa0\x80\"]").substr(0, 17), "is not valid JSON"); // a lone surrogate
    EXPECT_EQ(refusal(std::string_view("{}\0[[[", 6)), "is not valid JSON at line 1, column 3: a NUL byte");
}

} // namespace
} // namespace slipway
