// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs over a real sshd: launch, close, come back; and what goes wrong on the way.
#include <csignal>
#include <sys/resource.h>

#include "config/apply_framework.h"
#include "core/hosts/testnode_fixture.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

// One server for all tests that leave it as it is.
class OverSsh : public OnTestnode {
protected:
    static void SetUpTestSuite() { s_server = std::make_unique<SshServer>(); }
    static void TearDownTestSuite() { s_server.reset(); }
    void SetUp() override
    {
        if (!s_server->problem().empty())
            GTEST_SKIP() << s_server->problem();
    }
    // run.yaml has the defaults of attention and recomputation too.
    RunConfig filled() const
    {
        RunConfig config = m_order.config;
        settleChoices(config);
        return config;
    }

private:
    static inline std::unique_ptr<SshServer> s_server;
};

TEST_F(OverSsh, ARunLeavesTheFilesOfTheContractThereAndACopyHere)
{
    trainer("echo '{\"v\":1,\"step\":1,\"loss\":4.5}' >> metrics.jsonl; echo out; echo err >&2; echo args: \"$@\"");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    for (const char *name : {"run.yaml", "metrics.jsonl", "out.log", "err.log", "pgid", "starttime", "boot_id", "rc"}) {
        EXPECT_TRUE(std::filesystem::exists(there(run) / name)) << name;
        EXPECT_TRUE(std::filesystem::exists(run.directory / name)) << name;
    }
    expectSameFiles(run.directory, there(run));
    EXPECT_EQ(text(run.directory / "out.log"), "out\nargs: run " + there(run).string() + "\n");
    const auto read = readRun(run.directory);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->config, filled()); // with paths of this machine
    EXPECT_EQ(read->metrics.size(), 1U);
    const auto remote = readRunConfig(there(run) / "run.yaml");
    ASSERT_TRUE(remote) << remote.error().message();
    EXPECT_EQ(text(remote->training.data[0].path), "some tokens");
}

TEST_F(OverSsh, ProgramsThatAreKilledWhileFollowingLoseAndDoubleNoByte)
{
    // About 3 MB that hold newlines, half lines and every byte, while followers come and are killed.
    trainer("i=0; while [ $i -lt 60 ]; do head -c 25000 /dev/urandom; printf 'line %d\\nhalf' $i; echo "
            "\"{\\\"v\\\":1,\\\"step\\\":$i,\\\"loss\\\":1}\" >> metrics.jsonl; i=$((i+1)); [ -e fast ] || sleep 0.02; "
            "done");
    const LaunchedRun run = launch();
    for (int program = 0; program < 6; ++program) {
        std::error_code ignored;
        const auto sizeBefore = std::filesystem::exists(run.directory / "out.log")
                                    ? std::filesystem::file_size(run.directory / "out.log", ignored)
                                    : 0;
        const pid_t child = ::fork();
        if (child == 0) {
            const auto node = host();
            for (;;)
                (void)node->refresh({run.directory});
        }
        EXPECT_TRUE(waitUntil(run.directory, [&] {
            return (std::filesystem::exists(run.directory / "out.log") &&
                       std::filesystem::file_size(run.directory / "out.log", ignored) > sizeBefore) ||
                   std::filesystem::exists(there(run) / "rc");
        }));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    writeText(there(run) / "fast", "");
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    expectSameFiles(run.directory, there(run));
    EXPECT_GT(text(run.directory / "out.log").size(), 1'000'000U);
}

TEST_F(OverSsh, ATrainerThatIsKilledIsFailedAndSaysBySignal)
{
    trainer("kill -9 $$");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Failed));
    EXPECT_NE(node->status({run.directory}).detail.find("signal 9"), std::string::npos);
}

TEST_F(OverSsh, ARunWhoseSupervisorIsKilledTooIsLost)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Running));
    ::kill(static_cast<pid_t>(std::stoll(text(there(run) / "supervisor"))), SIGKILL);
    killGroup(there(run));
    EXPECT_TRUE(waitForState(run, *node, RunState::Lost));
}

