// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the launcher makes of ranks that fail. The ranks are this program again, with a test that is no test.
#include "run/launcher.h"

#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "base/file.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchFolder;

// The folders of a control group of the kernel's second version, as a login session has them.
class ControlGroupFolder {
public:
    ControlGroupFolder()
    {
        std::filesystem::copy(std::filesystem::path(SLIPWAY_TEST_DATA) / "cgroup2", m_folder / "cgroup2",
            std::filesystem::copy_options::recursive);
    }
    [[nodiscard]] std::filesystem::path events() const
    {
        return std::filesystem::path(m_folder / "cgroup2") /
               "fs/user.slice/user-1000.slice/session-3.scope/memory.events";
    }
    [[nodiscard]] std::optional<MemoryGroup> read() const
    {
        return MemoryGroup::ofThisProcess(m_folder / "cgroup2/fs", m_folder / "cgroup2/membership");
    }

private:
    ScratchFolder m_folder;
};

constexpr const char *kEvents = "SLIPWAY_TEST_MEMORY_EVENTS";

// The kernel counts whom it ends for want of memory.
TEST(Rank, DISABLED_IsEndedByTheSystem)
{
    const char *const events = std::getenv(kEvents);
    ASSERT_TRUE(!events || writeNamedFile(events, "low 0\nhigh 0\nmax 1733\noom 13\noom_kill 4\noom_group_kill 0\n"));
    ::kill(::getpid(), SIGKILL);
}

constexpr const char *kEnded = "SLIPWAY_TEST_ENDED";

// The first of two ranks fails once the other one is ready. That one takes SIGTERM to write a file, which reaches the
// disk before it ends.
TEST(Rank, DISABLED_EndsItselfOnSIGTERMWhereTheFirstOneFails)
{
    const std::filesystem::path ended = std::getenv(kEnded), ready = ended.string() + ".ready";
    if (std::string_view(std::getenv("RANK")) == "0") {
        while (!std::filesystem::exists(ready))
            std::this_thread::yield();
        ::_exit(7);
    }
    sigset_t asked;
    ::sigemptyset(&asked);
    ::sigaddset(&asked, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &asked, nullptr);
    ASSERT_TRUE(writeNamedFile(ready, "ready"));
    int number = 0;
    ASSERT_EQ(::sigwait(&asked, &number), 0);
    ASSERT_TRUE(writeNamedFile(ended, "ended"));
}

struct Launched {
    int status = -1;
    std::vector<std::string> said;
};

// On a thread of its own, whose signals the launcher may hold back.
Launched launch(const ControlGroupFolder &group, const std::string &test = "IsEndedByTheSystem", int ranks = 1)
{
    // The child is this program: a shard of its tests would leave the one out that it shall run.
    for (const char *name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"})
        ::unsetenv(name);
    Launched launched;
    std::thread([&] {
        launched.status = launchRanks({.paths = {},
                                          .command = {"rank", "--gtest_also_run_disabled_tests",
                                              "--gtest_filter=Rank.DISABLED_" + test, "--gtest_brief=1"},
                                          .ranks = ranks,
                                          .memory = "each rank was predicted to need 3 GiB",
                                          .warn = [&](const std::string &line) { launched.said.push_back(line); },
                                          .group = group.read()})
                              .value();
    }).join();
    return launched;
}

TEST(Launcher, SaysThatTheSystemHadNoMemoryForARankWhereItsGroupCountedThat)
{
    const ControlGroupFolder group;
    ASSERT_TRUE(group.read());
    ASSERT_EQ(group.read()->kills(), 3) << "of earlier ones";
    ::setenv(kEvents, group.events().c_str(), 1);
    const Launched launched = launch(group);
    ::unsetenv(kEvents);
    EXPECT_EQ(launched.status, 3);
    EXPECT_THAT(launched.said, ElementsAre("out of memory: the system ended rank 0, whose group may have 2.0 GiB; each "
                                           "rank was predicted to need 3 GiB"));
}

TEST(Launcher, TakesASignalForWhatItIsWhereTheGroupCountedNothing)
{
    const ControlGroupFolder group;
    const Launched launched = launch(group);
    EXPECT_EQ(launched.status, 4);
    EXPECT_THAT(launched.said, ElementsAre(HasSubstr("rank 0 was killed by signal 9 (Killed)")));
}

TEST(Launcher, GivesTheOtherRanksTimeToEndAfterSIGTERM)
{
    const ScratchFolder folder;
    const std::filesystem::path ended = folder / "ended";
    ::setenv(kEnded, ended.c_str(), 1);
    const Launched launched = launch(ControlGroupFolder(), "EndsItselfOnSIGTERMWhereTheFirstOneFails", 2);
    ::unsetenv(kEnded);
    EXPECT_EQ(launched.status, 7);
    EXPECT_TRUE(std::filesystem::exists(ended)) << "it was killed at once";
}

} // namespace
} // namespace slipway
