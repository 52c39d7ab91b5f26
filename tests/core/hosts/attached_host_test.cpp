// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A log on another host that somebody else's training writes, over a real sshd.
#include <gmock/gmock.h>

#include "core/hosts/testnode_fixture.h"
#include "hardware/catalogue.h"
#include "hosts/attach_run.h"
#include "hosts/attached_host.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

TEST(RemoteLogName, IsAHostAndAnAbsolutePathOrAJob)
{
    EXPECT_EQ(remoteLogOf("train.log").value(), std::nullopt);
    EXPECT_EQ(remoteLogOf("/data/a:b.log").value(), std::nullopt);
    EXPECT_EQ(remoteLogOf("./a:b").value(), std::nullopt);
    EXPECT_EQ(remoteLogOf("ada@node7:/data/a b.log").value(),
        (RemoteLog{.host = "ada@node7", .path = "/data/a b.log", .job = {}}));
    EXPECT_EQ(remoteLogOf("slurm:123").value(), (RemoteLog{.host = {}, .path = {}, .job = "123"}));
    EXPECT_EQ(remoteLogOf("slurm:login:123_4").value(), (RemoteLog{.host = "login", .path = {}, .job = "123_4"}));
    for (const char *bad :
        {"node7:train.log", "node7:", "slurm:", "slurm:login:", "slurm:-x", "slurm:1;x", "node7:/a\nb"})
        EXPECT_FALSE(remoteLogOf(bad)) << bad;
    EXPECT_FALSE(AttachedHost::make("log:-oProxyCommand=x"));
    EXPECT_FALSE(AttachedHost::make("log:"));
    EXPECT_FALSE(AttachedHost::make("log:node7#x"));
}

class AttachedOverSsh : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
        std::filesystem::create_directory(m_log.parent_path());
    }
    Result<AttachedRun> attach(const std::string &log)
    {
        RunConfig config;
        config.software = "pytorch";
        return attachRun(log, config, {}, loadCatalogue().value(), m_registry);
    }
    static std::vector<std::int64_t> steps(const std::filesystem::path &directory)
    {
        std::vector<std::int64_t> list;
        const RunData run = readRun(directory).value();
        for (const StepMetrics &step : run.metrics)
            list.push_back(step.step);
        return list;
    }

    SshServer m_server;
    std::filesystem::path m_log = m_folder.path() / "their folder; touch pwned" / "it's $(touch pwned).log";
};

TEST_F(AttachedOverSsh, ItsStepsComeAndNothingIsWrittenThere)
{
    writeText(m_log, "step 1 loss 2.5\nstep 2 loss 2.4\n");
    const auto run = attach("testnode:" + m_log.string());
    ASSERT_TRUE(run) << run.error().message();
    const auto host = std::move(*hostOfRun(run->directory));
    EXPECT_EQ(host->status({run->directory}).state, RunState::Running);
    EXPECT_EQ(steps(run->directory), (std::vector<std::int64_t>{1, 2}));
    m_server.kill();
    EXPECT_EQ(host->status({run->directory}).state, RunState::Unknown);
    appendText(m_log, "step 3 loss 2.3\nstep 4 lo");
    m_server.startAgain();
    EXPECT_EQ(host->status({run->directory}).state, RunState::Running);
    EXPECT_EQ(steps(run->directory), (std::vector<std::int64_t>{1, 2, 3})) << "a line without an end waits";
    appendText(m_log, "ss 2.2\n");
    ASSERT_TRUE(host->refresh({run->directory}));
    EXPECT_EQ(steps(run->directory), (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(steps(run->directory), (std::vector<std::int64_t>{1, 2, 3, 4})) << "read again";
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(m_log.parent_path()))
        names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{m_log.filename()});
}

