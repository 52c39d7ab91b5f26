// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks that hang or are stopped: all end within the time that the configured ones add up to, and say why.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "comm/rendezvous.h"
#include "rank_processes.h"
#include "scratch_folder.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

// The first one keeps what the others would ask.
TEST(Processes, OneThatHangsEndsAllWithStatus4)
{
    for (const int hangs : {0, 1}) {
        const ScratchFolder folder;
        const RunPaths run = makeTinyRun(folder / "r", kEndless);
        RunningProgram program(runCommand(run, {"-n", "2", "--peer-timeout", "2"}), folder / "err");
        ASSERT_TRUE(program.waitForLine("checkpoint step-"));
        signalRank(run, hangs, SIGSTOP);
        EXPECT_EQ(program.wait(), 4);
        EXPECT_THAT(readBytes(folder / "err"),
            AllOf(StartsWith("slipway-train: rank " + std::to_string(hangs) + " did not respond and was killed"),
                HasSubstr("rank " + std::to_string(1 - hangs) + ": a peer: rank " + std::to_string(hangs) +
                          " did not respond within 2 s: it was stopped")));
        EXPECT_EQ(readBytes(run.exitStatus()), "4\n");
        EXPECT_EQ(eventsOf(run).back().attempt, 0);
    }
}

// Who started them waits for it otherwise, as torchrun does for 30 s.
TEST(Processes, OneThatIsStoppedIsEndedByTheOthersWhereNoLauncherOfOursDoes)
{
    for (const int stopped : {0, 1}) {
        const ScratchFolder folder;
        const RunPaths run = makeTinyRun(folder / "r", kEndless);
        const int port = 21000 + ::getpid() % 8000 + 6 + stopped;
        std::vector<std::unique_ptr<RunningProgram>> ranks;
        for (const int rank : {0, 1})
            ranks.push_back(std::make_unique<RunningProgram>(runCommand(run, {"--peer-timeout", "2"}),
                folder / ("err" + std::to_string(rank)), [rank, port] { setRank(rank, 2, "127.0.0.1", port); }));
        ASSERT_TRUE(ranks[0]->waitForLine("checkpoint step-"));
        ranks[static_cast<std::size_t>(stopped)]->signal(SIGSTOP);
        EXPECT_EQ(ranks[static_cast<std::size_t>(1 - stopped)]->wait(), 4);
        EXPECT_EQ(ranks[static_cast<std::size_t>(stopped)]->wait(), 128 + SIGKILL);
        EXPECT_THAT(readBytes(folder / ("err" + std::to_string(1 - stopped))),
            HasSubstr("rank " + std::to_string(stopped) + " did not respond within 2 s: it was stopped"));
    }
}

// What is asked of the system is bounded by the configured times alone.
TEST(Processes, EndWithinThirtySecondsWhateverFails)
{
    const Rendezvous usual;
    EXPECT_LT(usual.peerTimeout + std::max(deadline::kReadingAfterWait, deadline::kAnswer) + deadline::kGrace +
                  deadline::kToEnd,
        30)
        << "one hangs";
    EXPECT_LT(deadline::kReading + deadline::kGrace + deadline::kToEnd, 30) << "one dies, or has no memory";
}

TEST(Processes, OneThatHangsBeforeTheyMeetEndsAll)
{
    for (const int stopped : {0, 1}) {
        const ScratchFolder folder;
        const RunPaths run = makeTinyRun(folder / "r", kEndless);
        RunningProgram program(
            runCommand(run, {"-n", "2", "--join-timeout", "2", "--peer-timeout", "2"}), folder / "err");
        pid_t rank = -1;
        while ((rank = pidOfRank(run, stopped)) < 0) {
        }
        ::kill(rank, SIGSTOP);
        EXPECT_EQ(program.wait(), 4);
        EXPECT_THAT(readBytes(folder / "err"),
            StartsWith("slipway-train: rank " + std::to_string(stopped) + " did not respond and was killed"));
    }
}

