// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/file.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

class FileTest : public testing::Test {
protected:
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
};

TEST_F(FileTest, WritesWhatIsReadBack)
{
    const std::string content("a\0b\n", 4);
    ASSERT_TRUE(writeFileAtomically(m_folder / "x", content));
    const auto back = readFile(m_folder / "x");
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, content);
}

TEST_F(FileTest, ReplacesAndLeavesNoTemporaryFile)
{
    ASSERT_TRUE(writeFileAtomically(m_folder / "x", "old"));
    ASSERT_TRUE(writeFileAtomically(m_folder / "x", "new"));
    EXPECT_EQ(*readFile(m_folder / "x"), "new");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder), {}), 1);
}

TEST_F(FileTest, SaysThatAFolderIsMissingWhenWriting)
{
    const auto written = writeFileAtomically(m_folder / "no" / "x", "y");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().fault, Fault::Outside);
}

TEST_F(FileTest, KeepsTheOldFileWhenTheNewOneCannotBeWrittenWhole)
{
    ASSERT_TRUE(writeFileAtomically(m_folder / "x", "old"));
    // A limit on file sizes stops the write midway, as a full disk does.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeFileAtomically(m_folder / "x", std::string(5000, 'n'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, SIG_DFL);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().fault, Fault::Outside);
    EXPECT_EQ(*readFile(m_folder / "x"), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder), {}), 1);
}

TEST_F(FileTest, LeavesALinkALinkAndAPipeAPipe)
{
    const std::filesystem::path real = m_folder / "real", link = m_folder / "link", pipe = m_folder / "pipe";
    ASSERT_TRUE(writeFileAtomically(real, "old"));
    std::filesystem::create_symlink("real", link);
    ASSERT_TRUE(writeFileAtomically(link, "new"));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(readFile(real).value(), "new");

    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
    ASSERT_TRUE(writeFileAtomically(pipe, "told"));
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    char read[8] = {};
    EXPECT_EQ(::read(reader, read, sizeof read), 4);
    EXPECT_STREQ(read, "told");
    ::close(reader);
}

TEST_F(FileTest, RefusesAFileOverTheLimit)
{
    ASSERT_TRUE(writeFileAtomically(m_folder / "x", std::string(1001, 'x')));
    EXPECT_TRUE(readFile(m_folder / "x", 1001));
    const auto back = readFile(m_folder / "x", 1000);
    ASSERT_FALSE(back);
    EXPECT_NE(back.error().message().find("1000 bytes"), std::string::npos);
}

TEST_F(FileTest, RefusesAnEndlessFileWithoutReadingItAll) { EXPECT_FALSE(readFile("/dev/zero", kMiB)); }

// As where somebody names a file in place of its folder.
TEST_F(FileTest, TakesAPathThroughAFileForAWrongName)
{
    const std::filesystem::path file = m_folder / "file";
    ASSERT_TRUE(writeFileAtomically(file, "x"));
    const auto back = readFile(file / "config.json");
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().fault, Fault::Input);
}

TEST_F(FileTest, SaysThatAFolderIsNoFile)
{
    const auto back = readFile(m_folder);
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().where, m_folder.string());
}

} // namespace
} // namespace slipway
