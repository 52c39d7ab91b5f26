// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The command line with a host over a real sshd: start, go away, come back, stop, fetch, export.
#include <csignal>
#include <cstdlib>

#include "base/file.h"
#include "e2e/programs.h"
#include "runs/liveness.h"
#include "runs/remote_run.h"
#include "support/ssh_server.h"
#include "support/wait_until.h"

namespace slipway::e2e {
namespace {

class RemoteCommands : public ProgramTest {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
        file("tokens.bin", "tokens");
        m_yaml = file("tiny.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\ndevice: cpu\nseq_len: 128\nmicro_batch: "
                                   "1\ndata: tokens.bin\nsteps: 5\nname: tiny\n");
        m_on = "testnode:" + (folder() / "there").string();
        m_run = folder() / "data" / "slipway" / "runs" / "tiny";
        m_there = folder() / "there" / "runs" / "tiny";
    }
    ~RemoteCommands() override
    {
        if (const auto mark = readProcessIdentity({m_there});
            mark && livenessOf(*mark, LocalMachine::current()) == Liveness::Alive)
            ::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL);
    }
    void trainer(const std::string &script)
    {
        std::filesystem::create_directories(folder() / "there/bundle/bin");
        std::string version = slipway({"--version"}).out; // "slipway 0.1.0"
        version = version.substr(version.find(' ') + 1);
        file("there/bundle/bin/slipway-train",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo slipway-train " + version +
                "exit; fi\ncd \"$2\"\n"
                "step() { echo "
                "'{\"v\":1,\"attempt\":0,\"step\":'$1',\"tokens\":'$1'000,\"time\":\"2026-01-02T00:00:0'$1'.000Z\","
                "\"step_s\":1.0,\"tokens_per_s\":1000,\"loss\":'$1'.5}' >> metrics.jsonl; }\n" +
                script + "\n");
        std::filesystem::permissions(folder() / "there/bundle/bin/slipway-train", std::filesystem::perms::owner_all);
    }
    nlohmann::json listed()
    {
        const nlohmann::json json = nlohmann::json::parse(slipway({"runs", "--json"}).out, nullptr, false);
        return json.is_object() && json["runs"].size() == 1 ? json["runs"][0] : nlohmann::json();
    }

    SshServer m_server;
    std::string m_yaml, m_on;
    std::filesystem::path m_run, m_there;
};

TEST_F(RemoteCommands, ARunIsStartedLeftFoundUnknownFoundAgainAndWatchedToItsEnd)
{
    trainer("step 1; touch ready; until [ -e go ]; do sleep 0.02; done; step 2; mkdir -p checkpoints/step-2; echo "
            "weights > checkpoints/step-2/w; echo step-2 > checkpoints/latest");
    const ChildResult launched = slipway({"launch", m_yaml, "--on", m_on, "--detach"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    ASSERT_TRUE(waitUntil(m_there, [&] { return std::filesystem::exists(m_there / "ready"); }));
    EXPECT_EQ(listed()["state"], "running");
    EXPECT_EQ(listed()["host"], m_on);
    EXPECT_EQ(listed()["step"], 1);
    m_server.kill();
    const nlohmann::json unknown = listed();
    EXPECT_EQ(unknown["state"], "unknown");
    EXPECT_TRUE(unknown["as_of"].is_string());
    EXPECT_EQ(slipway({"stop", "tiny"}).exitStatus, 3);
    m_server.startAgain();
    EXPECT_EQ(listed()["state"], "running");
    writeText(m_there / "go", "");
    const ChildResult watched = slipway({"watch", "tiny"});
    EXPECT_EQ(watched.exitStatus, 0) << watched.err;
    EXPECT_NE(watched.out.find("succeeded"), std::string::npos) << watched.out;
    EXPECT_EQ(readFile(m_run / "metrics.jsonl").value(), readFile(m_there / "metrics.jsonl").value());
    const ChildResult fetched = slipway({"fetch", "tiny", "--checkpoint"});
    EXPECT_EQ(fetched.exitStatus, 0) << fetched.err;
    EXPECT_EQ(readFile(m_run / "checkpoints/step-2/w").value(), "weights\n");
}

TEST_F(RemoteCommands, StopNowEndsARunThatHeedsNothing)
{
    trainer("trap '' TERM; touch ready; while :; do sleep 0.05; done");
    ASSERT_EQ(slipway({"launch", m_yaml, "--on", m_on, "--detach"}).exitStatus, 0);
    ASSERT_TRUE(waitUntil(m_there, [&] { return std::filesystem::exists(m_there / "ready"); }));
    const ChildResult stopped = slipway({"stop", "tiny", "--now"});
    EXPECT_EQ(stopped.exitStatus, 0) << stopped.err;
    EXPECT_NE(stopped.out.find("cancelled"), std::string::npos) << stopped.out;
    EXPECT_NE(stopped.err.find("sends SIGKILL"), std::string::npos) << stopped.err;
}

TEST_F(RemoteCommands, DryRunShowsEveryCommandAndLeavesNothing)
{
    trainer("touch started");
    const ChildResult result = slipway({"launch", m_yaml, "--on", m_on, "--dry-run"});
    EXPECT_EQ(result.exitStatus, 0) << result.err;
    for (const char *words : {"'testnode' 'exec /bin/sh' <<'END'", "until mkdir -- ", "setsid --fork",
             "learning_rate:", "tokens.bin", "slipway-train", "ok      trainer", "ok      disk"})
        EXPECT_NE(result.out.find(words), std::string::npos) << words << " is not in: " << result.out;
    EXPECT_EQ(result.out.find("'rsync'"), std::string::npos) << "the data lie there already";
    EXPECT_FALSE(std::filesystem::exists(folder() / "there/runs"));
    EXPECT_FALSE(std::filesystem::exists(folder() / "data"));
    const ChildResult slurm = slipway({"launch", m_yaml, "--on", "slurm:", "--dry-run"});
    for (const char *words : {"sbatch --comment=\"$token\"", "'--parsable' '--export=NONE'",
             "'--job-name=slipway-tiny'"}) // the whole command, as it would be run
        EXPECT_NE(slurm.out.find(words), std::string::npos) << words << " is not in: " << slurm.out;
}

TEST_F(RemoteCommands, AHostThatCannotBeReachedIsAFaultOutsideAndStartsNothing)
{
    trainer("exit 0");
    m_server.kill();
    const ChildResult result = slipway({"launch", m_yaml, "--on", m_on});
    EXPECT_EQ(result.exitStatus, 3);
    EXPECT_NE(result.err.find("testnode: cannot be reached"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder() / "data"));
}

TEST_F(RemoteCommands, ExportWritesAFileForEachLauncher)
{
    for (const auto &[kind, name, words] :
        {std::tuple("slurm", "job.sbatch", "#SBATCH --signal"), std::tuple("skypilot", "task.yaml", "num_nodes: 1"),
            std::tuple("torchrun", "start.sh", "torchrun"), std::tuple("kubernetes", "job.yaml", "kind: PyTorchJob")}) {
        const ChildResult result = slipway({"export", m_yaml, "--to", kind, "--out", std::string("out-") + kind});
        EXPECT_EQ(result.exitStatus, 0) << result.err;
        const std::string text = readFile(folder() / (std::string("out-") + kind) / name).value();
        EXPECT_NE(text.find(words), std::string::npos) << text;
        EXPECT_NE(text.find("slipway-train"), std::string::npos) << text;
    }
}

} // namespace
} // namespace slipway::e2e
