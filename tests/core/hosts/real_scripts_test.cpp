// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Trainings of real frameworks, small and on the CPU, launched as a user launches them: stopped, killed and resumed,
// with the connection cut. Each is held up at step 7 until the file "go" is there.
#include <csignal>
#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>

#include "core/hosts/remote_run_fixture.h"
#include "hardware/user_prices.h"
#include "hosts/script_plan.h"
#include "hosts/slurm_host.h"
#include "support/slurm_cluster.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Before step 7. Its table is written anew at a resume, and the last row may get more figures.
constexpr std::size_t kToldByLightning = 6;

class RealScripts : public RemoteRunTest {
protected:
    void SetUp() override
    {
        const char *const chosen = std::getenv("SLIPWAY_PYTHON");
        m_python = chosen ? chosen : "";
        if (m_python.empty() || std::system(("'" + m_python +
                                             "' -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, "
                                             "[\"torch\", \"transformers\", \"accelerate\", \"lightning\"])))'")
                                        .c_str()) != 0)
            GTEST_SKIP() << "no Python with torch, transformers, accelerate and lightning in SLIPWAY_PYTHON";
        std::filesystem::create_directory(m_work);
        std::filesystem::copy(std::filesystem::path(SLIPWAY_TEST_DATA) / "../core/hosts/scripts", m_work);
    }
    // As the command line plans it. `given`: keys that count as said by the user.
    void plan(const std::string &framework, const std::vector<std::string> &command,
        const std::set<std::string> &given = {}, const std::string &log = {})
    {
        RunConfig config;
        if (given.count("model") > 0)
            config = m_order.config;
        config.training = {};
        config.training.device = DeviceKind::Cpu;
        config.training.name = "real";
        config.training.command = {m_python};
        config.training.command.insert(config.training.command.end(), command.begin(), command.end());
        config.training.workdir = m_work.string();
        config.training.log = log;
        config.training.environment = {"OMP_NUM_THREADS=1"};
        config.software = framework;
        const Result<Catalogue> catalogue = loadUserCatalogue();
        ASSERT_TRUE(catalogue) << catalogue.error().message();
        Result<ScriptPlan> plan = planScript(std::move(config), given, *catalogue);
        ASSERT_TRUE(plan) << plan.error().message();
        m_order.config = plan->config;
        m_order.prediction = plan->prediction;
        m_order.noPlan = plan->noPlan;
    }
    bool waitForHold(const LaunchedRun &run)
    {
        const bool held = waitUntil(
            m_work,
            [&] {
                return std::filesystem::exists(m_work / "waiting") ||
                       std::filesystem::exists(RunPaths{run.directory}.exitStatus());
            },
            300s);
        EXPECT_TRUE(held && std::filesystem::exists(m_work / "waiting")) << text(run.directory / "out.log");
        return std::filesystem::remove(m_work / "waiting");
    }
    void goOn() const { writeText(m_work / "go", ""); }
    bool waitForEnd(const LaunchedRun &run, Host &host, RunState state)
    {
        RunStatus last;
        EXPECT_TRUE(waitUntil(
            run.directory,
            [&] {
                last = host.status({run.directory});
                return isTerminal(last.state);
            },
            300s));
        EXPECT_EQ(last.state, state) << last.detail << text(run.directory / "out.log");
        return last.state == state;
    }
    // Every step once, in order, whatever was done twice.
    static void expectSteps(const LaunchedRun &run, std::int64_t first, std::int64_t last, int attempt = 1)
    {
        const RunData data = readRun(run.directory).value();
        ASSERT_EQ(data.metrics.size(), static_cast<std::size_t>(last - first + 1));
        for (std::size_t i = 0; i < data.metrics.size(); ++i) {
            EXPECT_EQ(data.metrics[i].step, first + static_cast<std::int64_t>(i));
            EXPECT_GT(data.metrics[i].loss, 0);
        }
        EXPECT_EQ(data.metrics.back().attempt, attempt) << text(run.directory / "out.log");
        EXPECT_EQ(data.problemCount, 0);
    }

