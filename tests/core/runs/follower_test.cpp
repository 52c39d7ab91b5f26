// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LineFollowing : public ::testing::Test {
protected:
    std::vector<std::string> poll()
    {
        const Result<FollowedLines> read = m_follower.poll();
        EXPECT_TRUE(read) << read.error().message();
        m_restarted = read->restarted;
        return read->lines;
    }

    TemporaryDirectory m_folder;
    std::filesystem::path m_file = m_folder.path() / "metrics.jsonl";
    LineFollower m_follower{m_file};
    bool m_restarted = false;
};

TEST_F(LineFollowing, WaitsForAFileThatIsNotThereYet)
{
    EXPECT_THAT(poll(), IsEmpty());
    writeText(m_file, "a\n");
    EXPECT_THAT(poll(), ElementsAre("a"));
    EXPECT_FALSE(m_restarted);
}

TEST_F(LineFollowing, HandsOutEachLineOnceAndOnlyWhole)
{
    writeText(m_file, "one\ntw");
    EXPECT_THAT(poll(), ElementsAre("one"));
    EXPECT_EQ(m_follower.partial(), "tw");
    EXPECT_THAT(poll(), IsEmpty());
    appendText(m_file, "o\n\nthree\n");
    EXPECT_THAT(poll(), ElementsAre("two", "", "three"));
    EXPECT_EQ(m_follower.partial(), "");
}

TEST_F(LineFollowing, LosesAndDoublesNoByteWhereverTheReadsFall)
{
    std::string text, got;
    for (int i = 0; i < 300; ++i)
        text += std::string(static_cast<std::size_t>(i * 7 % 40), 'x') + std::to_string(i) + "\n";
    for (std::size_t at = 0; at < text.size(); at += 13) {
        appendText(m_file, text.substr(at, 13));
        for (const std::string &line : poll())
            got += line + "\n";
    }
    EXPECT_EQ(got, text);
}

TEST_F(LineFollowing, ReadsNoMoreThanTheLimitAtOnce)
{
    writeText(m_file, "first\nsecond\n");
    const Result<FollowedLines> read = m_follower.poll(8);
    ASSERT_TRUE(read);
    EXPECT_THAT(read->lines, ElementsAre("first"));
    EXPECT_TRUE(read->more);
    EXPECT_THAT(poll(), ElementsAre("second"));
}

TEST_F(LineFollowing, BeginsAnewWhenTheFileIsTruncated)
{
    writeText(m_file, "one\ntwo\nthr");
    poll();
    writeText(m_file, "new\n");
    EXPECT_THAT(poll(), ElementsAre("new"));
    EXPECT_TRUE(m_restarted);
}

TEST_F(LineFollowing, BeginsAnewWhenTheFileIsReplacedByALongerOne)
{
    writeText(m_file, "one\n");
    poll();
    const std::filesystem::path other = m_folder.path() / "other";
    writeText(other, "one\nbut another\n");
    std::filesystem::rename(other, m_file);
    EXPECT_THAT(poll(), ElementsAre("one", "but another"));
    EXPECT_TRUE(m_restarted);
}

TEST_F(LineFollowing, BeginsAnewWhenTheFileWasRewrittenInPlaceAndIsLonger)
{
    writeText(m_file, "one\n");
    poll();
    writeText(m_file, "two\nthree\n"); // the same inode, past the offset
    EXPECT_THAT(poll(), ElementsAre("two", "three"));
    EXPECT_TRUE(m_restarted);
}

TEST_F(LineFollowing, SurvivesAFileThatGoesAndComesBack)
{
    writeText(m_file, "one\n");
    poll();
    std::filesystem::remove(m_file);
    EXPECT_THAT(poll(), IsEmpty());
    writeText(m_file, "a new start\n");
    EXPECT_THAT(poll(), ElementsAre("a new start"));
    EXPECT_TRUE(m_restarted);
}

TEST_F(LineFollowing, ReadsAHugeHoleInNoTimeAndTheLinesBehindIt)
{
    writeText(m_file, "first\n");
    std::filesystem::resize_file(m_file, std::uintmax_t{1} << 40);
    appendText(m_file, "\nlast\n");
    std::vector<std::string> lines;
    int polls = 0;
    for (bool more = true; more && polls < 100; ++polls) { // of 8 MiB each
        const Result<FollowedLines> read = m_follower.poll();
        ASSERT_TRUE(read);
        more = read->more;
        lines.insert(lines.end(), read->lines.begin(), read->lines.end());
    }
    EXPECT_LT(polls, 100);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines.front(), "first");
    EXPECT_EQ(lines.back(), "last");
}

TEST_F(LineFollowing, NamesAPathThatIsNoFile)
{
    LineFollower follower(m_folder.path());
    const Result<FollowedLines> read = follower.poll();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().where, m_folder.path().string());
    EXPECT_EQ(read.error().fault, Fault::Outside);
}

TEST(FileFollowing, KeepsBytesThatAreNoText)
{
    const TemporaryDirectory folder;
    const std::string bytes("\0\xff\n\r\0", 5);
    writeText(folder.path() / "out.log", bytes);
    FileFollower follower(folder.path() / "out.log");
    EXPECT_EQ(follower.poll()->bytes, bytes);
    EXPECT_EQ(follower.offset(), 5);
}

} // namespace
} // namespace slipway
