// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/file.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

class FileTest : public ::testing::Test {
protected:
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
};

TEST_F(FileTest, WritesWhatIsReadBack)
{
    const std::string content("a\0b\n", 4);
    ASSERT_TRUE(writeNamedFile(m_folder / "x", content));
    const auto back = readFile(m_folder / "x");
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, content);
}

TEST_F(FileTest, ReplacesAndLeavesNoTemporaryFile)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "x", "old"));
    ASSERT_TRUE(writeNamedFile(m_folder / "x", "new"));
    EXPECT_EQ(*readFile(m_folder / "x"), "new");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder), {}), 1);
}

TEST_F(FileTest, RemovesWhatAKilledWriterLeftAndNothingElse)
{
    const auto abandoned = m_folder / "x.tmp0123456789abcdef", written = m_folder / "x.tmpfedcba9876543210";
    for (const char *name :
        {"x.tmp", "x.tmp1", "y.tmp0123456789abcdef", "x.tmp0123456789abcdef0", "x.tmpOf-the-last-week"})
        writeText(m_folder / name, "of somebody else");
    writeText(abandoned, "half");
    writeText(written, "half");
    const FileDescriptor writer(::open(written.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0); // as whoever writes it now holds
    ASSERT_TRUE(writeNamedFile(m_folder / "x", "new"));
    EXPECT_FALSE(std::filesystem::exists(abandoned));
    EXPECT_TRUE(std::filesystem::exists(written));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder), {}), 7);
}

TEST_F(FileTest, SaysThatAFolderIsMissingWhenWriting)
{
    const auto written = writeNamedFile(m_folder / "no" / "x", "y");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().fault, Fault::Outside);
}

TEST_F(FileTest, KeepsTheOldFileWhenTheNewOneCannotBeWrittenWhole)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "x", "old"));
    // A limit on file sizes stops the write midway, as a full disk does.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeNamedFile(m_folder / "x", std::string(5000, 'n'));
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
    ASSERT_TRUE(writeNamedFile(real, "old"));
    std::filesystem::create_symlink("real", link);
    ASSERT_TRUE(writeNamedFile(link, "new"));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(readFile(real).value(), "new");

    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
    ASSERT_TRUE(writeNamedFile(pipe, "told"));
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    char read[8] = {};
    EXPECT_EQ(::read(reader, read, sizeof read), 4);
    EXPECT_STREQ(read, "told");
    ::close(reader);
}

TEST_F(FileTest, RefusesAFileOverTheLimit)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "x", std::string(1001, 'x')));
    EXPECT_TRUE(readFile(m_folder / "x", 1001));
    const auto back = readFile(m_folder / "x", 1000);
    ASSERT_FALSE(back);
    EXPECT_NE(back.error().message().find("1000 bytes"), std::string::npos);
}

TEST_F(FileTest, RefusesAnEndlessFileWithoutReadingItAll) { EXPECT_FALSE(readFile("/dev/zero", kMiB)); }

TEST_F(FileTest, RefusesALargeFileByItsSizeWithoutReadingIt)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "huge", ""));
    std::filesystem::resize_file(m_folder / "huge", std::uintmax_t{1} << 33); // of holes
    EXPECT_EQ(readFile(m_folder / "huge", kMiB).error().what, "is larger than 1048576 bytes");
}

TEST_F(FileTest, TakesALoopOfLinksAndATooLongNameForAWrongName)
{
    std::filesystem::create_symlink("loop", m_folder / "loop");
    EXPECT_EQ(readFile(m_folder / "loop").error().fault, Fault::Input);
    EXPECT_EQ(readFile(m_folder / std::string(300, 'n')).error().fault, Fault::Input);
}

