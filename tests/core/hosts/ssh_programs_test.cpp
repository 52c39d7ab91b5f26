// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a host over a real sshd is found to be and have, where its own programs say so.
#include "core/hosts/remote_run_fixture.h"
#include "runs/alerts.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

// The host's own programs, stood in for by scripts that come first on its PATH.
class OverSshWithPrograms : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
        std::filesystem::create_directory(m_bin.path() / "bin");
    }
    void program(const std::string &name, const std::string &script)
    {
        writeText(m_bin.path() / "bin" / name, "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(m_bin.path() / "bin" / name, std::filesystem::perms::owner_all);
    }
    std::unique_ptr<Host> host() { return std::move(*makeHost("testnode:" + m_home.string())); }

    TemporaryDirectory m_bin;
    SshServer m_server{"PATH=" + (m_bin.path() / "bin").string() + ":/usr/local/bin:/usr/bin:/bin"};
};

// The run removes its checkpoints when newer ones are there, and a copy over a slow line takes longer than that.
TEST_F(OverSshWithPrograms, ACheckpointThatTheRunReplacesWhileItIsFetchedArrivesWhole)
{
    trainer("mkdir -p checkpoints/step-00000005; head -c 5000 /dev/urandom > "
            "checkpoints/step-00000005/model.safetensors; echo step-00000005 > checkpoints/latest");
    const auto node = host();
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(waitForState(*run, *node, RunState::Succeeded));
    const std::filesystem::path checkpoints = there(*run) / "checkpoints";
    const std::string before = text(checkpoints / "step-00000005/model.safetensors");
    program("rsync", "( cd '" + checkpoints.string() +
                         "' && rm -r step-00000005 && mkdir step-00000010 && echo new > "
                         "step-00000010/model.safetensors && echo step-00000010 > latest )\n"
                         "exec /usr/bin/rsync \"$@\"");
    const auto fetched = node->fetch({run->directory}, FetchScope::WithCheckpoint);
    ASSERT_TRUE(fetched) << fetched.error().message();
    EXPECT_EQ(text(run->directory / "checkpoints/step-00000005/model.safetensors"), before);
    EXPECT_EQ(text(run->directory / "checkpoints/latest"), "step-00000005\n");
    EXPECT_EQ(text(checkpoints / "latest"), "step-00000010\n");
    for (const auto &entry : std::filesystem::directory_iterator(checkpoints))
        EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
}

TEST_F(OverSshWithPrograms, AClockAnHourAheadIsShownAndNoRunIsTakenForStalledOrLost)
{
    program("date", "case $1 in +%s.%N) echo $(($(/usr/bin/date +%s) + 3600)).5 ;; *) exec /usr/bin/date -d '+1 hour' "
                    "\"$@\" ;; esac");
    waitingTrainer("echo \"{\\\"v\\\":1,\\\"step\\\":1,\\\"loss\\\":1,\\\"step_s\\\":1,\\\"time\\\":\\\"$(date -u "
                   "+%Y-%m-%dT%H:%M:%S.000Z)\\\"}\" >> metrics.jsonl");
    const auto node = host();
    const auto facts = node->facts();
    ASSERT_TRUE(facts) << facts.error().message();
    EXPECT_GT(facts->clockSkew, 3500);
    EXPECT_LT(facts->clockSkew, 3700);
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(waitForFile(there(*run) / "ready"));
    EXPECT_TRUE(waitForState(*run, *node, RunState::Running));
    const auto now = std::chrono::system_clock::now();
    const auto shifted = nowOnHostOf({run->directory}, now);
    EXPECT_GT(shifted - now, 3500s);
    const auto read = readRun(run->directory);
    ASSERT_EQ(read->metrics.size(), 1U);
    for (const Alert &alert : alertsOf(*read, now))
        EXPECT_TRUE(alert.kind != AlertKind::Stalled && alert.kind != AlertKind::Lost) << alert.message;
    writeText(there(*run) / "go", "");
    EXPECT_TRUE(waitForState(*run, *node, RunState::Succeeded));
}