// A run with a checkpoint whose manifest does not respond: the first rank, alone, waits in opening it until it is let
// go.
class RunThatIsHeld {
public:
    explicit RunThatIsHeld(const ScratchFolder &folder)
        : m_run(makeTinyRun(folder / "r", kEndless)),
          m_pipe(folder / "held")
    {
        writeBytes(m_run.stopRequest(), "");
        EXPECT_EQ(runProgram(runCommand(m_run, {"-n", "2"})).status, 143);
        std::filesystem::remove(m_run.stopRequest());
        EXPECT_EQ(::mkfifo(m_pipe.c_str(), 0600), 0);
    }
    [[nodiscard]] const RunPaths &paths() const { return m_run; }
    // Before the program starts, in its process.
    void hold() const
    {
        ::setenv("LD_PRELOAD", SLIPWAY_HELD_OPEN, 1);
        ::setenv("SLIPWAY_HELD_FILE", (m_run.checkpoints() / "step-00000001/manifest.json").c_str(), 1);
        ::setenv("SLIPWAY_HELD_BY", m_pipe.c_str(), 1);
        // The library has to come before the runtime of a sanitizer, which insists on being the first.
        ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    }
    // Calls `meanwhile` when the first rank has come, and then lets it go on.
    void letGo(const std::function<void()> &meanwhile) const
    {
        const std::ofstream pipe(m_pipe);
        meanwhile();
        std::filesystem::remove(m_pipe); // who comes later does not wait
    }
    [[nodiscard]] Flags command() const
    {
        return runCommand(m_run, {"-n", "2", "--resume", "--join-timeout", "3", "--peer-timeout", "3"});
    }

private:
    RunPaths m_run;
    std::filesystem::path m_pipe;
};

TEST(Processes, OneThatHangsBeforeItsFirstStepEndsAllAndSaysWhatItDid)
{
    const ScratchFolder folder;
    const RunThatIsHeld run(folder);
    const Ended ended = runProgram(run.command(), [&run] { run.hold(); });
    EXPECT_EQ(ended.status, 4);
    EXPECT_THAT(ended.err,
        ::testing::ContainsRegex(
            "^slipway-train: rank [01]: a peer: rank 0 hangs before its first step, while reading the checkpoint\n"));
    EXPECT_EQ(readBytes(run.paths().exitStatus()), "4\n");
    EXPECT_EQ(eventsOf(run.paths()).back().kind, "fault");
}

TEST(Threads, OneThatHangsEndsTheProcessAndIsNamed)
{
    const ScratchFolder folder;
    const RunThatIsHeld run(folder);
    for (const Flags &more : {Flags{}, Flags{"--max-restarts", "1"}}) {
        Flags flags{"--resume", "--peer-timeout", "2"};
        flags.insert(flags.end(), more.begin(), more.end());
        const Ended ended = runProgram(runCommand(run.paths(), flags), [&run] { run.hold(); });
        EXPECT_EQ(ended.status, 4);
        EXPECT_THAT(ended.err, HasSubstr("a peer: rank 0 hangs, while reading the checkpoint\n"));
        EXPECT_EQ(readBytes(run.paths().exitStatus()), "4\n");
        EXPECT_EQ(eventsOf(run.paths()).back().kind, "fault");
        EXPECT_EQ(eventsOf(run.paths()).back().attempt, more.empty() ? 1 : 3);
        EXPECT_EQ(ended.err.find("restart 1 of 1, from the latest checkpoint") != std::string::npos, !more.empty());
    }
}

TEST(Processes, OneThatIsStoppedBeforeItsFirstStepEndsAll)
{
    const ScratchFolder folder;
    const RunThatIsHeld run(folder);
    RunningProgram program(run.command(), folder / "err", [&run] { run.hold(); });
    run.letGo([&] { signalRank(run.paths(), 1, SIGSTOP); });
    EXPECT_EQ(program.wait(), 4);
    EXPECT_THAT(readBytes(folder / "err"), AllOf(StartsWith("slipway-train: rank 1 did not respond and was killed"),
                                               HasSubstr("rank 0: a peer: rank 1 does not run before its first step")));
}

TEST(Processes, WhoTakeTheirTimeBeforeTheFirstStepTrain)
{
    const ScratchFolder folder;
    const RunThatIsHeld run(folder);
    RunningProgram program(run.command(), folder / "err", [&run] { run.hold(); });
    run.letGo([] {});
    EXPECT_TRUE(program.waitForLine("resumed after step 1")) << readBytes(folder / "err");
    EXPECT_TRUE(program.waitForLine("checkpoint step-"));
}

TEST(Threads, OneThatIsAloneAndShowsNoSignOfLifeEndsTheProcess)
{
    const ScratchFolder folder;
    const RunThatIsHeld run(folder);
    const Ended ended = runProgram(
        runCommand(run.paths(), {"--resume", "--elastic", "-n", "1", "--stall-timeout", "2"}), [&run] { run.hold(); });
    EXPECT_EQ(ended.status, 4);
    EXPECT_THAT(ended.err,
        HasSubstr("this rank hangs, while reading the checkpoint: it has neither computed, read nor written\n"));
    EXPECT_EQ(readBytes(run.paths().exitStatus()), "4\n");
    EXPECT_EQ(eventsOf(run.paths()).back().kind, "fault");
}

} // namespace
} // namespace slipway
