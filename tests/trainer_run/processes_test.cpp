// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as processes: what they compute, and how all of them end if one fails (docs/guide/trainer.md).
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "child.h"
#include "rank_processes.h"
#include "scratch_folder.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

class EveryStrategyAsProcesses : public ::testing::TestWithParam<Flags> {};

TEST_P(EveryStrategyAsProcesses, TrainsAsTheThreadsDo)
{
    const ScratchFolder folder;
    const RunPaths threads = makeTinyRun(folder / "t", GetParam()), processes = makeTinyRun(folder / "p", GetParam());
    ASSERT_EQ(runProgram(runCommand(threads, {})).status, 0);
    const Ended ended = runProgram(runCommand(processes, {"-n", std::to_string(GetParam()[0].back() - '0')}));
    ASSERT_EQ(ended.status, 0) << ended.err;
    for (const auto &[step, loss] : lossesOf(threads))
        EXPECT_NEAR(lossesOf(processes).at(step) / loss, 1.0, 1e-6) << step;
    EXPECT_EQ(kindsOf(processes), "started checkpoint finished");
}

INSTANTIATE_TEST_SUITE_P(, EveryStrategyAsProcesses,
    ::testing::Values(Flags{"gpus: 2", "parallel: ddp"}, Flags{"gpus: 2", "parallel: zero1"},
        Flags{"gpus: 2", "parallel: fsdp-full"}, Flags{"gpus: 2", "parallel: fsdp-grad-op"},
        Flags{"gpus: 4", "parallel: hsdp", "gpus_per_node: 2"}),
    [](const auto &test) {
        std::string name = test.param[1].substr(10);
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

TEST(Processes, OneThatIsKilledEndsAllWithStatus4AndOneCauseOnTop)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kEndless);
    RunningProgram program(runCommand(run, {"-n", "2"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-"));
    signalRank(run, 1, SIGKILL);
    EXPECT_EQ(program.wait(), 4);
    EXPECT_THAT(readBytes(folder / "err"), StartsWith("slipway-train: rank 1 was killed by signal 9 (Killed)"));
    EXPECT_EQ(readBytes(run.exitStatus()), "4\n");
    EXPECT_EQ(eventsOf(run).back().kind, "fault");
}

TEST(Processes, OneThatIsKilledIsNamedByItsPlaceInTheMesh)
{
    const ScratchFolder folder;
    const RunPaths run =
        makeTinyRun(folder / "r", {"gpus: 4", "tp: 2", "pp: 2", "steps: 1000000", "checkpoint_every: 5"});
    RunningProgram program(runCommand(run, {"-n", "4"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-"));
    signalRank(run, 3, SIGKILL);
    EXPECT_EQ(program.wait(), 4);
    EXPECT_THAT(
        readBytes(folder / "err"), StartsWith("slipway-train: rank 3 (tp 1, pp 1) was killed by signal 9 (Killed)"));
}

TEST(Processes, TheFirstOneToBeKilledIsTheCauseEvenWhereItKeptTheRecord)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kEndless);
    RunningProgram program(runCommand(run, {"-n", "2"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-"));
    signalRank(run, 0, SIGKILL);
    EXPECT_EQ(program.wait(), 4);
    EXPECT_THAT(readBytes(folder / "err"), StartsWith("slipway-train: rank 0 was killed by signal 9 (Killed)"));
    EXPECT_EQ(eventsOf(run).back().kind, "fault");
}

TEST(Processes, StartAgainFromTheNewestCheckpointWhereOneFails)
{
    const ScratchFolder folder;
    const Flags changes{"gpus: 2", "parallel: zero1", "steps: 300", "checkpoint_every: 5"};
    const RunPaths whole = makeTinyRun(folder / "whole", changes), run = makeTinyRun(folder / "r", changes);
    ASSERT_EQ(runProgram(runCommand(whole, {"-n", "2"})).status, 0);
    RunningProgram program(runCommand(run, {"-n", "2", "--max-restarts", "1"}), folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-"));
    signalRank(run, 1, SIGKILL);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_THAT(readBytes(folder / "err"), HasSubstr("restart 1 of 1, from the latest checkpoint"));
    EXPECT_EQ(lossesOf(run), lossesOf(whole)) << "bit for bit";
    EXPECT_EQ(metricsOf(run).back().attempt, 1);
}

TEST(Processes, AreToldToStopAndWriteACheckpoint)
{
    for (const auto &[number, status] : {std::pair(SIGTERM, 143), std::pair(SIGINT, 130)}) {
        const ScratchFolder folder;
        const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: fsdp-full", "steps: 1000000"});
        RunningProgram program(runCommand(run, {"-n", "2"}));
        ASSERT_TRUE(program.waitForLine("step 1/"));
        program.signal(number);
        EXPECT_EQ(program.wait(), status);
        EXPECT_EQ(kindsOf(run), "started stopping checkpoint");
    }
}

TEST(Processes, ResumeAtAnotherNumberOfThemWhereToldSo)
{
    const ScratchFolder folder;
    const RunPaths whole = makeTinyRun(folder / "whole", {"gpus: 2", "parallel: ddp"}),
                   run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    ASSERT_EQ(runProgram(runCommand(whole, {})).status, 0);
    writeBytes(run.stopRequest(), "");
    ASSERT_EQ(runProgram(runCommand(run, {"-n", "2"})).status, 143);
    std::filesystem::remove(run.stopRequest());
    const Ended refused = runProgram(runCommand(run, {"-n", "4", "--resume"}));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("-n: is 4, but gpus in run.yaml is 2 (accepted: 2, or --elastic)"));
    const Ended three = runProgram(runCommand(run, {"-n", "3", "--resume", "--elastic"}));
    EXPECT_EQ(three.status, 2);
    EXPECT_THAT(three.err, HasSubstr("3 ranks cannot equally share the 4 micro-batches of a step (accepted: 2 or 4)"));
    ASSERT_EQ(runProgram(runCommand(run, {"-n", "4", "--resume", "--elastic"})).status, 0);
    for (const auto &[step, loss] : lossesOf(whole))
        EXPECT_NEAR(lossesOf(run).at(step) / loss, 1.0, 1e-6) << step;
}

TEST(Processes, WhoseMeetingPlaceHasNoAddressSaySo)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const Ended ended = runProgram(runCommand(run, {}), [] { setRank(1, 2, "no-such-host.invalid", 29511); });
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("MASTER_ADDR: the host name 'no-such-host.invalid' does not resolve"));
}

// Listens at a free port and answers nobody.
class Stranger {
public:
    Stranger()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(m_socket, reinterpret_cast<sockaddr *>(&address), size), 0);
        EXPECT_EQ(::listen(m_socket, 1), 0);
        ::getsockname(m_socket, reinterpret_cast<sockaddr *>(&address), &size);
        m_port = ntohs(address.sin_port);
    }
    ~Stranger() { ::close(m_socket); }
    Stranger(const Stranger &) = delete;
    Stranger &operator=(const Stranger &) = delete;
    [[nodiscard]] int port() const { return m_port; }

private:
    int m_socket = ::socket(AF_INET, SOCK_STREAM, 0);
    int m_port = 0;
};

TEST(Processes, WhosePortIsInUseSaySo)
{
    const Stranger stranger;
    const int port = stranger.port();
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const Ended ended = runProgram(runCommand(run, {}), [port] { setRank(0, 2, "127.0.0.1", port); });
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("MASTER_PORT: port " + std::to_string(port) + " is in use on this machine"));
}

TEST(Processes, ThatMeetAStrangerAtThePortDoNotWaitForever)
{
    const Stranger stranger;
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const Ended ended = runProgram(
        runCommand(run, {"--join-timeout", "1"}), [port = stranger.port()] { setRank(1, 2, "127.0.0.1", port); });
    EXPECT_EQ(ended.status, 4);
    EXPECT_THAT(ended.err, HasSubstr("not all 2 ranks met within 1 s"));
}

TEST(Processes, ThatMeetNobodySaySoInOneLine)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const int port = 21000 + ::getpid() % 8000 + 4;
    const Ended ended =
        runProgram(runCommand(run, {"--join-timeout", "1"}), [port] { setRank(1, 2, "127.0.0.1", port); });
    EXPECT_EQ(ended.status, 4);
    EXPECT_THAT(ended.err,
        ::testing::MatchesRegex(
            "slipway-train: 127.0.0.1:[0-9]+: not all 2 ranks met within 1 s: nothing listens there: [^\n]*\n"));
}

TEST(Processes, ThatWaitForSomeNameThem)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 3", "parallel: ddp"});
    const int port = 21000 + ::getpid() % 8000 + 5;
    RunningProgram second(
        runCommand(run, {"--join-timeout", "3"}), folder / "err", [port] { setRank(1, 3, "127.0.0.1", port); });
    const Ended first =
        runProgram(runCommand(run, {"--join-timeout", "3"}), [port] { setRank(0, 3, "127.0.0.1", port); });
    EXPECT_EQ(first.status, 4);
    EXPECT_THAT(first.err, HasSubstr("not all 3 ranks met within 3 s: rank 2 did not join"));
    EXPECT_EQ(second.wait(), 4);
}

