// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A real sshd that goes away, changes its key, asks for more, stands behind another, or says what nobody asked for.
#include "core/hosts/testnode_fixture.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

// One of its own for a test that takes it away, or changes its keys or its users' files.
class OverOwnSsh : public OnTestnode {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
    }

    SshServer m_server;
};

TEST_F(OverOwnSsh, AHostThatDoesNotAnswerMakesARunUnknownWithItsAgeAndNeverLost)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Running));
    const std::string seen = readKnownStatus({run.directory})->seen;
    m_server.kill();
    const RunStatus status = node->status({run.directory});
    EXPECT_EQ(status.state, RunState::Unknown);
    EXPECT_EQ(status.asOf, seen);
    EXPECT_NE(status.detail.find("cannot be reached"), std::string::npos) << status.detail;
    EXPECT_NE(status.detail.find("it was running at " + seen), std::string::npos) << status.detail;
    EXPECT_EQ(readRun(run.directory)->state(), RunState::Unknown); // for every reader
    EXPECT_FALSE(resumeRun(run.directory, *node));
    EXPECT_FALSE(stopRun(run.directory, *node, {10ms, 10ms, 10ms}));
    m_server.startAgain();
    EXPECT_TRUE(waitForState(run, *node, RunState::Running));
    writeText(there(run) / "go", "");
    EXPECT_TRUE(waitForState(run, *node, RunState::Succeeded));
    m_server.kill(); // what has ended stays ended
    EXPECT_EQ(stateOf(run, *node), RunState::Succeeded);
}

TEST_F(OverOwnSsh, AHostThatGreetsEveryoneIsUnderstoodAllTheSame)
{
    writeText(m_server.path("home/.bashrc"), "echo started 1\necho 999999999\nprintf 'a\\0rc=5\\0'\n");
    trainer("mkdir -p checkpoints/step-00000001; echo weights > checkpoints/step-00000001/w; echo step-00000001 > "
            "checkpoints/latest; touch ready; until [ -e stop.request ]; do sleep 0.02; done; exit 143");
    const LaunchedRun run = launch();
    EXPECT_GT(run.started.processGroup, 1);
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    EXPECT_EQ(
        readRunConfig(there(run) / "run.yaml")->training.data, m_order.config.training.data); // nothing was copied
    const auto bytes = node->fetchBytes({run.directory}, FetchScope::WithCheckpoint);
    ASSERT_TRUE(bytes);
    EXPECT_LT(*bytes, 999999999);
    const auto stopped = stopRun(run.directory, *node);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
}

TEST_F(OverOwnSsh, ALoginThatRunsNothingIsSaidPlainly)
{
    writeText(m_server.path("home/.bashrc"), "echo 'This account is currently not available.'\nexit 0\n");
    trainer("exit 0");
    const auto refused = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("no POSIX shell that answers: This account is currently not available."),
        std::string::npos)
        << refused.error().message();
    EXPECT_EQ(refused.error().fault, Fault::Outside);
    EXPECT_TRUE(m_registry.list().empty());
}

TEST_F(OverOwnSsh, AHostKeyThatHasChangedIsBlockedExplainedAndNeverAccepted)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForState(run, *node, RunState::Running));
    const std::string known = text(m_server.path("known_hosts"));
    m_server.changeHostKey();
    const auto another = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(another);
    const std::string message = another.error().message();
    for (const char *words : {"host key has changed", "SHA256:", "known_hosts", "ssh-keygen -R"})
        EXPECT_NE(message.find(words), std::string::npos) << words << " is not in: " << message;
    const RunStatus status = node->status({run.directory});
    EXPECT_EQ(status.state, RunState::Unknown);
    EXPECT_NE(status.detail.find("host key has changed"), std::string::npos) << status.detail;
    EXPECT_EQ(text(m_server.path("known_hosts")), known);
    killGroup(there(run));
}

TEST_F(OverOwnSsh, AHostKeyThatIsNotKnownIsBlockedAndNeverAccepted)
{
    trainer("exit 0");
    m_server.forgetHostKey();
    const auto run = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().message().find("host key is not known"), std::string::npos) << run.error().message();
    EXPECT_EQ(text(m_server.path("known_hosts")), "");
    EXPECT_FALSE(std::filesystem::exists(m_registry.folder()));
}

TEST_F(OverOwnSsh, AHostThatAsksForMoreThanAKeyIsSaidPlainlyAndAConnectionOfOnesOwnIsUsed)
{
    trainer("exit 0");
    const std::string config = m_server.path("ssh_config"), identity = "IdentityFile " + m_server.path("id");
    std::string without = text(config);
    without.replace(without.find(identity), identity.size(), "IdentityFile none");
    writeText(config, without);
    const auto refused = launchRun(m_order, *host(), m_registry);
    ASSERT_FALSE(refused);
    const std::string message = refused.error().message();
    const std::string command = "ssh -MNf -o ControlPath=" + m_server.path("slipway-ssh") + "/%C testnode";
    EXPECT_NE(message.find(command), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(m_registry.folder()));
    const auto opened = runChild({"ssh", "-F", config, "-MNf", "-o", "ControlPath=" + m_server.path("slipway-ssh/%C"),
                                     "-i", m_server.path("id"), "testnode"},
        30s);
    ASSERT_TRUE(opened && opened->exitStatus == 0) << opened->err;
    const LaunchedRun run = launch();
    EXPECT_TRUE(waitForState(run, *host(), RunState::Succeeded));
}

TEST(SshServers, ThatWantAPasswordAsWellAreRefusedAtOnceAndNobodyIsAsked)
{
    const SshServer server({}, "PasswordAuthentication yes\nAuthenticationMethods publickey,password");
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    const auto facts = (*makeHost("testnode"))->facts();
    ASSERT_FALSE(facts);
    EXPECT_NE(facts.error().message().find("asks for a password or a second factor"), std::string::npos)
        << facts.error().message();
    EXPECT_EQ(facts.error().fault, Fault::Outside);
}

TEST_F(OverOwnSsh, AJumpHostIsGoneThroughAndIsMissedWhenItIsAway)
{
    const std::string runtime = ::getenv("XDG_RUNTIME_DIR"), config = m_server.path("ssh_config");
    SshServer jump;
    ::setenv("SLIPWAY_SSH_CONFIG", config.c_str(), 1);
    ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
    std::string jumpConfig = text(jump.path("ssh_config"));
    jumpConfig.replace(jumpConfig.find("Host testnode"), 13, "Host jump");
    writeText(config, text(config) + "  ProxyJump jump\n" + jumpConfig);
    waitingTrainer("head -c 50000 /dev/urandom");
    const LaunchedRun run = launch();
    const auto node = host();
    ASSERT_TRUE(waitForFile(there(run) / "ready"));
    ASSERT_TRUE(waitForState(run, *node, RunState::Running));
    jump.kill();
    const RunStatus status = node->status({run.directory});
    EXPECT_EQ(status.state, RunState::Unknown);
    EXPECT_NE(status.detail.find("cannot be reached"), std::string::npos) << status.detail;
    jump.startAgain();
    writeText(there(run) / "go", "");
    ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
    expectSameFiles(run.directory, there(run));
    ::setenv("SLIPWAY_SSH_CONFIG", config.c_str(), 1);
}

} // namespace
} // namespace slipway