TEST_F(OverSsh, ARunWhoseHostWasRestartedIsLostAndCanBeResumed)
{
    waitingTrainer("[ \"$3\" = --resume ] && { echo resumed; exit 0; }");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    writeText(there(run) / "go", "");
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    std::filesystem::remove(there(run) / "rc"); // as if the power had gone
    writeText(there(run) / "boot_id", "another-boot\n");
    (void)writeKnownStatus({run.directory}, {.status = {.state = RunState::Running}, .seen = utcNow()});
    const RunStatus status = node->status({run.directory});
    EXPECT_EQ(status.state, RunState::Lost);
    EXPECT_NE(status.detail.find("restarted"), std::string::npos) << status.detail;
    const auto resumed = resumeRun(run.directory, *node);
    ASSERT_TRUE(resumed) << resumed.error().message();
    EXPECT_FALSE(resumed->started.already);
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    EXPECT_NE(text(run.directory / "out.log").find("resumed"), std::string::npos);
    expectSameFiles(run.directory, there(run));
}

TEST_F(OverSsh, AMetricsLineThatACrashCutIsCopiedAsItIsAndReported)
{
    trainer("echo '{\"v\":1,\"step\":1,\"loss\":4.5}' >> metrics.jsonl; printf '{\"v\":1,\"st' >> metrics.jsonl; kill "
            "-9 $$");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Failed));
    expectSameFiles(run.directory, there(run));
    EXPECT_EQ(readRun(run.directory)->metrics.size(), 1U);
    appendText(there(run) / "metrics.jsonl", "\n{\"v\":1,\"step\":2,\"loss\":4.25}\n");
    ASSERT_TRUE(node->refresh({run.directory}));
    const auto read = readRun(run.directory);
    EXPECT_EQ(read->metrics.size(), 2U);
    EXPECT_EQ(read->problemCount, 1);
}

TEST_F(OverSsh, AFileThatWasReplacedThereIsCopiedAnew)
{
    trainer("head -c 1000 /dev/zero | tr '\\0' a; touch ready; until [ -e go ]; do sleep 0.02; done");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    ASSERT_TRUE(node->refresh({run.directory}));
    EXPECT_EQ(text(run.directory / "out.log"), std::string(1000, 'a'));
    for (const std::string &replaced : {std::string(2000, 'b'), std::string("short")}) {
        writeText(there(run) / "out.log", replaced);
        ASSERT_TRUE(node->refresh({run.directory}));
        EXPECT_EQ(text(run.directory / "out.log"), replaced);
    }
    writeText(there(run) / "go", "");
    EXPECT_TRUE(waitForState(run, *node, RunState::Succeeded));
}

TEST_F(OverSsh, ADiskThatIsFullHereIsToldAndNothingIsMissingAfterwards)
{
    waitingTrainer("head -c 200000 /dev/urandom");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    const rlimit before = [] {
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        return limit;
    }();
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto refreshed = node->refresh({run.directory});
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(refreshed);
    EXPECT_EQ(refreshed.error().fault, Fault::Outside);
    EXPECT_NE(refreshed.error().message().find("cannot be written"), std::string::npos) << refreshed.error().message();
    writeText(there(run) / "go", "");
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    expectSameFiles(run.directory, there(run));
}

TEST_F(OverSsh, ADiskThatIsFullThereEndsTheRunAsFailedWithTheTrainersWords)
{
    trainer("ulimit -f 10; trap '' XFSZ; head -c 100000 /dev/zero > checkpoint || { echo 'disk full: checkpoint' >&2; "
            "exit 3; }");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Failed));
    EXPECT_EQ(readRun(run.directory)->status.exitStatus, 3);
    EXPECT_NE(text(run.directory / "err.log").find("disk full: checkpoint"), std::string::npos);
}

TEST_F(OverSsh, StopAsksForACheckpointFirst)
{
    trainer("touch ready; until [ -e stop.request ]; do sleep 0.02; done; touch checkpoint; exit 143");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    const auto stopped = stopRun(run.directory, *node);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_TRUE(std::filesystem::exists(there(run) / "checkpoint"));
}