TEST(Processes, ThatOnlyHeardOfACauseDoNotRepeatIt)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 3", "parallel: ddp", "steps: 1"});
    ASSERT_EQ(runProgram(runCommand(run, {"-n", "3"})).status, 0);
    const Ended ended = runProgram(runCommand(run, {"-n", "3"}));
    EXPECT_EQ(ended.status, 2);
    const std::string cause = "holds the steps of an earlier start";
    EXPECT_THAT(ended.err, AllOf(StartsWith("slipway-train: rank 0: "), HasSubstr(cause)));
    EXPECT_EQ(ended.err.find(cause), ended.err.rfind(cause)) << ended.err;
}

// The second rank's memory is capped below what the step needs: the first one has all it wants, and must end too.
TEST(Processes, OneWithoutMemoryEndsAllAndEachSaysWhy)
{
    for (const int poor : {0, 1}) {
        const ScratchFolder folder;
        const RunPaths run =
            makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp", "hidden: 1024", "ffn: 8192", "layers: 3"});
        const int port = 21000 + ::getpid() % 8000 + 1 + poor;
        const auto cap = [] {
            const rlimit limit{.rlim_cur = 1'600'000'000, .rlim_max = 1'600'000'000};
            ::setrlimit(RLIMIT_AS, &limit);
        };
        RunningProgram second(runCommand(run, {}), folder / "err", [&] {
            setRank(1, 2, "127.0.0.1", port);
            if (poor == 1)
                cap();
        });
        const Ended first = runProgram(runCommand(run, {}), [&] {
            setRank(0, 2, "127.0.0.1", port);
            if (poor == 0)
                cap();
        });
        EXPECT_EQ(first.status, poor == 0 ? 3 : 4);
        EXPECT_EQ(second.wait(), poor == 1 ? 3 : 4);
        const std::string poorSays = poor == 0 ? first.err : readBytes(folder / "err"),
                          otherSays = poor == 0 ? readBytes(folder / "err") : first.err;
        EXPECT_THAT(poorSays, StartsWith("slipway-train: out of memory: the step needs"));
        EXPECT_THAT(poorSays, AllOf(HasSubstr("are in use"), HasSubstr("predicted were")));
        EXPECT_THAT(
            otherSays, HasSubstr("a peer: rank " + std::to_string(poor) + " failed: out of memory: the step needs"));
    }
}

