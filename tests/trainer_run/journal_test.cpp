// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/journal.h"

#include <gmock/gmock.h>

#include <csignal>
#include <sys/resource.h>

#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::messageOf;
using testing::readBytes;
using testing::ScratchFolder;
using testing::writeBytes;

TEST(AppendFile, WritesWholeLines)
{
    const ScratchFolder folder;
    auto file = AppendFile::open(folder / "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("one"));
    ASSERT_TRUE(file->append("two"));
    EXPECT_EQ(readBytes(folder / "a"), "one\ntwo\n");
}

TEST(AppendFile, EndsALineThatACrashHasCut)
{
    const ScratchFolder folder;
    writeBytes(folder / "a", "one\ntw");
    auto file = AppendFile::open(folder / "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("three"));
    EXPECT_EQ(readBytes(folder / "a"), "one\ntw\nthree\n");
}

TEST(AppendFile, LeavesNoPartOfALineThatTheDiskHadNoRoomFor)
{
    const ScratchFolder folder;
    auto file = AppendFile::open(folder / "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("one"));
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{.rlim_cur = 10, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto failed = file->append("much more than ten bytes");
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::Outside);
    EXPECT_EQ(readBytes(folder / "a"), "one\n");
}

TEST(AppendFile, SaysWhichFileCannotBeOpened)
{
    const ScratchFolder folder;
    EXPECT_THAT(messageOf(AppendFile::open(folder / "none/a")), HasSubstr("none/a: cannot open: "));
}

TEST(Journal, CountsAttemptsOverWhatEarlierOnesWrote)
{
    const ScratchFolder folder;
    const RunPaths paths{.directory = folder.path()};
    EXPECT_FALSE(hasSteps(paths));
    for (const int attempt : {0, 1, 2}) {
        auto journal = Journal::open(paths);
        ASSERT_TRUE(journal) << messageOf(journal);
        EXPECT_EQ(journal->attempt(), attempt);
        ASSERT_TRUE(journal->event("started", "now", 0));
        ASSERT_TRUE(journal->write({.step = 1, .loss = 2.5}));
    }
    EXPECT_TRUE(hasSteps(paths));
    const std::string metrics = readBytes(paths.metrics());
    const auto last = stepMetricsFromJson(metrics.substr(metrics.rfind("{\"v\""), metrics.size()));
    ASSERT_TRUE(last) << messageOf(last);
    EXPECT_EQ(last->attempt, 2);
    EXPECT_FALSE(last->time.empty());
}

TEST(Journal, IsNotMisledByDamagedLines)
{
    const ScratchFolder folder;
    const RunPaths paths{.directory = folder.path()};
    writeBytes(paths.metrics(), "{\"v\":1,\"attempt\":7,\"st");
    const auto journal = Journal::open(paths);
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->attempt(), 0);
}

TEST(Journal, GivesALastWordToTheAttemptThatItIsOf)
{
    const ScratchFolder folder;
    const RunPaths run{folder / "r"};
    std::filesystem::create_directories(run.directory);
    ASSERT_TRUE(Journal::open(run)->event("started", "the first"));
    const JournalEnd began = JournalEnd::of(run);
    EXPECT_EQ(Journal::openAfter(run, began)->attempt(), 1) << "the second wrote nothing";
    EXPECT_EQ(Journal::openAfter(run, JournalEnd())->attempt(), 0) << "it is the first one's";
    EXPECT_EQ(Journal::open(run)->attempt(), 1);
}

// A clock that was set back between two attempts does not make the first one the second.
TEST(Journal, IsInTheOrderInWhichItWasWrittenWhateverTheClockSays)
{
    const ScratchFolder folder;
    const RunPaths run{folder / "r"};
    std::filesystem::create_directories(run.directory);
    writeBytes(run.events(), R"({"v":1,"time":"2999-01-01T00:00:00.000Z","attempt":0,"kind":"started","message":""})"
                             "\n");
    const JournalEnd began = JournalEnd::of(run);
    EXPECT_EQ(Journal::openAfter(run, began)->attempt(), 1);
    auto second = Journal::open(run);
    ASSERT_TRUE(second);
    ASSERT_TRUE(second->event("started", "the second"));
    EXPECT_EQ(Journal::openAfter(run, began)->attempt(), 1);
    EXPECT_EQ(Journal::open(run)->attempt(), 2);
}

} // namespace
} // namespace slipway