TEST_F(OverSsh, StopByForceLeavesNoProcessOfTheGroup)
{
    trainer("trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & touch ready; while :; do sleep 0.05; done");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    const auto mark = readProcessIdentity({there(run)});
    ASSERT_TRUE(mark);
    const auto stopped = stopRun(run.directory, *node, {0ms, 100ms, 30s});
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_TRUE(waitUntil(run.directory, [&] { return groupIsGone(mark->processGroup); }, 10s));
}

TEST_F(OverSsh, StopSweepsWhatTheTrainerLeftBehind)
{
    trainer("(trap '' TERM; while :; do sleep 0.05; done) & touch ready; until [ -e stop.request ]; do sleep 0.02; "
            "done; exit 143");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    const auto mark = readProcessIdentity({there(run)});
    ASSERT_TRUE(mark);
    ASSERT_TRUE(stopRun(run.directory, *node));
    EXPECT_TRUE(waitUntil(run.directory, [&] { return groupIsGone(mark->processGroup); }, 10s));
}

TEST_F(OverSsh, AReplyThatIsLostStartsARunOnce)
{
    waitingTrainer("echo started");
    // Loses what ssh says of the one command that starts, after it was done.
    const std::filesystem::path bin = m_folder.path() / "bin";
    std::filesystem::create_directory(bin);
    const std::string real = text("/usr/bin/ssh").empty() ? "ssh" : "/usr/bin/ssh";
    writeText(bin / "ssh", "#!/bin/sh\nt=$(mktemp)\ncat > \"$t\"\n" + real +
                               " \"$@\" < \"$t\" > \"$t.out\"\nstatus=$?\nif grep -q 'setsid --fork' \"$t\" && mkdir " +
                               (bin / "lost").string() +
                               " 2> /dev/null; then rm -f \"$t\" \"$t.out\"; echo 'Connection reset by peer' >&2; exit "
                               "255; fi\ncat \"$t.out\"; rm -f \"$t\" \"$t.out\"; exit $status\n");
    std::filesystem::permissions(bin / "ssh", std::filesystem::perms::owner_all);
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
    const LaunchedRun run = launch();
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_TRUE(std::filesystem::exists(bin / "lost"));
    EXPECT_TRUE(run.started.already);
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    writeText(there(run) / "go", "");
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    EXPECT_EQ(text(run.directory / "out.log"), "started\n");
}

// Without its key, which stands for whatever else a person would have to type.
// A disk of its own, as small as that.
TEST_F(OverSsh, ADiskThatFillsUpThereEndsTheRunAsFailedThoughNothingMoreCanBeWritten)
{
    std::filesystem::create_directories(m_home);
    const auto mounted = runChild({"mount", "-t", "tmpfs", "-o", "size=1m", "slipway-test", m_home.string()}, 30s);
    if (!mounted || mounted->exitStatus != 0)
        GTEST_SKIP() << "no disk can be mounted here: " << (mounted ? mounted->err : mounted.error().message());
    trainer("echo '{\"v\":1,\"step\":1,\"loss\":4.5}' >> metrics.jsonl; head -c 4000000 /dev/zero > checkpoint; echo "
            "'disk full' >&2; exit 3");
    const LaunchedRun run = launch();
    const auto node = host();
    EXPECT_TRUE(waitForState(run, *node, RunState::Failed));
    EXPECT_EQ(node->status({run.directory}).exitStatus, 3);
    EXPECT_EQ(readRun(run.directory)->metrics.size(), 1U);
    const auto again = resumeRun(run.directory, *node);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message().find("No space left"), std::string::npos) << again.error().message();
    (void)runChild({"umount", "-l", m_home.string()}, 30s);
}

