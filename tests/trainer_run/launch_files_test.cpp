// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_files.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "runs/liveness.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::readBytes;
using testing::ScratchFolder;
using testing::writeBytes;

// Runs `work` in a process that another one started, as a script starts programs: both are in the group of that other
// one, whose number comes back. It lives on until the destructor.
class Script {
public:
    explicit Script(const std::function<void()> &work)
    {
        int done[2];
        EXPECT_EQ(::pipe(done), 0);
        m_pid = ::fork();
        if (m_pid == 0) {
            ::setpgid(0, 0);
            const pid_t program = ::fork();
            if (program == 0) {
                work();
                ::_exit(0);
            }
            ::waitpid(program, nullptr, 0);
            ::close(done[0]);
            ::close(done[1]);
            ::pause();
            ::_exit(0);
        }
        ::close(done[1]);
        char byte = 0;
        EXPECT_EQ(::read(done[0], &byte, 1), 0);
        ::close(done[0]);
    }
    ~Script()
    {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    Script(const Script &) = delete;
    Script &operator=(const Script &) = delete;
    [[nodiscard]] pid_t group() const { return m_pid; }

private:
    pid_t m_pid = -1;
};

// A signal to the group of this number reaches the run; a process's own number is a group's only where it leads one.
TEST(LaunchFiles, NamesTheGroupOfAProcessThatAScriptStarted)
{
    const ScratchFolder folder;
    const RunPaths run{.directory = folder.path()};
    const Script script([&run] { (void)LaunchFiles::create(run); });
    const std::optional<ProcessIdentity> process = readProcessIdentity(run);
    ASSERT_TRUE(process);
    EXPECT_EQ(process->processGroup, script.group());
    EXPECT_EQ(::kill(static_cast<pid_t>(-process->processGroup), 0), 0);
    EXPECT_EQ(livenessOf(*process, LocalMachine::current()), Liveness::Alive);
}

TEST(LaunchFiles, IsPrivate)
{
    const ScratchFolder folder;
    const RunPaths run{.directory = folder.path()};
    ::umask(0);
    const LaunchFiles files = LaunchFiles::create(run);
    files.writeExitStatus(0);
    for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
        struct stat status{};
        ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777U, 0600U) << entry.path();
    }
}

TEST(LaunchFiles, OfAProcessThatWasKilledMakesRoomForTheNextOfItsScript)
{
    const ScratchFolder folder;
    const RunPaths run{.directory = folder.path()};
    (void)LaunchFiles::create(run); // and comes to its end without a word
    LaunchFiles::create(run).writeExitStatus(6);
    EXPECT_EQ(readBytes(run.exitStatus()), "6\n");
}

TEST(LaunchFiles, OfAnotherProcessThatRunsStays)
{
    const ScratchFolder folder;
    const RunPaths run{.directory = folder.path()};
    const Script script([&run] { (void)LaunchFiles::create(run); });
    LaunchFiles::create(run).writeExitStatus(6);
    EXPECT_EQ(readProcessIdentity(run)->processGroup, script.group());
    EXPECT_FALSE(std::filesystem::exists(run.exitStatus()));
}

// A launch writes the identity of the process group that it starts this process in, and a supervisor that writes rc.
TEST(LaunchFiles, OfALaunchIsLeftToTheLaunch)
{
    const ScratchFolder folder;
    const RunPaths run{.directory = folder.path()};
    (void)LaunchFiles::create(run);
    writeBytes(folder / "supervisor", "1 1\n");
    LaunchFiles::create(run).writeExitStatus(6);
    LaunchFiles::existing(run).writeExitStatus(6);
    EXPECT_FALSE(std::filesystem::exists(run.exitStatus()));
}

} // namespace
} // namespace slipway
