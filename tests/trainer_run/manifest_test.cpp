// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/manifest.h"

#include <gmock/gmock.h>

#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::messageOf;

CheckpointManifest manifest()
{
    return {.step = 5,
        .checksums = {{"model-00001-of-00002.safetensors/w", "0123"}},
        .shards = 2,
        .parts = {{"w", {{.shard = 0, .first = 0, .count = 5}, {.shard = 1, .first = 5, .count = 7}}}}};
}

CheckpointManifest slicedManifest()
{
    CheckpointManifest sliced = manifest();
    sliced.parts["w"] = {
        {.shard = 0, .slice = WeightSlice{.rows = 3, .columns = 2}, .count = 6},
        {.shard = 1, .slice = WeightSlice{.rows = 3, .firstColumn = 2, .columns = 2}, .count = 6},
    };
    sliced.shapes = {{"w", {3, 4}}};
    return sliced;
}

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    EXPECT_THAT(text, HasSubstr(from));
    return text.replace(text.find(from), from.size(), to);
}

TEST(ShardedManifest, IsReadAsItWasWritten)
{
    for (const CheckpointManifest &written : {manifest(), slicedManifest()}) {
        const auto read = manifestFromJson(toJson(written), "m");
        ASSERT_TRUE(read) << messageOf(read);
        EXPECT_EQ(*read, written);
    }
}

TEST(ShardedManifest, HasAVersionThatKnowsSlicesWhereItHasSome)
{
    EXPECT_THAT(toJson(manifest()), HasSubstr("\"version\": 1,"));
    EXPECT_THAT(toJson(manifest()), ::testing::Not(HasSubstr("shapes")));
    EXPECT_THAT(toJson(slicedManifest()), HasSubstr("\"version\": 2,"));
    EXPECT_THAT(
        messageOf(manifestFromJson(replaced(toJson(slicedManifest()), "\"version\": 2", "\"version\": 3"), "m")),
        HasSubstr("version 3"));
}

TEST(ShardedManifest, WithAnotherSliceOrShapeThanWasWrittenIsDamaged)
{
    const std::string good = toJson(slicedManifest());
    EXPECT_THAT(messageOf(manifestFromJson(replaced(good, " 3,\n        4\n", " 4,\n        3\n"), "m")),
        HasSubstr("checksum does not match"));
    EXPECT_THAT(messageOf(manifestFromJson(replaced(good, " 2,\n          2\n", " 1,\n          2\n"), "m")),
        HasSubstr("checksum does not match"));
}

TEST(ShardedManifest, WithAPositionOrShapeBeyondAnIntegerIsDamaged)
{
    const std::string good = toJson(manifest());
    for (const char *field : {"step", "tokens", "samples", "seed", "attempt", "hidden"}) {
        const std::string key = "\"" + std::string(field) + "\": ";
        for (const char *number : {"7005555555555555555555555555", "1e300", "2.5", "-99999999999999999999"})
            EXPECT_THAT(messageOf(manifestFromJson(replaced(good, key, key + number + ",\"x\": "), "m")),
                HasSubstr("not an integer"))
                << field << " " << number;
    }
}

TEST(ShardRecord, IsReadAsItWasWritten)
{
    const ShardRecord written{.checksums = {{"f/w", "12"}},
        .parts = {{"v", {{.shard = 3, .first = 9, .count = 2}}},
            {"w", {{.shard = 3, .slice = WeightSlice{.rows = 3, .columns = 2}, .first = 1, .count = 4}}}},
        .shapes = {{"v", {11}}, {"w", {3, 4}}}};
    const auto read = shardRecordFromJson(toJson(written), "r");
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_EQ(*read, written);
}

TEST(ShardRecord, OfAnEarlierVersionIsRead)
{
    const auto read = shardRecordFromJson(R"({"checksums":{"f/w":"12"},"parts":{"w":[[1,5,7]]}})", "r");
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_EQ(
        *read, (ShardRecord{.checksums = {{"f/w", "12"}}, .parts = {{"w", {{.shard = 1, .first = 5, .count = 7}}}}}));
}

TEST(ShardRecord, WithWhatIsNoPartIsDamaged)
{
    for (const char *part : {"[]", "[1,2]", "[1,2,3,4]", "[1,2,3,4,5,6]", "[1,2,3,4,5,6,7,8]", "5", "null", "{\"a\":1}",
             "[1,2,3.5]", "[1,2,\"3\"]", "[1,2,true]", "[4294967296,0,1]", "[0,9223372036854775808,1]", "[0,0,1e300]",
             "[0,0,-9223372036854775809]", "[0,0,1,0,1,0,18446744073709551615]"}) {
        const auto read = shardRecordFromJson(R"({"checksums":{},"parts":{"w":[)" + std::string(part) + "]}}", "r");
        EXPECT_THAT(messageOf(read), HasSubstr("r: is not a record of a shard")) << part;
    }
    for (const char *shapes :
        {"5", "[1]", "{\"w\":4}", "{\"w\":[1.5]}", "{\"w\":[\"4\"]}", "{\"w\":[9223372036854775808]}"}) {
        const auto read =
            shardRecordFromJson(R"({"checksums":{},"parts":{},"shapes":)" + std::string(shapes) + "}", "r");
        EXPECT_THAT(messageOf(read), HasSubstr("r: is not a record of a shard")) << shapes;
    }
}

} // namespace
} // namespace slipway