    // Launched, killed while it is held up and that many steps are known here, and begun again by another program.
    void killAndResume(const std::function<std::unique_ptr<Host>()> &program, std::int64_t first, std::int64_t last,
        std::size_t told = 0)
    {
        auto host = program();
        const auto run = launchRun(m_order, *host, m_registry);
        ASSERT_TRUE(run) << run.error().message();
        m_there.push_back(isRemoteRun({run->directory}) ? there(*run) : run->directory);
        ASSERT_TRUE(waitForHold(*run));
        ASSERT_TRUE(waitUntil(
            run->directory,
            [&] {
                (void)host->status({run->directory}); // brings what is new
                return readRun(run->directory).value().metrics.size() >= told;
            },
            300s));
        ASSERT_TRUE(host->signalGroup({run->directory}, SIGKILL));
        ASSERT_TRUE(waitUntil(run->directory, [&] { return isTerminal(host->status({run->directory}).state); }, 300s));
        goOn();
        host = program();
        const auto resumed = resumeRun(run->directory, *host);
        ASSERT_TRUE(resumed) << resumed.error().message();
        ASSERT_TRUE(waitForEnd(*run, *host, RunState::Succeeded));
        expectSteps(*run, first, last);
    }

    void planTransformers()
    {
        plan("hf-trainer", {"hf_script.py", "--output_dir", "out", "--max_steps", "12", "--logging_steps", "1",
                               "--save_steps", "5", "--per_device_train_batch_size", "2"});
        EXPECT_THAT(m_order.noPlan, HasSubstr("--model, --gpu, --seq-len are not known from the command"));
        EXPECT_EQ(m_order.config.training.steps, 12) << "read from the command";
    }
    void planLightning()
    {
        plan("lightning", {"lightning_script.py"}, {"model", "gpu", "micro_batch", "seq_len"}, "csv");
        EXPECT_TRUE(m_order.prediction) << m_order.noPlan;
    }
    void planTorchrun()
    {
        plan("pytorch", {"-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "torch_script.py"});
        EXPECT_EQ(m_order.config.parallel.gpus, 2) << "ranks, from the command";
        EXPECT_THAT(m_order.noPlan, HasSubstr("--model, --gpu, --micro-batch, --seq-len are not known"));
    }

    std::string m_python;
    std::filesystem::path m_work = m_folder.path() / "work";
};

TEST_F(RealScripts, TheTrainerOfTransformersIsKilledHereAndGoesOnFromItsCheckpoint)
{
    planTransformers();
    const auto here = *makeHost("local");
    const auto run = launchRun(m_order, *here, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    m_there.push_back(run->directory);
    ASSERT_TRUE(waitForHold(*run));
    ASSERT_TRUE(here->signalGroup({run->directory}, SIGKILL));
    ASSERT_TRUE(waitForEnd(*run, *here, RunState::Failed));
    goOn();
    const auto resumed = resumeRun(run->directory, *here);
    ASSERT_TRUE(resumed) << resumed.error().message();
    ASSERT_TRUE(waitForEnd(*run, *here, RunState::Succeeded));
    expectSteps(*run, 1, 12);
    EXPECT_FALSE(readRun(run->directory).value().superseded.empty()) << "step 6 was done again";
    EXPECT_THAT(text(run->directory / "events.jsonl"), HasSubstr("are not known from the command"));
}

TEST_F(RealScripts, ALoopUnderTorchrunOverSshIsStoppedAndResumedThroughACutConnection)
{
    SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    planTorchrun();
    const std::string name = "testnode:" + m_home.string();
    auto node = *makeHost(name);
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    (void)there(*run);
    ASSERT_TRUE(waitForHold(*run));
    server.kill();
    EXPECT_EQ(node->status({run->directory}).state, RunState::Unknown);
    server.startAgain();
    const auto stopped = stopRun(run->directory, *node);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_TRUE(std::filesystem::exists(m_work / "loop.pt")) << "its signal makes it write a checkpoint";
    goOn();
    node = *makeHost(name); // another program
    const auto resumed = resumeRun(run->directory, *node);
    ASSERT_TRUE(resumed) << resumed.error().message();
    ASSERT_TRUE(waitForEnd(*run, *node, RunState::Succeeded));
    expectSteps(*run, 1, 12);
}

TEST_F(RealScripts, ALoopUnderTorchrunHereIsKilledAndBegunAgain)
{
    planTorchrun();
    killAndResume([] { return *makeHost("local"); }, 1, 12);
}

TEST_F(RealScripts, TheTrainerOfTransformersOverSshIsKilledAndGoesOnFromItsCheckpoint)
{
    const SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    planTransformers();
    killAndResume([this] { return *makeHost("testnode:" + m_home.string()); }, 1, 12);
}

TEST_F(RealScripts, LightningOverSshIsKilledAndGoesOnFromItsCheckpoint)
{
    const SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    planLightning();
    killAndResume([this] { return *makeHost("testnode:" + m_home.string()); }, 0, 11, kToldByLightning);
}

class RealScriptsOnSlurm : public RealScripts {
protected:
    void SetUp() override
    {
        RealScripts::SetUp();
        if (IsSkipped())
            return;
        if (!SlurmCluster::shared().problem().empty())
            GTEST_SKIP() << SlurmCluster::shared().problem();
        ASSERT_TRUE(SlurmCluster::shared().reset());
    }
    void killAndResumeThere(std::int64_t first, std::int64_t last, std::size_t told = 0)
    {
        m_order.config.training.timeLimit = 600;
        const auto slurm = [this]() -> std::unique_ptr<Host> {
            return std::make_unique<SlurmHost>(
                "slurm:", std::make_unique<LocalShell>(), m_home.string(), std::vector<std::string>{}, 0ms);
        };
        killAndResume(slurm, first, last, told);
    }
};

TEST_F(RealScriptsOnSlurm, ALoopUnderTorchrunIsKilledAndBegunAgain)
{
    planTorchrun();
    killAndResumeThere(1, 12);
}

TEST_F(RealScriptsOnSlurm, TheTrainerOfTransformersIsKilledAndGoesOnFromItsCheckpoint)
{
    planTransformers();
    killAndResumeThere(1, 12);
}

TEST_F(RealScriptsOnSlurm, LightningIsKilledAndGoesOnFromItsCheckpoint)
{
    planLightning();
    killAndResumeThere(0, 11, kToldByLightning);
}

TEST_F(RealScripts, LightningWritesItsTableAnewAndEveryStepIsThereOnce)
{
    planLightning();
    const auto here = *makeHost("local");
    const auto run = launchRun(m_order, *here, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    m_there.push_back(run->directory);
    ASSERT_TRUE(waitForHold(*run));
    const auto told = [&] { return readRun(run->directory).value().metrics.size(); };
    ASSERT_TRUE(waitUntil(run->directory, [&] { return told() == 6; })) << "the last one may get more figures";
    ASSERT_TRUE(here->signalGroup({run->directory}, SIGKILL));
    ASSERT_TRUE(waitForEnd(*run, *here, RunState::Failed));
    expectSteps(*run, 0, 6, 0);
    goOn();
    const auto resumed = resumeRun(run->directory, *here);
    ASSERT_TRUE(resumed) << resumed.error().message();
    ASSERT_TRUE(waitForEnd(*run, *here, RunState::Succeeded));
    expectSteps(*run, 0, 11);
    EXPECT_TRUE(std::filesystem::exists(RunPaths{run->directory}.prediction())) << "the predicted band";
}

} // namespace
} // namespace slipway
