// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks that others start: a real torchrun, a real Slurm of one node. Skipped with the reason where there is none.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>

#include "child.h"
#include "python.h"
#include "scratch_folder.h"
#include "support/slurm_cluster.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using namespace testing;

using Words = std::vector<std::string>;

const Words kTwoRanks{"gpus: 2", "parallel: fsdp-full"};

Words trainCommand(const RunPaths &run, Words starter, const Words &flags = {})
{
    starter.insert(starter.end(), {SLIPWAY_TRAIN, "run", run.directory.string()});
    starter.insert(starter.end(), flags.begin(), flags.end());
    return starter;
}

void expectSameLosses(const RunPaths &run, const RunPaths &other)
{
    ASSERT_EQ(lossesOf(run).size(), lossesOf(other).size());
    for (const auto &[step, loss] : lossesOf(other))
        EXPECT_NEAR(lossesOf(run).at(step) / loss, 1.0, 1e-6) << step;
}

void expectTrainsAsThreadsDo(const ScratchFolder &folder, const Words &starter)
{
    const RunPaths threads = makeTinyRun(folder / "t", kTwoRanks), run = makeTinyRun(folder / "r", kTwoRanks);
    ASSERT_EQ(runProgram(trainCommand(threads, {})).status, 0);
    const Ended ended = runProgram(trainCommand(run, starter));
    ASSERT_EQ(ended.status, 0) << ended.err;
    expectSameLosses(run, threads);
}

// The second rank, by its starter's variable.
pid_t secondRank(const RunPaths &run, const std::string &variable)
{
    const std::string zero(1, '\0');
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
        const std::string command = readBytes(entry.path() / "cmdline"),
                          environment = zero + readBytes(entry.path() / "environ");
        if (command.starts_with(SLIPWAY_TRAIN) && command.find(run.directory.string() + zero) != std::string::npos &&
            environment.find(zero + variable + "=1" + zero) != std::string::npos)
            return static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    }
    return -1;
}

class Torchrun : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (m_python.empty())
            GTEST_SKIP() << kNoTransformers;
    }
    [[nodiscard]] Words starter(const Words &flags = {}) const
    {
        Words words{"/usr/bin/env", "OMP_NUM_THREADS=1", m_python, "-m", "torch.distributed.run", "--standalone",
            "--nproc-per-node", "2"};
        words.insert(words.end(), flags.begin(), flags.end());
        words.push_back("--no-python");
        return words;
    }

    std::string m_python = pythonWithTransformers();
    ScratchFolder m_folder;
};

TEST_F(Torchrun, StartsRanksThatTrainAsThreadsDo) { expectTrainsAsThreadsDo(m_folder, starter()); }

TEST_F(Torchrun, StartsThemAgainFromTheNewestCheckpoint)
{
    const Words changes{"gpus: 2", "parallel: zero1", "steps: 400", "checkpoint_every: 5"};
    const RunPaths threads = makeTinyRun(m_folder / "t", changes), run = makeTinyRun(m_folder / "r", changes);
    ASSERT_EQ(runProgram(trainCommand(threads, {})).status, 0);
    RunningProgram program(trainCommand(run, starter({"--max-restarts", "1"})), m_folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-")) << readBytes(m_folder / "err");
    const pid_t second = secondRank(run, "RANK");
    ASSERT_GT(second, 0);
    ::kill(second, SIGKILL);
    EXPECT_EQ(program.wait(), 0) << readBytes(m_folder / "err");
    expectSameLosses(run, threads);
    EXPECT_EQ(metricsOf(run).back().attempt, 1);
}

class Srun : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!m_cluster.problem().empty())
            GTEST_SKIP() << m_cluster.problem();
        ASSERT_TRUE(m_cluster.reset());
    }
    static Words starter() { return {"/usr/bin/srun", "--quiet", "--kill-on-bad-exit=0", "-n", "2"}; }

    SlurmCluster &m_cluster = SlurmCluster::shared();
    ScratchFolder m_folder;
};

