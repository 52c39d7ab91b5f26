// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The real trainer on two machines without a shared folder, each behind a real sshd.
#include <algorithm>
#include <csignal>
#include <future>

#include <gmock/gmock.h>

#include "base/file.h"
#include "e2e/programs.h"
#include "runs/run_reader.h"
#include "support/processes.h"
#include "support/two_ssh_servers.h"

namespace slipway::e2e {
namespace {

class TrainerOnTwoNodes : public ProgramTest {
protected:
    void SetUp() override
    {
        if (!m_servers.problem().empty())
            GTEST_SKIP() << m_servers.problem();
        std::string text;
        for (int i = 0; i < 2000; ++i)
            text += "ship " + std::to_string(i % 97) + " goes down the slipway to the water.\n";
        file("text.txt", text);
        const auto tokenized =
            runChild({SLIPWAY_TRAIN_PROGRAM, "tokenize", "text.txt", "--out", "tokens", "--vocab-size", "300"},
                std::chrono::minutes(2));
        ASSERT_TRUE(tokenized && tokenized->exitStatus == 0);
        for (const char *place : {"one", "two"}) {
            std::filesystem::create_directories(folder() / place / "bundle/bin");
            const std::string program = std::string(place) + "/bundle/bin/slipway-train";
            // Both "machines" are this one, whose cores they would otherwise wait for by turns.
            file(program, "#!/bin/sh\nOMP_THREAD_LIMIT=1 SLIPWAY_RESOURCES='" +
                              std::string(std::getenv("SLIPWAY_RESOURCES")) +
                              "' exec '" SLIPWAY_TRAIN_PROGRAM "' \"$@\"\n");
            std::filesystem::permissions(folder() / program, std::filesystem::perms::owner_all);
        }
        m_on = "node1:" + (folder() / "one").string() + ",node2:" + (folder() / "two").string();
    }
    void TearDown() override
    {
        for (const char *name : {"there", "cut"})
            if (std::filesystem::exists(run(name)) && !isTerminal(statusOf({run(name)}).state))
                slipway({"stop", name, "--now"});
    }
    std::string config(int steps)
    {
        return file("tiny.yaml", "name: tiny\nmodel: 100M\nlayers: 2\nhidden: 32\nheads: 2\nkv_heads: 2\nffn: 80\n"
                                 "vocab: 300\ngpu: cpu\nprecision: fp32\ndevice: cpu\nmicro_batch: 2\nseq_len: 32\n"
                                 "data: tokens/tokens.bin\nlearning_rate: 1e-2\nwarmup_steps: 2\nparallel: ddp\n"
                                 "gpus: 2\ncheckpoint_every: 5\nsteps: " +
                                     std::to_string(steps) + "\n");
    }
    static std::vector<double> losses(const std::filesystem::path &run)
    {
        std::vector<double> list;
        const RunData data = readRun(run).value();
        for (const StepMetrics &step : data.metrics)
            list.push_back(step.loss);
        return list;
    }
    // `slipway launch` on both machines, a rank on each.
    ChildResult launch(const std::string &name, int steps, const std::vector<std::string> &more = {})
    {
        std::vector<std::string> arguments{
            "launch", config(steps), "--name", name, "--gpus-per-node", "1", "--on", m_on};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return slipway(arguments);
    }
    // Until the first machine has this step of an attempt.
    bool waitForStep(const std::string &name, int attempt, std::int64_t step)
    {
        const RunPaths there{folder() / "one/runs" / name};
        const std::string words = "\"attempt\":" + std::to_string(attempt) + ",\"step\":" + std::to_string(step) + ",";
        return waitUntil(
            there.directory, [&] { return readFile(there.metrics()).valueOr({}).find(words) != std::string::npos; });
    }
    std::filesystem::path run(const std::string &name) { return folder() / "data" / "slipway" / "runs" / name; }

