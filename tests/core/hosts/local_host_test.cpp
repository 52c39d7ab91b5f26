// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Real processes: a few lines of shell stand in for the trainer.
#include "hosts/local_host.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {
namespace {

class LocalStart : public ::testing::Test {
protected:
    ~LocalStart() override
    {
        if (const auto mark = readProcessIdentity(m_paths);
            mark && livenessOf(*mark, LocalMachine::current()) == Liveness::Alive)
            ::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL);
        waitForExit();
    }
    Result<Started> start(const std::string &script, int attempt = 0)
    {
        return m_host.start({.directory = m_paths.directory, .command = {"sh", "-c", script}, .attempt = attempt});
    }
    bool waitForExit()
    {
        return waitUntil(m_paths.directory, [this] {
            return isTerminal(m_host.status(m_paths).state) || m_host.status(m_paths).state == RunState::Draft;
        });
    }
    std::string text(const std::filesystem::path &path) { return readFile(path).value(); }

    TemporaryDirectory m_folder;
    RunPaths m_paths{m_folder.path()};
    LocalHost m_host;
};

TEST_F(LocalStart, RunsInItsOwnProcessGroupAndLeavesItsExitStatus)
{
    const auto started = start("echo hello; echo trouble >&2; exit 5");
    ASSERT_TRUE(started) << started.error().message();
    EXPECT_GT(started->processGroup, 1);
    EXPECT_NE(started->processGroup, ::getpgrp());
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(text(m_paths.outLog()), "hello\n");
    EXPECT_EQ(text(m_paths.errLog()), "trouble\n");
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 5);
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Failed);
}

TEST_F(LocalStart, IsSeenRunningUntilItEnds)
{
    ASSERT_TRUE(start("until [ -e go ]; do sleep 0.01; done"));
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Running);
    writeText(m_paths.directory / "go", "");
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Succeeded);
}

TEST_F(LocalStart, PassesEveryArgumentAsItIs)
{
    const std::string hostile = "a'b $(id); `id` \"c\"\n-größer";
    ASSERT_TRUE(m_host.start({.directory = m_paths.directory, .command = {"printf", "<%s>", hostile, "", "--"}}));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(text(m_paths.outLog()), "<" + hostile + "><><-->");
}

TEST_F(LocalStart, WorksInADirectoryWithAHostileName)
{
    const RunPaths paths{m_folder.path() / "-x '; touch pwned; $(touch pwned)\n\"ä"};
    std::filesystem::create_directory(paths.directory);
    ASSERT_TRUE(m_host.start({.directory = paths.directory, .command = {"pwd"}}));
    ASSERT_TRUE(waitUntil(paths.directory, [&] { return std::filesystem::exists(paths.exitStatus()); }));
    EXPECT_EQ(text(paths.outLog()), paths.directory.string() + "\n");
    EXPECT_FALSE(std::filesystem::exists(paths.directory / "pwned"));
    EXPECT_FALSE(std::filesystem::exists(m_folder.path() / "pwned"));
}

TEST_F(LocalStart, StartsOneAttemptOnceHoweverOftenItIsAskedFor)
{
    const std::string script = "echo started; until [ -e go ]; do sleep 0.01; done";
    std::vector<std::future<Result<Started>>> orders;
    for (int i = 0; i < 6; ++i)
        orders.push_back(std::async(std::launch::async, [&] { return start(script); }));
    int fresh = 0;
    std::int64_t group = 0;
    for (auto &order : orders) {
        const auto started = order.get();
        ASSERT_TRUE(started) << started.error().message();
        fresh += started->already ? 0 : 1;
        EXPECT_TRUE(group == 0 || group == started->processGroup);
        group = started->processGroup;
    }
    EXPECT_EQ(fresh, 1);
    writeText(m_paths.directory / "go", "");
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(text(m_paths.outLog()), "started\n");
    const auto late = start(script); // a repeated order after the end starts nothing either
    ASSERT_TRUE(late);
    EXPECT_TRUE(late->already);
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Succeeded);
}