// A group of the kernel's with a limit on memory, of either version; none where this machine lets nobody make one.
class CappedGroup {
public:
    explicit CappedGroup(Bytes bytes)
    {
        const std::string name = "slipway_test_" + std::to_string(::getpid());
        for (const auto &[folder, limit] :
            {std::pair("/sys/fs/cgroup", "memory.max"), std::pair("/sys/fs/cgroup/memory", "memory.limit_in_bytes")}) {
            const std::filesystem::path group = std::filesystem::path(folder) / name;
            std::error_code error;
            if (!std::filesystem::create_directory(group, error))
                continue;
            m_folder = group;
            // The first version's root is an ordinary folder: nothing appears in what is made there.
            if (std::filesystem::exists(group / limit) && (std::ofstream(group / limit) << bytes).flush()) {
                if (std::filesystem::exists(group / "memory.swap.max"))
                    std::ofstream(group / "memory.swap.max") << 0;
                return;
            }
            std::filesystem::remove(group, error);
            m_folder.clear();
        }
    }
    ~CappedGroup()
    {
        std::error_code error;
        if (!m_folder.empty())
            std::filesystem::remove(m_folder, error);
    }
    CappedGroup(const CappedGroup &) = delete;
    CappedGroup &operator=(const CappedGroup &) = delete;
    [[nodiscard]] bool made() const { return !m_folder.empty(); }
    void join() const { std::ofstream(m_folder / "cgroup.procs") << ::getpid(); }

private:
    std::filesystem::path m_folder;
};

// Some 900 MB a rank, where both together may have 600.
const Flags kHungry{"gpus: 2", "parallel: ddp", "hidden: 1024", "ffn: 8192", "layers: 3", "steps: 1000"};
constexpr Bytes kTooLittle = 600'000'000;

TEST(Processes, OneThatTheSystemEndsForWantOfMemoryEndsAllWithStatus3)
{
    const CappedGroup group(kTooLittle);
    if (!group.made())
        GTEST_SKIP() << "this machine lets nobody make a control group with a limit on memory";
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kHungry);
    const Ended ended = runProgram(runCommand(run, {"-n", "2"}), [&] { group.join(); });
    EXPECT_EQ(ended.status, 3) << ended.err;
    EXPECT_THAT(ended.err, ::testing::ContainsRegex("^slipway-train: out of memory: the system ended rank [01], whose "
                                                    "group may have 572.2 MiB; each rank was predicted to need"));
    EXPECT_EQ(readBytes(run.exitStatus()), "3\n");
}