TEST_F(OverSsh, NamesPathsAndNotesOfAnyBytesArriveUnharmed)
{
    const std::string hostile = kHostile;
    m_home = m_folder.path() / ("there '$(touch pwned)' `id`;\"ä");
    trainer("pwd > where; echo done");
    const std::filesystem::path data = m_folder.path() / ("to'kens \"$(touch pwned)\"; ä .bin");
    writeText(data, "other tokens");
    m_order.config.training.data = {{.path = data.string()}};
    m_order.config.training.name = hostile;
    m_order.config.training.notes = hostile + "\n- 'x': #y";
    m_order.config.training.tags = {hostile, "; rm -rf x", "'"};
    m_order.directory = m_folder.path() / "-run 'x' $(touch pwned);\nä";
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    EXPECT_EQ(text(run.directory / "out.log"), "done\n");
    const auto remote = readRunConfig(there(run) / "run.yaml");
    ASSERT_TRUE(remote) << remote.error().message();
    EXPECT_EQ(remote->training.notes, m_order.config.training.notes);
    EXPECT_EQ(remote->training.tags, m_order.config.training.tags);
    EXPECT_EQ(remote->training.name, hostile);
    EXPECT_EQ(text(remote->training.data[0].path), "other tokens");
    const auto stopped = stopRun(run.directory, *node);
    EXPECT_TRUE(stopped);
    for (std::filesystem::recursive_directory_iterator file(m_folder.path()), end; file != end; ++file)
        EXPECT_NE(file->path().filename(), "pwned") << file->path();
    EXPECT_FALSE(std::filesystem::exists("pwned"));
}

TEST_F(OverSsh, DataThatAreThereAreUsedWhereTheyLie)
{
    trainer("exit 0");
    const LaunchedRun run = launch();
    const auto remote = readRunConfig(there(run) / "run.yaml");
    ASSERT_TRUE(remote);
    EXPECT_EQ(remote->training.data, m_order.config.training.data); // one file system: nothing to copy
}

TEST_F(OverSsh, ACheckpointIsFetchedWholeWithItsSizeShownFirst)
{
    trainer("mkdir -p checkpoints/step-00000005 checkpoints/step-00000001; head -c 5000 /dev/urandom > "
            "checkpoints/step-00000005/model.safetensors; echo step-00000005 > checkpoints/latest");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    EXPECT_FALSE(std::filesystem::exists(run.directory / "checkpoints"));
    const auto bytes = node->fetchBytes({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_TRUE(bytes) << bytes.error().message();
    EXPECT_GE(*bytes, 5000);
    const auto fetched = node->fetch({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_TRUE(fetched) << fetched.error().message();
    EXPECT_EQ(text(run.directory / "checkpoints/step-00000005/model.safetensors"),
        text(there(run) / "checkpoints/step-00000005/model.safetensors"));
    EXPECT_EQ(text(run.directory / "checkpoints/latest"), "step-00000005\n");
    EXPECT_FALSE(std::filesystem::exists(run.directory / "checkpoints/step-00000001"));
    writeText(there(run) / "report.csv", "a,b\n");
    ASSERT_TRUE(node->fetch({run.directory}, FetchScope::SmallFiles));
    EXPECT_EQ(text(run.directory / "report.csv"), "a,b\n");
    EXPECT_EQ(readRun(run.directory)->config, filled()); // ours, not the one with paths of the host
}

TEST_F(OverSsh, ATrainerThatIsMissingOrOfAnotherVersionIsSaidAndNothingIsLeft)
{
    EXPECT_NE(host()->preflight(m_order.config, m_folder.path(), 0).failures().find("slipway-train is neither in"),
        std::string::npos);
    trainer("");
    writeText(m_home / "bundle/bin/slipway-train", "#!/bin/sh\necho slipway-train 99.1.2\n");
    EXPECT_NE(
        host()->preflight(m_order.config, m_folder.path(), 0).failures().find("version 99.1.2"), std::string::npos);
    writeText(m_home / "bundle/bin/slipway-train",
        "#!/bin/sh\necho 'error while loading shared libraries: libtorch_cpu.so' >&2; exit 127\n");
    const auto run = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().message().find("libtorch_cpu.so"), std::string::npos) << run.error().message();
    EXPECT_FALSE(std::filesystem::exists(m_home / "runs"));
}

} // namespace
} // namespace slipway
