// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a job ends: killed, out of disk, at its time limit, stopped.
#include <csignal>
#include <sstream>

#include "core/hosts/slurm_fixture.h"
#include "hosts/child_process.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

TEST_F(OnSlurm, ATrainerThatIsKilledIsFailed)
{
    trainer("kill -9 $$");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Failed));
    EXPECT_EQ(m_host->status({run.directory}).exitStatus, 137);
}

// A disk of its own, as small as that.
TEST_F(OnSlurm, ADiskThatFillsUpEndsARunAsFailedThoughNothingMoreCanBeWritten)
{
    const std::filesystem::path disk = m_folder.path() / "disk";
    std::filesystem::create_directory(disk);
    const auto mounted = runChild({"mount", "-t", "tmpfs", "-o", "size=1m", "slipway-test", disk.string()}, 30s);
    if (!mounted || mounted->exitStatus != 0)
        GTEST_SKIP() << "no disk can be mounted here: " << (mounted ? mounted->err : mounted.error().message());
    trainer("echo '{\"v\":1,\"step\":1,\"loss\":4.5}' >> metrics.jsonl; head -c 4000000 /dev/zero > checkpoint; echo "
            "'disk full' >&2; exit 3");
    m_order.directory = disk / "run";
    const LaunchedRun run = launch();
    EXPECT_TRUE(waitUntil(run.directory, [&] { return std::filesystem::exists(run.directory / "rc"); }));
    EXPECT_EQ(trimmed(text(run.directory / "rc")), "3");
    EXPECT_TRUE(waitForState(run, *m_host, RunState::Failed));
    EXPECT_EQ(statusOf({run.directory}).state, RunState::Failed); // as the table of runs asks
    EXPECT_EQ(readRun(run.directory)->metrics.size(), 1U);
    (void)runChild({"umount", "-l", disk.string()}, 30s);
}

TEST_F(OnSlurm, TheTimeLimitsSignalEndsARunAfterACheckpointAsTimedOut)
{
    trainer("trap 'touch checkpoint; exit 143' TERM; touch ready; while :; do sleep 0.02; done");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    (void)SlurmCluster::ask(
        {"scancel", "--signal=USR1", "--batch", run.started.job}); // what Slurm sends two minutes before the limit
    ASSERT_TRUE(waitForState(run, *m_host, RunState::TimedOut));
    EXPECT_TRUE(std::filesystem::exists(run.directory / "checkpoint"));
}

TEST_F(OnSlurm, StopByForceLeavesNoProcessOfTheGroup)
{
    trainer("trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & touch ready; while :; do sleep 0.05; done");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    const auto mark = readProcessIdentity({run.directory});
    ASSERT_TRUE(mark);
    const auto stopped = stopRun(run.directory, *m_host, {0ms, 100ms, 30s});
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled) << stopped->detail;
    EXPECT_TRUE(waitUntil(run.directory, [&] { return groupIsGone(mark->processGroup); }, 10s));
}

TEST_F(OnSlurm, SignalsThatComeTogetherLeaveTheTrainersOwnExitStatus)
{
    trainer("trap '' TERM; touch ready; while :; do sleep 0.05; done");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    std::istringstream supervisor(text(run.directory / "supervisor"));
    pid_t batchScript = 0;
    ASSERT_TRUE(supervisor >> batchScript);
    for (const int signal : {SIGSTOP, SIGTERM, SIGUSR2, SIGCONT})
        ASSERT_EQ(::kill(batchScript, signal), 0);
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Failed)); // nobody asked Slipway to stop it
    EXPECT_EQ(readRun(run.directory)->status.exitStatus, 128 + SIGKILL);
}

} // namespace
} // namespace slipway
