// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/liveness.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

// A run directory and a machine whose /proc the test writes itself.
class Status : public ::testing::Test {
protected:
    Status()
    {
        std::filesystem::create_directories(m_machine.proc);
        std::filesystem::create_directories(m_paths.directory);
    }

    void process(int pid, const std::string &startTime, char state = 'S', const std::string &name = "slipway-train")
    {
        std::filesystem::create_directories(m_machine.proc / std::to_string(pid));
        writeText(m_machine.proc / std::to_string(pid) / "stat", std::to_string(pid) + " (" + name + ") " + state +
                                                                     " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " +
                                                                     startTime + " 20 21\n");
    }
    void mark(
        int group, const std::string &startTime, const std::string &boot = "boot-1", const std::string &host = "here")
    {
        writeText(m_paths.processGroup(), std::to_string(group) + "\n");
        writeText(m_paths.startTime(), startTime + "\n");
        writeText(m_paths.bootId(), boot + "\n");
        writeText(m_paths.directory / "host", host + "\n");
    }
    RunState state() { return statusOf(m_paths, m_machine).state; }
    std::string detail() { return statusOf(m_paths, m_machine).detail; }

    TemporaryDirectory m_folder;
    RunPaths m_paths{m_folder.path() / "run"};
    LocalMachine m_machine{.hostName = "here", .bootId = "boot-1", .proc = m_folder.path() / "proc"};
};

TEST_F(Status, IsDraftBeforeAnythingWasStarted) { EXPECT_EQ(state(), RunState::Draft); }

TEST_F(Status, IsQueuedWhenAStartWasAskedForAndNobodyHasReported)
{
    std::filesystem::create_directories(m_paths.directory / "attempts" / "0");
    EXPECT_EQ(state(), RunState::Queued);
}

TEST_F(Status, IsLostWhenAStartWasAskedForLongAgoAndNobodyHasReported)
{
    const std::filesystem::path attempt = m_paths.directory / "attempts" / "0";
    std::filesystem::create_directories(attempt);
    last_write_time(attempt, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5));
    EXPECT_EQ(state(), RunState::Lost);
}

TEST_F(Status, IsRunningWhenGroupStartTimeAndBootAgree)
{
    mark(4242, "900");
    process(4242, "900");
    EXPECT_EQ(state(), RunState::Running);
}

TEST_F(Status, ReadsAProcessNameWithSpacesAndParentheses)
{
    mark(4242, "900");
    process(4242, "900", 'R', "evil) S 1 (name");
    EXPECT_EQ(state(), RunState::Running);
}

TEST_F(Status, IsStoppingWhenAStopWasAskedFor)
{
    mark(4242, "900");
    process(4242, "900");
    writeText(m_paths.stopRequest(), "");
    EXPECT_EQ(state(), RunState::Stopping);
}

TEST_F(Status, IsLostWhenTheProcessIsGoneWithoutAnExitStatus)
{
    mark(4242, "900");
    EXPECT_EQ(state(), RunState::Lost);
    EXPECT_NE(detail().find("no exit status"), std::string::npos);
}

TEST_F(Status, IsLostWhenTheNumberBelongsToAnotherProcessNow)
{
    mark(4242, "900");
    process(4242, "1234");
    EXPECT_EQ(state(), RunState::Lost);
}

TEST_F(Status, IsLostAfterARestartOfTheMachine)
{
    mark(4242, "900", "boot-0");
    process(4242, "900"); // the same number and start time again, by chance
    EXPECT_EQ(state(), RunState::Lost);
    EXPECT_NE(detail().find("restarted"), std::string::npos);
}

TEST_F(Status, IsUnknownAndNeverDeadWhenItRunsOnAnotherMachine)
{
    mark(4242, "900", "boot-7", "node7");
    EXPECT_EQ(state(), RunState::Unknown);
    EXPECT_NE(detail().find("node7"), std::string::npos);
}

TEST_F(Status, IsUnknownWhenTheMarkIsIncomplete)
{
    mark(4242, "900");
    std::filesystem::remove(m_paths.bootId());
    EXPECT_EQ(state(), RunState::Unknown);
}

