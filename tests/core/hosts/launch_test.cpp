// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Launch, stop and resume with real processes; a few lines of shell stand in for the trainer.
#include "hosts/launch.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "config/apply_framework.h"
#include "config/settings.h"
#include "hosts/local_host.h"
#include "hosts/run_copy.h"
#include "hosts/stop_run.h"
#include "runs/run_reader.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Launching : public ::testing::Test {
protected:
    Launching()
    {
        writeText(m_folder.path() / "tokens.bin", "some tokens");
        m_order.config.training.data = {{.path = (m_folder.path() / "tokens.bin").string()}};
        m_order.config.training.name = "first try";
        m_order.config.training.steps = 10;
    }
    ~Launching() override
    {
        for (const KnownRun &run : m_registry.list()) {
            if (!isTerminal(run.status.state) && run.status.state != RunState::Draft &&
                run.status.state != RunState::Unknown)
                (void)stopRun(run.directory, m_host, {0ms, 0ms, 30s});
        }
    }
    // "$2" is the run directory, which is also where it runs.
    void trainer(const std::string &script)
    {
        writeText(m_folder.path() / "trainer", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(m_folder.path() / "trainer", std::filesystem::perms::owner_all);
    }
    Result<LaunchedRun> launch() { return launchRun(m_order, m_host, m_registry); }
    RunState stateOf(const LaunchedRun &run) { return m_host.status({run.directory}).state; }
    bool waitForEnd(const LaunchedRun &run)
    {
        return waitUntil(run.directory, [&] { return isTerminal(stateOf(run)); });
    }
    bool waitForFile(const LaunchedRun &run, const char *name)
    {
        return waitUntil(run.directory, [&] { return std::filesystem::exists(run.directory / name); });
    }

    TemporaryDirectory m_folder;
    Registry m_registry{m_folder.path() / "runs"};
    LocalHost m_host{m_folder.path() / "trainer"};
    RunLaunchRequest m_order;
};

TEST_F(Launching, WritesTheConfigurationAndRunsTheTrainerInTheRunDirectory)
{
    trainer("echo \"$1 $2\"; pwd");
    const auto run = launch();
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(run->directory, m_registry.folder() / "first-try");
    const std::string directory = run->directory.string();
    EXPECT_EQ(readFile(run->directory / "out.log").value(), "run " + directory + "\n" + directory + "\n");
    const auto read = readRun(run->directory);
    ASSERT_TRUE(read);
    ASSERT_TRUE(read->config) << read->problems.front().what;
    RunConfig filled = m_order.config; // run.yaml has the defaults of attention and recomputation too
    settleChoices(filled);
    EXPECT_EQ(*read->config, filled);
    EXPECT_EQ(read->name, "first try");
}

TEST_F(Launching, NamesARunByTheFolderOrFileOfItsModel)
{
    RunConfig config;
    config.model.name = "1B";
    EXPECT_EQ(usualRunName(config), "1B");
    config.model.name = "Qwen/Qwen3-0.6B";
    EXPECT_EQ(usualRunName(config), "Qwen/Qwen3-0.6B") << "no file";
    const std::filesystem::path folder = m_folder.path() / "Tiny-1.5";
    std::filesystem::create_directory(folder);
    writeText(folder / "config.json", "{}");
    writeText(folder / "shape.yaml", "");
    for (const auto &[model, name] : {std::pair(folder, "Tiny-1.5"), std::pair(folder / "", "Tiny-1.5"),
             std::pair(folder / "config.json", "Tiny-1.5"), std::pair(folder / "shape.yaml", "shape")}) {
        config.model.name = model.string();
        EXPECT_EQ(usualRunName(config), name) << model;
    }
    config.training.name = "mine";
    EXPECT_EQ(usualRunName(config), "mine");
}

TEST_F(Launching, TellsTheTrainerHowManyRanksToStart)
{
    m_order.config.parallel.gpus = 4;
    m_order.config.parallel.kind = ParallelKind::Ddp;
    trainer("echo \"$3 $4\"");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(readFile(run->directory / "out.log").value(), "-n 4\n");
}

