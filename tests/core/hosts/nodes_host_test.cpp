// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One run on two machines, each behind a real sshd of its own.
#include <gmock/gmock.h>

#include "core/hosts/remote_run_fixture.h"
#include "hosts/nodes_host.h"
#include "hosts/script_plan.h"
#include "support/two_ssh_servers.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

class OverTwoSsh : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_servers.problem().empty())
            GTEST_SKIP() << m_servers.problem();
    }
    std::unique_ptr<Host> host()
    {
        return std::move(*makeHost("node1:" + m_home.string() + ",node2:" + m_second.string()));
    }
    void script(const std::string &line)
    {
        m_order.config.model.name = std::string(kUnplannedModel);
        m_order.config.training.command = {"sh", "-c", line};
        m_order.config.training.workdir = m_work.path().string();
        m_order.config.software = "pytorch";
    }
    void trainerOfBoth(const std::string &text)
    {
        trainer(text);
        std::swap(m_home, m_second);
        trainer(text);
        std::swap(m_home, m_second);
        m_order.config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .gpusPerNode = 2};
    }
    LaunchedRun launch(Host &host)
    {
        const auto run = launchRun(m_order, host, m_registry);
        EXPECT_TRUE(run) << run.error().message();
        if (!run)
            return {};
        (void)there(*run);
        (void)there({.directory = part(*run).directory, .started = {}});
        return *run;
    }
    static RunPaths part(const LaunchedRun &run) { return pathsOfNode({run.directory}, 1); }
    std::string work(const std::string &name) { return text(m_work.path() / name); }
    bool waitForWork(const std::string &name) { return waitForFile(m_work.path() / name); }

    TwoSshServers m_servers;
    TemporaryDirectory m_work;
    std::filesystem::path m_second = m_folder.path() / "there too";
};

TEST_F(OverTwoSsh, AScriptStartsOnBothIsToldWhereTheyMeetAndItsLogsComeBack)
{
    script("echo \"$NODE_RANK of $NNODES at $MASTER_ADDR:$MASTER_PORT\"; echo \"$MASTER_PORT\" > port$NODE_RANK; "
           "for i in 1 2 3; do echo step $i loss 2.$i$NODE_RANK; done");
    const auto nodes = host();
    const LaunchedRun run = launch(*nodes);
    ASSERT_TRUE(waitForState(run, *nodes, RunState::Succeeded));
    EXPECT_THAT(text(run.directory / "out.log"), HasSubstr("0 of 2 at 127.0.0.1:"));
    EXPECT_THAT(text(part(run).outLog()), HasSubstr("1 of 2 at 127.0.0.1:"));
    EXPECT_EQ(work("port0"), work("port1"));
    const RunData read = readRun(run.directory).value();
    ASSERT_EQ(read.metrics.size(), 3U) << "of the first node, none doubled";
    EXPECT_EQ(read.metrics[2].loss, 2.30);
    EXPECT_EQ(statusOf({run.directory}).state, RunState::Succeeded) << "from the copy alone";
}

TEST_F(OverTwoSsh, ANodeThatFailsEndsTheOther)
{
    script("echo $$ > pid$NODE_RANK; if [ $NODE_RANK = 1 ]; then until [ -e go ]; do sleep 0.02; done; exit 7; fi; "
           "while :; do sleep 0.02; done");
    const auto nodes = host();
    const LaunchedRun run = launch(*nodes);
    ASSERT_TRUE(waitForWork("pid0"));
    EXPECT_TRUE(waitForState(run, *nodes, RunState::Running));
    writeText(m_work.path() / "go", "");
    ASSERT_TRUE(waitForState(run, *host(), RunState::Failed)) << "whoever looks, and a program that knows nothing";
    const RunStatus status = statusOf({run.directory});
    EXPECT_THAT(status.detail, HasSubstr("node2:"));
    EXPECT_THAT(status.detail, HasSubstr("the other nodes were ended"));
    EXPECT_EQ(status.exitStatus, 7);
    EXPECT_TRUE(groupIsGone(readProcessIdentity({there(run)})->processGroup));
}