TEST_F(Status, IsUnknownWhenItWasStartedByHand)
{
    writeText(m_paths.metrics(), "");
    EXPECT_EQ(state(), RunState::Unknown);
}

TEST_F(Status, IsRunningWhileTheSupervisorStillWritesTheExitStatus)
{
    mark(4242, "900");
    process(4242, "900", 'Z');
    process(4241, "899");
    writeText(m_paths.directory / "supervisor", "4241 899\n");
    EXPECT_EQ(state(), RunState::Running);
}

// `cp -r` of a running run copies the names of its processes too. A stop there must not end the run.
TEST_F(Status, OfACopyIsLostWhileTheRunItselfIsRunning)
{
    mark(4242, "900");
    process(4242, "900");
    process(4241, "899");
    writeText(m_paths.directory / "supervisor", "4241 899\n");
    std::filesystem::create_directory_symlink(m_paths.directory, m_machine.proc / "4241" / "cwd");
    EXPECT_EQ(state(), RunState::Running);
    const RunPaths copy{m_folder.path() / "copy"};
    std::filesystem::copy(m_paths.directory, copy.directory, std::filesystem::copy_options::recursive);
    EXPECT_EQ(statusOf(copy, m_machine).state, RunState::Lost);
    EXPECT_EQ(statusOf(copy, m_machine).detail,
        "this folder is a copy; the run itself is running in " + m_paths.directory.string());
    EXPECT_EQ(state(), RunState::Running);
    writeText(m_paths.bootId(), "boot-0\n"); // the numbers are those of other processes
    EXPECT_EQ(detail(), "its machine was restarted while it ran");
}

TEST_F(Status, FollowsTheExitStatusWhateverElseIsThere)
{
    mark(4242, "900", "boot-7", "node7");
    const struct {
        const char *rc;
        RunState state;
    } cases[] = {{"0", RunState::Succeeded}, {"1", RunState::Failed}, {"3", RunState::Failed}, {"6", RunState::Failed},
        {"127", RunState::Failed}, {"130", RunState::Cancelled}, {"143", RunState::Cancelled},
        {"137", RunState::Failed}, {"139", RunState::Failed}, {"124", RunState::TimedOut}};
    for (const auto &one : cases) {
        writeText(m_paths.exitStatus(), std::string(one.rc) + "\n");
        EXPECT_EQ(state(), one.state) << one.rc;
        EXPECT_EQ(statusOf(m_paths, m_machine).exitStatus, std::stoi(one.rc));
    }
}

TEST_F(Status, SaysWhatAnExitStatusMeans)
{
    for (const auto &[rc, words] : {std::pair("3", "disk ran out"), {"4", "another rank"}, {"5", "damaged"},
             {"6", "not finite"}, {"134", "signal 6"}}) {
        writeText(m_paths.exitStatus(), rc);
        EXPECT_NE(detail().find(words), std::string::npos) << rc << ": " << detail();
    }
    writeText(m_paths.exitStatus(), "1");
    EXPECT_EQ(detail(), "");
}

TEST_F(Status, CallsARunCancelledThatWasKilledOnRequest)
{
    writeText(m_paths.exitStatus(), "137\n");
    EXPECT_EQ(state(), RunState::Failed);
    EXPECT_NE(detail().find("memory"), std::string::npos);
    writeText(m_paths.stopRequest(), "");
    EXPECT_EQ(state(), RunState::Cancelled);
}

TEST_F(Status, IgnoresAnExitStatusThatIsNoNumber)
{
    mark(4242, "900");
    process(4242, "900");
    writeText(m_paths.exitStatus(), "");
    EXPECT_EQ(state(), RunState::Running);
}

TEST(LocalMachineHere, SeesItsOwnProcess)
{
    const LocalMachine machine = LocalMachine::current();
    EXPECT_FALSE(machine.bootId.empty());
    const auto start = processStartTime(machine, ::getpid());
    ASSERT_TRUE(start);
    const ProcessIdentity mark{
        .processGroup = ::getpid(), .startTime = *start, .bootId = machine.bootId, .hostName = machine.hostName};
    EXPECT_EQ(livenessOf(mark, machine), Liveness::Alive);
}

} // namespace
} // namespace slipway