TEST_F(Launching, StartsNothingAndLeavesNothingWhenSomethingIsMissing)
{
    const auto run = launch(); // there is no trainer
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().what.find("trainer: "), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(m_registry.folder()));
}

TEST_F(Launching, RefusesADirectoryThatHoldsARunAndStartsItNotTwice)
{
    trainer("echo started; until [ -e go ]; do sleep 0.01; done");
    m_order.directory = m_folder.path() / "mine";
    const auto run = launch();
    ASSERT_TRUE(run) << run.error().message();
    const auto again = launch();
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().what.find("running"), std::string::npos);
    writeText(run->directory / "go", "");
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(readFile(run->directory / "out.log").value(), "started\n");
    EXPECT_EQ(m_registry.find("mine").value(), run->directory);
}

TEST_F(Launching, RefusesADirectoryThatAnotherLaunchIsWriting)
{
    trainer("exit 0");
    m_order.directory = m_folder.path() / "here";
    ASSERT_TRUE(makePrivateFolder(*m_order.directory));
    auto other = CopyLock::tryAcquire({*m_order.directory}, "launch.lock");
    ASSERT_TRUE(other && *other);
    EXPECT_FALSE(launch());
    EXPECT_FALSE(std::filesystem::exists(*m_order.directory / "run.yaml")) << "the other one writes it";
    other->reset();
    EXPECT_TRUE(launch());
}

TEST_F(Launching, StopsByTheRequestWhenTheTrainerHeedsIt)
{
    trainer("touch ready; until [ -e stop.request ]; do sleep 0.01; done; touch checkpoint; exit 143");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    const auto stopped = stopRun(run->directory, m_host);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_TRUE(std::filesystem::exists(run->directory / "checkpoint"));
}

TEST_F(Launching, StoppingACopyOfTheFolderLeavesTheRunAlone)
{
    trainer("touch ready; until [ -e stop.request ]; do sleep 0.01; done; exit 143");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    const std::filesystem::path copy = run->directory.parent_path() / "copied";
    std::filesystem::copy(run->directory, copy, std::filesystem::copy_options::recursive);
    const auto stopped = stopRun(copy, m_host);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Lost);
    EXPECT_NE(stopped->detail.find(run->directory.string()), std::string::npos) << stopped->detail;
    EXPECT_EQ(m_host.status(RunPaths{run->directory}).state, RunState::Running);
    EXPECT_EQ(stopRun(run->directory, m_host)->exitStatus, 143);
}

TEST_F(Launching, StopsBySigtermThenSigkillWhenTheTrainerDoesNotHeed)
{
    trainer("trap '' TERM; touch ready; while :; do sleep 0.01; done");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    std::vector<std::string> told;
    const auto stopped =
        stopRun(run->directory, m_host, {10ms, 10ms, 30s}, [&](const std::string &text) { told.push_back(text); });
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_THAT(
        told, ElementsAre("requested a checkpoint and a clean end", "sends SIGTERM", "sends SIGKILL", "killed"));
}

// As its files tell it: a step was done now, and one takes that long.
std::string lastStep(Seconds step)
{
    StepMetrics first, last;
    first.step = 1;
    last.step = 2;
    first.stepSeconds = last.stepSeconds = step;
    first.time = last.time = utcNow();
    return "echo '" + toJsonLine(first) + "' >> metrics.jsonl; echo '" + toJsonLine(last) + "' >> metrics.jsonl; ";
}

TEST_F(Launching, StoppingWithTimeEndsNoRunInTheMiddleOfItsStepOrOfItsCheckpoint)
{
    const std::string stopping =
        toJsonLine(RunEvent{.time = utcNow(), .attempt = 0, .kind = "stopping", .message = "stop.request", .step = 3});
    trainer("trap '' TERM; " + lastStep(3600) + "touch ready; until [ -e stepped ]; do sleep 0.01; done; echo '" +
            stopping + "' >> events.jsonl; until [ -e written ]; do sleep 0.01; done; touch checkpoint; exit 143");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    std::vector<std::string> told;
    const auto stopped = stopRun(run->directory, m_host, {10ms, 10ms, 30s, 60s}, [&](const std::string &text) {
        told.push_back(text);
        if (text.find("a step takes 1 h") != std::string::npos)
            writeText(run->directory / "stepped", "");
        if (text.find("writes a checkpoint") != std::string::npos)
            writeText(run->directory / "written", "");
    });
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->exitStatus, 143);
    EXPECT_TRUE(std::filesystem::exists(run->directory / "checkpoint"));
    EXPECT_EQ(told.size(), 3U) << told.back();
}