TEST_F(LocalStart, ALaterAttemptAppendsToTheLogsAndForgetsTheOldExitStatus)
{
    ASSERT_TRUE(start("echo one; exit 3"));
    ASSERT_TRUE(waitForExit());
    writeText(m_paths.stopRequest(), "");
    ASSERT_TRUE(start("echo two; until [ -e go ]; do sleep 0.01; done", 1));
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Running);
    writeText(m_paths.directory / "go", "");
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(text(m_paths.outLog()), "one\ntwo\n");
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Succeeded);
}

TEST_F(LocalStart, ASignalEndsTheWholeGroupAndTheExitStatusSaysSo)
{
    ASSERT_TRUE(start("sleep 1000 & echo $! > child; wait"));
    ASSERT_TRUE(waitUntil(m_paths.directory, [&] {
        return std::filesystem::exists(m_paths.directory / "child") && !text(m_paths.directory / "child").empty();
    }));
    ASSERT_TRUE(m_host.signalGroup(m_paths, SIGTERM));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 143);
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Cancelled);
    const std::int64_t child = std::stoll(text(m_paths.directory / "child"));
    EXPECT_TRUE(waitUntil(m_paths.directory, [&] { return !processStartTime(LocalMachine::current(), child); }));
}

TEST_F(LocalStart, IsFailedNotLostWhenItsProcessIsKilled)
{
    const auto started = start("exec sleep 1000");
    ASSERT_TRUE(started);
    ASSERT_EQ(::kill(static_cast<pid_t>(started->processGroup), SIGKILL), 0);
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 137);
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Failed);
}

TEST_F(LocalStart, IsLostWhenSupervisorAndProcessAreBothKilled)
{
    const auto started = start("exec sleep 1000");
    ASSERT_TRUE(started);
    const std::string supervisor = text(m_paths.directory / "supervisor");
    ASSERT_EQ(::kill(static_cast<pid_t>(std::stoll(supervisor)), SIGKILL), 0);
    ASSERT_EQ(::kill(static_cast<pid_t>(started->processGroup), SIGKILL), 0);
    EXPECT_TRUE(waitUntil(m_paths.directory, [&] { return m_host.status(m_paths).state == RunState::Lost; }));
}

TEST_F(LocalStart, SaysWhyACommandCouldNotRun)
{
    ASSERT_TRUE(m_host.start({.directory = m_paths.directory, .command = {"/no/such/trainer"}}));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 127);
    EXPECT_NE(text(m_paths.errLog()).find("/no/such/trainer"), std::string::npos);
}

TEST_F(LocalStart, RefusesADirectoryThatIsNotThere)
{
    const auto started = m_host.start({.directory = m_folder.path() / "missing", .command = {"true"}});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().fault, Fault::Outside);
}

TEST_F(LocalStart, NeverSignalsAGroupThatIsNotOurs)
{
    // The mark of a run whose number now belongs to this very test.
    writeText(m_paths.processGroup(), std::to_string(::getpid()));
    writeText(m_paths.startTime(), "1");
    writeText(m_paths.bootId(), LocalMachine::current().bootId);
    writeText(m_paths.directory / "host", LocalMachine::current().hostName);
    EXPECT_FALSE(m_host.signalGroup(m_paths, SIGTERM));
    std::filesystem::remove(m_paths.processGroup());
    EXPECT_FALSE(m_host.signalGroup(m_paths, SIGTERM));
}

class LocalPreflight : public ::testing::Test {
protected:
    LocalPreflight()
    {
        writeText(m_folder.path() / "trainer", "#!/bin/sh\n");
        std::filesystem::permissions(m_folder.path() / "trainer", std::filesystem::perms::owner_all);
        writeText(m_folder.path() / "tokens.bin", "some tokens");
        m_config.training.data = {{.path = (m_folder.path() / "tokens.bin").string()}};
    }
    std::string failures(Bytes disk = 0, const std::filesystem::path &directory = {})
    {
        LocalHost host(m_trainer);
        return host.preflight(m_config, directory.empty() ? m_folder.path() / "not" / "yet" : directory, disk)
            .failures();
    }