    TwoSshServers m_servers;
    std::string m_on;
};

TEST_F(TrainerOnTwoNodes, TrainWhatTwoRanksHereTrain)
{
    const ChildResult here = slipway({"launch", config(12), "--name", "here"});
    ASSERT_EQ(here.exitStatus, 0) << here.err << here.out;
    const ChildResult there = launch("there", 12);
    ASSERT_EQ(there.exitStatus, 0) << there.err << there.out;
    const std::vector<double> expected = losses(run("here")), found = losses(run("there"));
    ASSERT_EQ(found.size(), 12U);
    ASSERT_EQ(expected.size(), 12U);
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-5 * expected[i]) << "step " << i + 1;
    EXPECT_EQ(readFile(folder() / "two/runs/there.node1/rendezvous.key").value(),
        readFile(folder() / "one/runs/there/rendezvous.key").value());
}

TEST_F(TrainerOnTwoNodes, AKilledNodeEndsTheOtherAndTheRunGoesOnWithoutAStepLostOrDoubled)
{
    const ChildResult launched = launch("cut", 1'000'000, {"--detach"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    ASSERT_TRUE(waitForStep("cut", 0, 8));
    const auto first = readProcessIdentity({folder() / "one/runs/cut"});
    const auto second = readProcessIdentity({folder() / "two/runs/cut.node1"});
    ASSERT_TRUE(first && second);
    ASSERT_EQ(::kill(static_cast<pid_t>(-second->processGroup), SIGKILL), 0);
    const ChildResult watched = slipway({"watch", "cut"});
    EXPECT_EQ(watched.exitStatus, 1);
    const RunStatus status = statusOf({run("cut")});
    EXPECT_EQ(status.state, RunState::Failed);
    EXPECT_THAT(status.detail, ::testing::StartsWith("node2:")) << watched.out;
    const std::vector<Process> left = processes();
    EXPECT_TRUE(std::none_of(left.begin(), left.end(), [&](const Process &process) {
        return process.group == first->processGroup && process.state != 'Z' && process.state != 'X';
    })) << "of the first machine";

    const ChildResult resumed = slipway({"resume", "cut", "--detach"});
    ASSERT_EQ(resumed.exitStatus, 0) << resumed.err;
    ASSERT_TRUE(waitForStep("cut", 1, readRun(run("cut")).value().metrics.back().step + 3));
    const ChildResult stopped = slipway({"stop", "cut"});
    EXPECT_EQ(stopped.exitStatus, 0) << stopped.err;
    const RunData data = readRun(run("cut")).value();
    EXPECT_EQ(data.state(), RunState::Cancelled) << stopped.out;
    EXPECT_EQ(data.problemCount, 0);
    for (std::size_t i = 0; i < data.metrics.size(); ++i)
        ASSERT_EQ(data.metrics[i].step, static_cast<std::int64_t>(i + 1));
}

TEST_F(TrainerOnTwoNodes, ALostMachineIsReplacedByTheNextOneWhichGoesOnFromTheCheckpointHere)
{
    const ChildResult launched = slipway({"launch", config(1'000'000), "--name", "cut", "--gpus", "1", "--parallel",
        "none", "--gpus-per-node", "1", "--on", "node1:" + (folder() / "one").string(), "--then-on",
        "node2:" + (folder() / "two").string(), "--detach"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    auto watching = std::async(std::launch::async, [] { return slipway({"watch", "cut"}); });
    EXPECT_TRUE(waitUntil(run("cut"), [&] { return std::filesystem::exists(run("cut") / "checkpoints/latest"); }));
    const RunPaths there{folder() / "one/runs/cut"};
    const auto mark = readProcessIdentity(there);
    const std::string supervisor = readFile(there.directory / "supervisor").value();
    ASSERT_TRUE(mark);
    ASSERT_EQ(::kill(static_cast<pid_t>(std::stol(supervisor)), SIGKILL), 0); // nobody is left to write how it ended
    ASSERT_EQ(::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL), 0);
    const RunPaths next{folder() / "two/runs/cut"};
    EXPECT_TRUE(waitUntil(next.directory,
        [&] { return readFile(next.metrics()).valueOr({}).find("\"attempt\":1,") != std::string::npos; }));
    EXPECT_EQ(slipway({"stop", "cut"}).exitStatus, 0);
    const ChildResult watched = watching.get();
    EXPECT_THAT(watched.out, ::testing::HasSubstr("moved: it was lost"));
    EXPECT_THAT(watched.out, ::testing::HasSubstr("in 1 interruption: "));
    const RunData data = readRun(run("cut")).value();
    EXPECT_EQ(data.problemCount, 0);
    EXPECT_EQ(data.metrics.back().attempt, 1);
    for (std::size_t i = 0; i < data.metrics.size(); ++i)
        ASSERT_EQ(data.metrics[i].step, static_cast<std::int64_t>(i + 1));
    EXPECT_THAT(slipway({"report", "cut"}).out, ::testing::HasSubstr("Lost to interruptions"));
}

} // namespace
} // namespace slipway::e2e