TEST_F(Launching, StoppingWithTimeWaitsForTheFirstStepOfAnAttempt)
{
    const std::string started =
        toJsonLine(RunEvent{.time = utcNow(), .attempt = 1, .kind = "started", .message = "1 rank", .step = 2});
    trainer("trap '' TERM; " + lastStep(1e-9) + "echo '" + started +
            "' >> events.jsonl; touch ready; until [ -e stepped ]; do sleep 0.01; done; exit 143");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    const auto stopped = stopRun(run->directory, m_host, {10ms, 10ms, 30s, 60s}, [&](const std::string &text) {
        if (text == "waits for the first step to end")
            writeText(run->directory / "stepped", "");
    });
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->exitStatus, 143);
}

TEST_F(Launching, StoppingAtOnceDoesNotSayThatItRequestsACheckpoint)
{
    trainer("touch ready; while :; do sleep 0.01; done");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    std::vector<std::string> told;
    const auto stopped =
        stopRun(run->directory, m_host, kStopNow, [&](const std::string &text) { told.push_back(text); });
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_THAT(told, ElementsAre("sends SIGTERM"));
}

TEST_F(Launching, StoppingEndsALongStepByForceAndSaysWhatIsLost)
{
    const std::string saved = toJsonLine(
        RunEvent{.time = utcNow(), .attempt = 0, .kind = "checkpoint", .message = "step-00000001", .step = 1});
    trainer("trap '' TERM; " + lastStep(3600) + "echo '" + saved +
            "' >> events.jsonl; touch ready; while :; do sleep 0.01; done");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    std::vector<std::string> told;
    const auto stopped =
        stopRun(run->directory, m_host, {10ms, 10ms, 30s}, [&](const std::string &text) { told.push_back(text); });
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->exitStatus, 137);
    EXPECT_EQ(told.back(), "killed at step 2; it resumes from its checkpoint of step 1");
}

TEST_F(Launching, StoppingEndsACheckpointByForceThatIsNotDoneInTime)
{
    const std::string stopping =
        toJsonLine(RunEvent{.time = utcNow(), .attempt = 0, .kind = "stopping", .message = "stop.request", .step = 3});
    trainer("trap 'touch terminated' TERM; echo '" + stopping +
            "' >> events.jsonl; touch ready; while :; do sleep 0.01; done");
    for (const auto workTimeout : {0ms, 10ms}) {
        const auto run = launch();
        ASSERT_TRUE(run);
        ASSERT_TRUE(waitForFile(*run, "ready"));
        const auto stopped = stopRun(run->directory, m_host, {10ms, 10ms, 30s, workTimeout});
        ASSERT_TRUE(stopped) << stopped.error().message();
        EXPECT_EQ(stopped->exitStatus, 137);
        EXPECT_EQ(stopped->state, RunState::Cancelled);
        EXPECT_FALSE(std::filesystem::exists(run->directory / "terminated")) << "it had been asked already";
    }
}

TEST_F(Launching, StoppingDoesNotWaitForARunWhoseStepsHaveCeased)
{
    trainer("trap '' TERM; " + lastStep(1e-9) + "touch ready; while :; do sleep 0.01; done");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForFile(*run, "ready"));
    const auto stopped = stopRun(run->directory, m_host, {10ms, 10ms, 30s, 1h});
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->exitStatus, 137);
}

TEST(StopTimeouts, IsOverWithinTenSecondsWhereNobodyAskedForMore)
{
    constexpr StopTimeouts usual;
    EXPECT_LE(usual.requestTimeout + usual.termTimeout, 8s); // two more for what the system and a connection take
    EXPECT_EQ(usual.workTimeout, 0ms);
    EXPECT_LT(kStopNow.requestTimeout + kStopNow.termTimeout, 10s);
}