TEST_F(AttachedOverSsh, OfAFolderTheNewestFileWithMetricsIsRead)
{
    const std::filesystem::path folder = m_log.parent_path() / "it's $(touch pwned)";
    EXPECT_FALSE(attach("testnode:" + m_log.parent_path().string())) << "there is none";
    std::filesystem::create_directories(folder / "version_0");
    writeText(folder / "version_0" / "metrics.csv", "step,loss\n1,2.5\n2,2.25\n");
    const auto run = attach("testnode:" + folder.string());
    ASSERT_TRUE(run) << run.error().message();
    const auto host = std::move(*hostOfRun(run->directory));
    ASSERT_TRUE(host->refresh({run->directory}));
    EXPECT_EQ(steps(run->directory), (std::vector<std::int64_t>{1, 2}));
    const auto here = attach(folder.string());
    ASSERT_TRUE(here) << here.error().message();
    EXPECT_EQ(steps(here->directory), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(AttachedOverSsh, IsNeitherStoppedNorStartedFromHere)
{
    writeText(m_log, "step 1 loss 2.5\n");
    const auto run = attach("testnode:" + m_log.string());
    ASSERT_TRUE(run) << run.error().message();
    const auto host = std::move(*hostOfRun(run->directory));
    const auto stopped = stopRun(run->directory, *host);
    ASSERT_FALSE(stopped);
    EXPECT_THAT(stopped.error().message(), HasSubstr("without Slipway"));
    EXPECT_FALSE(resumeRun(run->directory, *host));
    const auto launched = launchRun(m_order, *host, m_registry);
    ASSERT_FALSE(launched);
    EXPECT_THAT(launched.error().message(), HasSubstr("only follows the log"));
}

TEST_F(AttachedOverSsh, ALogOfAnHourAgoIsUnknownAndOneThatIsNotThereIsRefused)
{
    writeText(m_log, "step 1 loss 2.5\n");
    std::filesystem::last_write_time(m_log, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    const auto run = attach("testnode:" + m_log.string());
    ASSERT_TRUE(run) << run.error().message();
    const RunStatus status = (*hostOfRun(run->directory))->status({run->directory});
    EXPECT_EQ(status.state, RunState::Unknown);
    EXPECT_THAT(status.detail, HasSubstr("has not grown"));
    EXPECT_EQ(steps(run->directory), std::vector<std::int64_t>{1});
    const auto missing = attach("testnode:/no/such.log");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message(), HasSubstr("testnode:/no/such.log"));
}

// Slurm's programs, stood in for by scripts that come first on the PATH of the session.
TEST(AttachedToSlurm, FollowsTheOutputThatTheControllerNamesAndItsState)
{
    const TemporaryDirectory folder, bin;
    const std::string log = (folder.path() / "slurm-12.out").string();
    const auto scontrol = [&](const std::string &state) {
        writeText(bin.path() / "scontrol", "#!/bin/sh\necho 'JobId=12 JobName=x JobState=" + state +
                                               " StdErr=/x StdIn=/dev/null StdOut=" + log + " Power='\n");
        std::filesystem::permissions(bin.path() / "scontrol", std::filesystem::perms::owner_all);
    };
    const SshServer server("PATH=" + bin.path().string() + ":/usr/local/bin:/usr/bin:/bin");
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    scontrol("RUNNING");
    writeText(log, "step 1 loss 2.5\nstep 2 loss 2.4\n");
    RunConfig config;
    config.software = "pytorch";
    const Registry registry(folder.path() / "runs");
    const auto run = attachRun("slurm:testnode:12", config, {}, loadCatalogue().value(), registry);
    ASSERT_TRUE(run) << run.error().message();
    const auto host = std::move(*hostOfRun(run->directory));
    EXPECT_EQ(host->status({run->directory}).state, RunState::Running);
    EXPECT_EQ(readRun(run->directory)->metrics.size(), 2U);
    scontrol("PREEMPTED");
    EXPECT_EQ(host->status({run->directory}).state, RunState::Preempted);
}

} // namespace
} // namespace slipway