    TemporaryDirectory m_folder;
    std::filesystem::path m_trainer = m_folder.path() / "trainer";
    RunConfig m_config;
};

TEST_F(LocalPreflight, PassesWhereNothingIsMissing) { EXPECT_EQ(failures(), ""); }

TEST_F(LocalPreflight, NamesEachThingThatIsMissing)
{
    m_trainer = m_folder.path() / "tokens.bin";
    EXPECT_NE(failures().find("trainer: "), std::string::npos);
    m_trainer = m_folder.path() / "trainer";
    m_config.training.data = {{.path = "/no/such.bin"}};
    EXPECT_NE(failures().find("data: /no/such.bin"), std::string::npos);
    writeText(m_folder.path() / "empty.bin", "");
    m_config.training.data = {{.path = (m_folder.path() / "empty.bin").string()}};
    EXPECT_NE(failures().find("is empty"), std::string::npos);
    m_config.training.data.clear();
    EXPECT_NE(failures().find("no token file"), std::string::npos);
}

TEST_F(LocalPreflight, TheFactsOfThisMachineNameTheTrainerThatALaunchStarts)
{
    const std::filesystem::path trainer = m_folder.path() / "trainer";
    writeText(trainer, "#!/bin/sh\necho slipway-train 1.2.3\n");
    const auto facts = LocalHost(trainer).facts();
    ASSERT_TRUE(facts) << facts.error().message();
    EXPECT_EQ(facts->trainer, trainer.string());
    EXPECT_EQ(facts->trainerVersion, "1.2.3");
}

TEST_F(LocalPreflight, ATrainerThatIsNotInstalledIsNamedInTheCommand)
{
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", m_folder.path().c_str(), 1);
    LocalHost host;
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_EQ(host.trainer(), std::filesystem::path());
    EXPECT_NE(host.preflight(m_config, m_folder.path(), 0).failures().find("trainer: "), std::string::npos);
    const auto planned = host.plannedCommands({{.config = m_config, .directory = "/runs/first", .predicted = {}}});
    ASSERT_EQ(planned.size(), 1u);
    EXPECT_EQ(planned.front().command, "'slipway-train' 'run' '/runs/first'");
}

TEST_F(LocalPreflight, ComparesTheDiskWithWhatCheckpointsTake)
{
    EXPECT_NE(failures(Bytes{1} << 60).find("the checkpoints need"), std::string::npos);
    EXPECT_NE(failures(0, "/proc/nowhere").find("disk: "), std::string::npos);
    LocalHost host(m_trainer);
    EXPECT_EQ(host.preflight(m_config, "/proc/nowhere", 0).fault(), Fault::Outside);
    m_config.training.data.clear();
    EXPECT_EQ(host.preflight(m_config, m_folder.path(), 0).fault(), Fault::Input);
}

TEST(MakeHost, KnowsThisMachineSshAndSlurmAndAsksNobodyForIt)
{
    for (const char *name : {"local", "node7", "ada@node7", "node7:/scratch/ada", "slurm:", "slurm:local",
             "slurm:cluster", "slurm:ada@cluster:/scratch"}) {
        const auto host = makeHost(name);
        ASSERT_TRUE(host) << name << ": " << host.error().message();
        EXPECT_EQ((*host)->name(), name);
    }
}

TEST(MakeHost, RefusesWhatAShellOrSshWouldTakeForSomethingElse)
{
    for (const char *name : {"", "-oProxyCommand=id", "slurm:-oProxyCommand=id", "a b", "a;id", "$(id)", "a'b", "a\nb",
             "node7:relative", "node/7", "*"}) {
        const auto host = makeHost(name);
        ASSERT_FALSE(host) << name;
        EXPECT_FALSE(host.error().accepted.empty()) << name;
        EXPECT_EQ(host.error().fault, Fault::Input);
    }
    EXPECT_FALSE(makeHost("node7", {"--partition=gpu"})); // sbatch's, and this is no cluster
}

} // namespace
} // namespace slipway