TEST_F(Launching, StoppingWhatHasEndedIsNoError)
{
    trainer("exit 0");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(stopRun(run->directory, m_host)->state, RunState::Succeeded);
}

TEST_F(Launching, ResumesAnEndedRunAsTheNextAttempt)
{
    trainer("echo attempt $3; [ -e go ] || exit 5");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(stateOf(*run), RunState::Failed);
    writeText(run->directory / "go", "");
    const auto resumed = resumeRun(run->directory, m_host);
    ASSERT_TRUE(resumed) << resumed.error().message();
    EXPECT_FALSE(resumed->started.already);
    ASSERT_TRUE(waitForEnd(*run));
    EXPECT_EQ(stateOf(*run), RunState::Succeeded);
    EXPECT_EQ(readFile(run->directory / "out.log").value(), "attempt\nattempt --resume\n");
    EXPECT_TRUE(std::filesystem::exists(run->directory / "attempts" / "1"));
}

TEST_F(Launching, RefusesToResumeWhatRunsOrWhatNobodyCanSee)
{
    trainer("until [ -e go ]; do sleep 0.01; done");
    const auto run = launch();
    ASSERT_TRUE(run);
    EXPECT_FALSE(resumeRun(run->directory, m_host));
    const std::string host = readFile(run->directory / "host").value();
    writeText(run->directory / "host", "node7\n");
    const auto resumed = resumeRun(run->directory, m_host);
    ASSERT_FALSE(resumed);
    EXPECT_NE(resumed.error().what.find("node7"), std::string::npos);
    EXPECT_FALSE(stopRun(run->directory, m_host));
    writeText(run->directory / "host", host);
}

TEST_F(Launching, RefusesToResumeARunThatHasTakenAllItsSteps)
{
    StepMetrics last;
    last.step = 10;
    trainer("echo '" + toJsonLine(last) + "' > metrics.jsonl");
    const auto run = launch();
    ASSERT_TRUE(run);
    ASSERT_TRUE(waitForEnd(*run));
    const auto resumed = resumeRun(run->directory, m_host);
    ASSERT_FALSE(resumed);
    EXPECT_NE(resumed.error().what.find("all of its 10 steps"), std::string::npos);
}

TEST_F(Launching, RefusesAFrameworkThatTheTrainerDoesNotRunBeforeAnythingIsWritten)
{
    trainer("exit 0");
    const std::vector<std::pair<const char *, const char *>> frameworks{{"llama-factory", "LLaMA-Factory"},
        {"llama-factory@0.9", "LLaMA-Factory"}, {"pytorch-eager", "pytorch-eager"}, {"megatron", "megatron"}};
    for (const auto &[framework, name] : frameworks) {
        m_order.config = applySetting(m_order.config, "framework", framework).value();
        const auto run = launch();
        ASSERT_FALSE(run) << framework;
        EXPECT_THAT(run.error().what, ::testing::HasSubstr(std::string(name) + " is simulated only")) << framework;
        EXPECT_THAT(run.error().what, ::testing::HasSubstr("--framework to slipway")) << framework;
        EXPECT_EQ(run.error().fault, Fault::Input);
    }
    EXPECT_TRUE(m_registry.list().empty());
    m_order.config.training.command = {"true"};
    EXPECT_TRUE(launch()) << "with a command of its own, the framework runs";
}

TEST(CheckpointDiskBytes, OfAdaptersHaveOnlyThemAndTheirMoments)
{
    Prediction prediction;
    prediction.model = {.layers = 2,
        .hidden = 8,
        .attention = {.heads = 4, .kvHeads = 4, .headDim = 2},
        .mlp = {.width = 32},
        .vocab = 10};
    prediction.config.training.keepCheckpoints = 1;
    prediction.config.loraRank = 2;
    prediction.config.loraTargets = LoraTargets::QueryValue;
    EXPECT_EQ(checkpointDiskBytes(prediction), 2 * 12 * 128);
    prediction.config.loraRank = 0;
    EXPECT_EQ(checkpointDiskBytes(prediction), 2 * 12 * parameterCount(prediction.model));
}

} // namespace
} // namespace slipway