TEST_F(OverSshWithPrograms, CardsAreHeldAgainstThePlanAndOthersProcessesAreShown)
{
    program("nvidia-smi", "case $1 in --query-gpu*) printf 'GPU-a, 0, 81559, 20000, 97, 300.5, 60, 580.1, NVIDIA H100 "
                          "80GB HBM3\\nGPU-b, 1, 81559, 4, 0, 70, 30, 580.1, NVIDIA H100 80GB HBM3\\n' ;;\n"
                          "*) echo 'GPU-a, 1, 19000, /usr/bin/python, train.py' ;; esac");
    trainer("exit 0");
    m_order.config.gpu = "h100-sxm-80gb";
    m_order.config.training.device = DeviceKind::Cuda;
    m_order.config.precision = Precision::Bf16Mixed;
    const Preflight preflight = host()->preflight(m_order.config, m_folder.path(), 0);
    EXPECT_TRUE(preflight.passed()) << preflight.failures();
    ASSERT_TRUE(preflight.facts);
    ASSERT_EQ(preflight.facts->gpus.size(), 2U);
    EXPECT_EQ(preflight.facts->gpus[0].memory, 81559 * kMiB);
    ASSERT_EQ(preflight.facts->gpus[0].processes.size(), 1U);
    EXPECT_EQ(preflight.facts->gpus[0].processes[0].name, "/usr/bin/python, train.py");
    EXPECT_EQ(preflight.facts->gpus[0].processes[0].pid, 1);
    const auto check = [&](const Preflight &all, const std::string &what) {
        for (const PreflightCheck &one : all.checks) {
            if (one.what == what)
                return one;
        }
        return PreflightCheck{};
    };
    EXPECT_TRUE(check(preflight, "GPUs").warning);
    EXPECT_NE(check(preflight, "GPUs").detail.find("GPU 0 runs /usr/bin/python, train.py"), std::string::npos)
        << check(preflight, "GPUs").detail;
    EXPECT_TRUE(check(preflight, "plan").passed);
    EXPECT_FALSE(check(preflight, "plan").warning) << check(preflight, "plan").detail;
    m_order.config.gpu = "a100-sxm-80gb"; // planned for another GPU than is there
    EXPECT_TRUE(check(host()->preflight(m_order.config, m_folder.path(), 0), "plan").warning);
    m_order.config.parallel.gpus = 4;
    m_order.config.parallel.kind = ParallelKind::Ddp;
    EXPECT_NE(
        host()->preflight(m_order.config, m_folder.path(), 0).failures().find("4 needed, 2 found"), std::string::npos);
    program("nvidia-smi", "exit 9");
    EXPECT_NE(
        host()->preflight(m_order.config, m_folder.path(), 0).failures().find("no NVIDIA driver"), std::string::npos);
}