// As where somebody names a file in place of its folder.
TEST_F(FileTest, TakesAPathThroughAFileForAWrongName)
{
    const std::filesystem::path file = m_folder / "file";
    ASSERT_TRUE(writeNamedFile(file, "x"));
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

mode_t modeOf(const std::filesystem::path &path)
{
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// Holds a umask for a test.
class Umask {
public:
    explicit Umask(mode_t mask) : m_before(::umask(mask)) {}
    ~Umask() { ::umask(m_before); }
    Umask(const Umask &) = delete;
    Umask &operator=(const Umask &) = delete;

private:
    mode_t m_before;
};

TEST_F(FileTest, WritesAPrivateFileWithMode0600WhateverTheUmaskAndTheOldModeAre)
{
    const Umask open(0);
    ASSERT_TRUE(writePrivateFile(m_folder / "state", "one"));
    EXPECT_EQ(modeOf(m_folder / "state"), 0600U);
    ASSERT_EQ(::chmod((m_folder / "state").c_str(), 0644), 0);
    ASSERT_TRUE(writePrivateFile(m_folder / "state", "two"));
    EXPECT_EQ(modeOf(m_folder / "state"), 0600U);
    EXPECT_EQ(readPrivateFile(m_folder / "state").value(), "two");
}

TEST_F(FileTest, WritesANamedFileByTheUmaskAndKeepsTheModeOfAnExistingOne)
{
    const Umask usual(022);
    ASSERT_TRUE(writeNamedFile(m_folder / "table.csv", "a"));
    EXPECT_EQ(modeOf(m_folder / "table.csv"), 0644U);
    ASSERT_EQ(::chmod((m_folder / "table.csv").c_str(), 0660), 0);
    ASSERT_TRUE(writeNamedFile(m_folder / "table.csv", "b"));
    EXPECT_EQ(modeOf(m_folder / "table.csv"), 0660U);
}

TEST_F(FileTest, ReplacesALinkInThePlaceOfAPrivateFileAndLeavesItsTarget)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "bashrc", "theirs"));
    std::filesystem::create_symlink("bashrc", m_folder / "standing.json");
    ASSERT_TRUE(writePrivateFile(m_folder / "standing.json", "ours"));
    EXPECT_EQ(readFile(m_folder / "bashrc").value(), "theirs");
    EXPECT_FALSE(std::filesystem::is_symlink(m_folder / "standing.json"));
    EXPECT_EQ(readPrivateFile(m_folder / "standing.json").value(), "ours");
}

TEST_F(FileTest, ReadsNoPrivateFileThroughALinkAPipeOrADevice)
{
    ASSERT_TRUE(writeNamedFile(m_folder / "secret", "theirs"));
    std::filesystem::create_symlink("secret", m_folder / "link");
    ASSERT_EQ(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
    std::filesystem::create_directory(m_folder / "folder");
    for (const auto &[path, kind] :
        std::vector<std::pair<std::filesystem::path, std::string>>{{m_folder / "link", "a symbolic link"},
            {m_folder / "pipe", "a pipe"}, {m_folder / "folder", "a folder"}, {"/dev/zero", "a device"}}) {
        const auto read = readPrivateFile(path, kMiB);
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().message(), path.string() + ": is " + kind + " (accepted: a regular file)");
    }
}

TEST_F(FileTest, OpensAPrivateFileForAppendingWithMode0600)
{
    const Umask open(0);
    const auto file = openPrivateFile(m_folder / "journal", O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(file);
    EXPECT_EQ(modeOf(m_folder / "journal"), 0600U);
    // The other end of a pipe that nobody reads: without O_NONBLOCK this would wait for ever.
    ASSERT_EQ(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(openPrivateFile(m_folder / "pipe", O_WRONLY | O_APPEND));
}

TEST_F(FileTest, MakesPrivateFoldersAndLeavesThoseThatAreThere)
{
    const Umask open(0);
    std::filesystem::create_directory(m_folder / "data");
    ASSERT_EQ(::chmod((m_folder / "data").c_str(), 0755), 0);
    ASSERT_TRUE(makePrivateFolder(m_folder / "data/slipway/runs/"));
    EXPECT_EQ(modeOf(m_folder / "data"), 0755U);
    EXPECT_EQ(modeOf(m_folder / "data/slipway"), 0700U);
    EXPECT_EQ(modeOf(m_folder / "data/slipway/runs"), 0700U);
    EXPECT_TRUE(makePrivateFolder(m_folder / "data/slipway/runs"));
    ASSERT_TRUE(writeNamedFile(m_folder / "file", "x"));
    EXPECT_FALSE(makePrivateFolder(m_folder / "file/inside"));
    EXPECT_FALSE(makePrivateFolder(m_folder / "file"));
}

} // namespace
} // namespace slipway