TEST_F(Srun, StartsRanksThatTrainAsThreadsDo) { expectTrainsAsThreadsDo(m_folder, starter()); }

// Two nodes whose daemons are side by side on this machine.
class SrunOnTwoNodes : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!m_cluster.problem().empty())
            GTEST_SKIP() << m_cluster.problem();
    }

    SlurmCluster m_cluster{2};
    ScratchFolder m_folder;
};

// Ranks are numbered node by node, so that neighbors in the mesh share a node: the ranks of each stage.
TEST_F(SrunOnTwoNodes, TrainsAMeshOfWhichEachNodeHasAStage)
{
    const Words mesh{"gpus: 4", "gpus_per_node: 2", "tp: 2", "pp: 2", "grad_accum: 2"};
    const RunPaths threads = makeTinyRun(m_folder / "t", mesh), run = makeTinyRun(m_folder / "r", mesh);
    ASSERT_EQ(runProgram(trainCommand(threads, {})).status, 0);
    const std::string ranks = (m_folder / "ranks").string();
    const Ended ended = runProgram(
        trainCommand(run, {"/usr/bin/env", "MASTER_ADDR=127.0.0.1", "/usr/bin/srun", "--quiet", "-N", "2", "-n", "4",
                              "--ntasks-per-node=2", "--distribution=block", "/bin/sh", "-c",
                              "echo \"$SLURM_PROCID on $SLURMD_NODENAME\" >> " + ranks + "; exec \"$@\"", "sh"}));
    ASSERT_EQ(ended.status, 0) << ended.err;
    expectSameLosses(run, threads);
    std::istringstream lines(readBytes(ranks));
    std::vector<std::string> places;
    for (std::string line; std::getline(lines, line);)
        places.push_back(line);
    EXPECT_THAT(places, ::testing::UnorderedElementsAre("0 on node0", "1 on node0", "2 on node1", "3 on node1"));
}

TEST_F(Srun, StartsTwoStepsOfAJobThatMeetApart)
{
    const RunPaths one = makeTinyRun(m_folder / "one", kTwoRanks), other = makeTinyRun(m_folder / "other", kTwoRanks);
    (void)SlurmCluster::ask({"salloc", "--no-shell", "-n", "2"});
    const std::string job = SlurmCluster::ask({"squeue", "-h", "-o", "%A"});
    ASSERT_FALSE(job.empty());
    const auto step = [&](const RunPaths &run) {
        return trainCommand(run, {"/usr/bin/srun", "--quiet", "--jobid=" + job, "--overlap", "-n", "2"});
    };
    RunningProgram first(step(one), m_folder / "err1"), second(step(other), m_folder / "err2");
    EXPECT_EQ(first.wait(), 0) << readBytes(m_folder / "err1");
    EXPECT_EQ(second.wait(), 0) << readBytes(m_folder / "err2");
    expectSameLosses(one, other);
}

TEST_F(Srun, EndsAllWhereOneIsKilled)
{
    const RunPaths run =
        makeTinyRun(m_folder / "r", {"gpus: 2", "parallel: ddp", "steps: 1000000", "checkpoint_every: 5"});
    RunningProgram program(trainCommand(run, starter()), m_folder / "err");
    ASSERT_TRUE(program.waitForLine("checkpoint step-")) << readBytes(m_folder / "err");
    const pid_t second = secondRank(run, "SLURM_PROCID");
    ASSERT_GT(second, 0);
    ::kill(second, SIGKILL);
    EXPECT_NE(program.wait(), 0);
    EXPECT_THAT(
        readBytes(m_folder / "err"), HasSubstr("slipway-train: a peer: the connection to a rank broke: it ended"));
    EXPECT_EQ(readBytes(run.exitStatus()), "4\n");
}

} // namespace
} // namespace slipway
