// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_source.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::bytesOf;
using ::testing::HasSubstr;
using testing::messageOf;
using testing::ScratchFolder;
using testing::writeBytes;

// Ids count up from `start`, so that an id tells its place.
void writeCounting(const std::filesystem::path &path, std::uint16_t start, std::size_t count)
{
    std::vector<std::uint16_t> ids(count);
    std::iota(ids.begin(), ids.end(), start);
    writeBytes(path, bytesOf(ids));
}

TEST(TokenSource, GivesTargetsThatAreTheNextTokens)
{
    const ScratchFolder folder;
    writeCounting(folder / "a.bin", 0, 1001);
    const auto source = TokenSource::open(std::vector<WeightedFile>{{.path = folder / "a.bin"}}, 1001, 100, 1);
    ASSERT_TRUE(source) << messageOf(source);
    EXPECT_EQ(source->windowCount(), 10);
    std::set<std::int32_t> starts;
    for (std::uint64_t number = 0; number < 10; ++number) {
        std::vector<std::int32_t> tokens(100), targets(100);
        ASSERT_TRUE(source->sample(number, tokens, targets));
        EXPECT_EQ(tokens[0] % 100, 0);
        for (std::size_t i = 0; i < 100; ++i) {
            EXPECT_EQ(tokens[i], tokens[0] + static_cast<std::int32_t>(i));
            EXPECT_EQ(targets[i], tokens[i] + 1);
        }
        starts.insert(tokens[0]);
    }
    EXPECT_EQ(starts.size(), 10);
}

TEST(TokenSource, GoesThroughTheWindowsOfAllFilesInOrder)
{
    const ScratchFolder folder;
    writeCounting(folder / "a.bin", 0, 21);
    writeCounting(folder / "b.bin", 500, 15);
    const auto source = TokenSource::open(
        std::vector<WeightedFile>{{.path = folder / "a.bin"}, {.path = folder / "b.bin"}}, 1000, 10, 1);
    ASSERT_TRUE(source);
    ASSERT_EQ(source->windowCount(), 3);
    std::vector<std::int32_t> tokens(10), targets(10);
    for (const auto &[number, start] : std::vector<std::pair<std::uint64_t, std::int32_t>>{{0, 0}, {1, 10}, {2, 500}}) {
        ASSERT_TRUE(source->window(number, tokens, targets));
        EXPECT_EQ(tokens[0], start);
        EXPECT_EQ(targets[9], start + 10);
    }
}

TEST(TokenSource, RefusesAFileShorterThanASample)
{
    const ScratchFolder folder;
    writeCounting(folder / "a.bin", 0, 100);
    const auto source = TokenSource::open(std::vector<WeightedFile>{{.path = folder / "a.bin"}}, 1000, 100, 1);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().fault, Fault::Input);
    EXPECT_THAT(source.error().message(), HasSubstr("has 100 ids, too few for one sample (accepted: at least 101"));
}

TEST(TokenSource, RefusesAnEmptyFileAndANegativeWeight)
{
    const ScratchFolder folder;
    writeBytes(folder / "empty.bin", "");
    EXPECT_THAT(messageOf(TokenSource::open(std::vector<WeightedFile>{{.path = folder / "empty.bin"}}, 10, 4, 1)),
        HasSubstr("has 0 ids"));
    writeCounting(folder / "a.bin", 0, 10);
    EXPECT_THAT(
        messageOf(TokenSource::open(std::vector<WeightedFile>{{.path = folder / "a.bin", .weight = -1}}, 10, 4, 1)),
        HasSubstr("weight"));
}

} // namespace
} // namespace slipway