// No launcher of ours sees what became of it.
TEST(Processes, OneThatTheSystemEndsElsewhereEndsTheOtherWithStatus4)
{
    const CappedGroup group(kTooLittle);
    if (!group.made())
        GTEST_SKIP() << "this machine lets nobody make a control group with a limit on memory";
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", kHungry);
    const int port = 21000 + ::getpid() % 8000 + 3;
    RunningProgram second(runCommand(run, {}), folder / "err", [&] {
        setRank(1, 2, "127.0.0.1", port);
        group.join();
    });
    const Ended first = runProgram(runCommand(run, {}), [port] { setRank(0, 2, "127.0.0.1", port); });
    EXPECT_EQ(second.wait(), 128 + SIGKILL);
    EXPECT_EQ(first.status, 4);
    EXPECT_THAT(first.err, StartsWith("slipway-train: a peer: the connection to a rank broke: it ended"));
}

TEST(Processes, OfDifferentConfigurationsAreRefusedAndWriteNothing)
{
    struct Different {
        std::vector<std::string> one, other;
        std::string who;
    };
    for (const Different &run : {Different{{"parallel: ddp"}, {"parallel: ddp", "seed: 4"}, "rank 1"},
             {{"tp: 2"}, {"pp: 2"}, "rank 1 (tp 1)"}}) {
        const ScratchFolder folder;
        const auto made = [&](const char *name, std::vector<std::string> lines) {
            lines.emplace_back("gpus: 2");
            return makeTinyRun(folder / name, lines);
        };
        const RunPaths one = made("one", run.one), other = made("other", run.other);
        const int port = 21000 + ::getpid() % 8000;
        writePrivately(folder / "secret", std::string(64, '7') + "\n");
        const auto become = [&](int rank) {
            setRank(rank, 2, "127.0.0.1", port);
            ::setenv("SLIPWAY_SECRET_FILE", (folder / "secret").c_str(), 1);
        };
        RunningProgram second(runCommand(other, {}), folder / "err", [&] { become(1); });
        const Ended first = runProgram(runCommand(one, {}), [&] { become(0); });
        EXPECT_EQ(first.status, 2);
        EXPECT_THAT(first.err, HasSubstr(run.who + " has another run.yaml than rank 0"));
        EXPECT_EQ(second.wait(), 2);
        EXPECT_FALSE(std::filesystem::exists(one.checkpoints()));
        EXPECT_TRUE(metricsOf(one).empty());
    }
}

TEST(Processes, AWrongConfigurationIsToldOnce)
{
    const ScratchFolder folder;
    const Ended ended =
        runProgram(runCommand(makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp", "data: none.bin"}), {"-n", "2"}));
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("none.bin: cannot open"));
}

// Two layers of four heads, 16 tokens.
TEST(Processes, AMeshThatCannotBeIsRefusedWithTheNearestThatCan)
{
    struct Refused {
        std::vector<std::string> settings;
        const char *what, *accepted;
    };
    const ScratchFolder folder;
    for (const Refused &r :
        {Refused{{"gpus: 4", "tp: 3"}, "gpus: 4 ranks are not a multiple of tp x pp x cp = 3", "3 or 6"},
            {{"gpus: 3", "tp: 3"}, "tp: the tensor-parallel size 3 does not divide the 4 attention heads",
                "1 with --parallel ddp, or 2 with --gpus 2)"},
            {{"gpus: 3", "cp: 3"}, "cp: the context-parallel size 3 does not divide the sequence length 16",
                "1 with --parallel ddp, or 2 with --gpus 2)"},
            {{"gpus: 3", "pp: 3"}, "pp: 3 pipeline stages exceed the 2 layers",
                "1 with --parallel ddp, or 2 with --gpus 2)"},
            {{"gpus: 3", "parallel: ddp", "experts: 4", "experts_per_token: 2", "ep: 3"},
                "ep: the expert-parallel size 3 does not divide the 4 experts", "1)"},
            {{"gpus: 2", "cp: 2", "context_exchange: ring", "attention: vanilla"},
                "context_exchange: 'ring' does not run with vanilla attention", "auto or gather"},
            {{"gpus: 2", "pp: 2", "virtual_stages: 2"}, "virtual_stages: 2 model chunks on each of 2 stages", "1, or"},
            {{"gpus: 2", "pp: 2", "virtual_stages: 1", "pipeline_schedule: interleaved"},
                "virtual_stages: an interleaved pipeline has several model chunks per stage, not 1", "2 or more"}}) {
        const RunPaths run = makeTinyRun(folder / "r", r.settings);
        const Ended ended = runProgram(runCommand(run, {}));
        EXPECT_EQ(ended.status, 2) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(r.what));
        EXPECT_THAT(ended.err, HasSubstr(std::string("(accepted: ") + r.accepted));
        EXPECT_FALSE(std::filesystem::exists(run.metrics()));
    }
}

} // namespace
} // namespace slipway