TEST_F(OverTwoSsh, StopAndResumeReachBoth)
{
    script("trap 'echo saved$NODE_RANK >> saved; exit 0' TERM; echo \"$@\" >> started$NODE_RANK; touch up$NODE_RANK; "
           "while :; do sleep 0.02; done");
    const auto nodes = host();
    const LaunchedRun run = launch(*nodes);
    ASSERT_TRUE(waitForWork("up0") && waitForWork("up1"));
    const auto stopped = stopRun(run.directory, *nodes);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_THAT(work("saved"), HasSubstr("saved0"));
    EXPECT_THAT(work("saved"), HasSubstr("saved1"));
    for (const char *name : {"up0", "up1"})
        std::filesystem::remove(m_work.path() / name);
    const auto again = host();
    const auto resumed = resumeRun(run.directory, *again);
    ASSERT_TRUE(resumed) << resumed.error().message();
    ASSERT_TRUE(waitForWork("up0") && waitForWork("up1"));
    EXPECT_TRUE(waitForState(run, *again, RunState::Running));
    EXPECT_TRUE(std::filesystem::is_directory(there(run) / "attempts" / "1"));
    ASSERT_TRUE(stopRun(run.directory, *again, kStopNow));
    for (const LaunchedRun &one : {run, LaunchedRun{.directory = part(run).directory, .started = {}}})
        EXPECT_TRUE(groupIsGone(readProcessIdentity({there(one)})->processGroup));
}

TEST_F(OverTwoSsh, OurRanksShareASecretAndResumeFromTheFirstNodesCheckpoint)
{
    trainerOfBoth("cat \"$SLIPWAY_SECRET_FILE\" > key.$RANK; stat -c %a \"$SLIPWAY_SECRET_FILE\" >> key.$RANK\n"
                  "echo $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $SLIPWAY_RESTART > rank.$RANK\n"
                  "if [ $RANK = 0 ] && [ ! -e checkpoints ]; then mkdir -p checkpoints/step-00000005; echo weights > "
                  "checkpoints/step-00000005/model.safetensors; echo step-00000005 > checkpoints/latest; fi\n"
                  "[ $RANK = 3 ] && exit 4\nexit 0");
    const auto nodes = host();
    const LaunchedRun run = launch(*nodes);
    ASSERT_TRUE(waitForState(run, *nodes, RunState::Failed));
    const auto one = there(run), two = there({.directory = part(run).directory, .started = {}});
    EXPECT_EQ(text(one / "rank.1"), "4 1 2 127.0.0.1 0\n");
    EXPECT_EQ(text(two / "rank.3"), "4 1 2 127.0.0.1 0\n");
    const std::string key = text(one / "key.0");
    EXPECT_EQ(key.size(), 64 + 1 + 4U);
    EXPECT_TRUE(key.ends_with("\n600\n"));
    for (const std::string &other : {text(one / "key.1"), text(two / "key.2"), text(two / "key.3")})
        EXPECT_EQ(other, key);
    EXPECT_FALSE(std::filesystem::exists(two / "checkpoints"));
    const auto resumed = resumeRun(run.directory, *nodes);
    ASSERT_TRUE(resumed) << resumed.error().message();
    EXPECT_EQ(text(two / "checkpoints/step-00000005/model.safetensors"), "weights\n");
    ASSERT_TRUE(waitForState(run, *nodes, RunState::Failed));
    EXPECT_EQ(text(two / "rank.3"), "4 1 2 127.0.0.1 1\n");
    EXPECT_NE(text(two / "key.3"), key) << "each attempt has its own";
}

TEST_F(OverTwoSsh, AMachineThatIsNotThereIsToldBeforeAnythingStarts)
{
    script("true");
    m_servers.second().kill();
    const auto run = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message(), HasSubstr("node2:" + m_second.string() + ": host"));
    EXPECT_FALSE(std::filesystem::exists(m_home / "runs"));
}

TEST_F(OverTwoSsh, ACutConnectionLeavesBothRunningAndLosesNoStep)
{
    script("i=0; until [ -e go ]; do i=$((i+1)); echo step $i loss 1.0; touch up$NODE_RANK; sleep 0.02; done; "
           "echo $i > last$NODE_RANK");
    const auto nodes = host();
    const LaunchedRun run = launch(*nodes);
    ASSERT_TRUE(waitForWork("up0") && waitForWork("up1"));
    m_servers.second().kill();
    m_servers.first().kill();
    EXPECT_EQ(nodes->status({run.directory}).state, RunState::Unknown);
    m_servers.first().startAgain();
    const RunStatus half = nodes->status({run.directory});
    EXPECT_EQ(half.state, RunState::Running);
    EXPECT_THAT(half.detail, HasSubstr("node2:" + m_second.string() + " cannot be queried"));
    m_servers.second().startAgain();
    writeText(m_work.path() / "go", "");
    ASSERT_TRUE(waitForState(run, *nodes, RunState::Succeeded));
    const RunData read = readRun(run.directory).value();
    ASSERT_EQ(read.metrics.size(), static_cast<std::size_t>(std::stoi(work("last0"))));
    for (std::size_t i = 0; i < read.metrics.size(); ++i)
        EXPECT_EQ(read.metrics[i].step, static_cast<std::int64_t>(i + 1));
}

} // namespace
} // namespace slipway