TEST_F(OverSshWithPrograms, DataTheTokenizerAndTheShapeOfTheModelAreCopiedOnce)
{
    // A host that sees no file of this machine under its path.
    program("stat", "case \"$*\" in *%s*/*) exit 1 ;; *) exec /usr/bin/stat \"$@\" ;; esac");
    trainer("exit 0");
    const std::string odd = "it's $(touch pwned) ä.bin";
    writeText(m_folder.path() / odd, "other tokens");
    writeText(m_folder.path() / "pair.bin", "pair");
    writeText(m_folder.path() / "pair.idx", "index");
    writeText(m_folder.path() / "shape.yaml", "name: mine\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
    auto &training = m_order.config.training;
    training.data = {
        {.path = (m_folder.path() / odd).string(), .weight = 2}, {.path = (m_folder.path() / "pair.bin").string()}};
    training.evalData = {{.path = (m_folder.path() / odd).string()}};
    m_order.config.model.name = (m_folder.path() / "shape.yaml").string();
    const auto node = host();
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    const auto remote = readRunConfig(there(*run) / "run.yaml");
    ASSERT_TRUE(remote) << remote.error().message();
    ASSERT_EQ(remote->training.data.size(), 2U);
    EXPECT_EQ(remote->training.data[0].weight, 2);
    const std::filesystem::path copy = remote->training.data[0].path, pair = remote->training.data[1].path;
    EXPECT_TRUE(copy.string().starts_with((m_home / "data").string())) << copy;
    EXPECT_EQ(remote->training.evalData[0].path, copy.string());
    EXPECT_EQ(text(copy), "other tokens");
    EXPECT_EQ(text(pair), "pair");
    EXPECT_EQ(text(std::filesystem::path(pair).replace_extension(".idx")), "index");
    EXPECT_EQ(text(remote->model.name), text(m_folder.path() / "shape.yaml"));
    ASSERT_TRUE(waitForState(*run, *node, RunState::Succeeded));
    const auto second = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_EQ(readRunConfig(there(*second) / "run.yaml")->training.data, remote->training.data);
    EXPECT_TRUE(waitForState(*second, *node, RunState::Succeeded));
}

TEST_F(OverSshWithPrograms, WhatADryRunPrintsStartsTheRunWhenItIsTyped)
{
    program("stat", "case \"$*\" in *%s*/*) exit 1 ;; *) exec /usr/bin/stat \"$@\" ;; esac");
    trainer("echo \"$1 $2\" > started; exit 0");
    writeText(m_folder.path() / "it's.bin", "other tokens");
    writeText(m_folder.path() / "it's.idx", "index");
    writeText(m_folder.path() / "shape.yaml", "name: mine\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
    m_order.config.training.data = {{.path = (m_folder.path() / "it's.bin").string()}};
    m_order.config.training.notes = "two lines\nEND\nand 'quotes' $(touch pwned)";
    m_order.config.model.name = (m_folder.path() / "shape.yaml").string();
    const auto node = host();
    ASSERT_TRUE(node->preflight(m_order.config, m_registry.folder(), 0).passed());
    for (const PlannedCommand &planned : node->plannedCommands(
             {{.config = m_order.config, .directory = m_registry.folder() / "typed", .predicted = {}}})) {
        const auto typed = runChild({"/bin/sh", "-c", planned.asRun()}, 30s);
        ASSERT_TRUE(typed && typed->exitStatus == 0) << planned.what << ": " << typed->err;
    }
    const std::filesystem::path run = m_home / "runs" / "typed";
    ASSERT_TRUE(waitUntil(run, [&] { return std::filesystem::exists(run / "rc"); }));
    EXPECT_EQ(text(run / "started"), "run " + run.string() + "\n");
    const auto config = readRunConfig(run / "run.yaml");
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->training.notes, m_order.config.training.notes);
    EXPECT_EQ(text(config->training.data[0].path), "other tokens");
    EXPECT_EQ(text(std::filesystem::path(config->training.data[0].path).replace_extension(".idx")), "index");
    EXPECT_EQ(text(config->model.name), text(m_folder.path() / "shape.yaml"));
}

TEST_F(OverSshWithPrograms, WhatATrainerReturnsWhileItsMachineIsShutDownIsALostRunAndNoFailedOne)
{
    program("systemctl", "echo stopping");
    trainer("exit 1");
    const auto node = host();
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(waitForState(*run, *node, RunState::Lost));
    program("systemctl", "echo running");
    const auto other = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_TRUE(waitForState(*other, *node, RunState::Failed));
}

TEST_F(OverSshWithPrograms, AQuotaIsFoundByAWriteTest)
{
    program("fallocate", "echo 'fallocate: fallocate failed: Disk quota exceeded' >&2; exit 1");
    trainer("exit 0");
    const std::string failures = host()->preflight(m_order.config, m_folder.path(), kMiB).failures();
    EXPECT_NE(failures.find("Disk quota exceeded"), std::string::npos) << failures;
    for (std::filesystem::recursive_directory_iterator file(m_folder.path()), end; file != end; ++file)
        EXPECT_FALSE(file->path().filename().string().starts_with(".slipway-")) << file->path();
}

} // namespace
} // namespace slipway
