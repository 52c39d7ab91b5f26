// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on several nodes of a real Slurm, whose daemons are side by side on this machine: started by srun, stopped on
// all of them.
#include <csignal>
#include <iterator>
#include <set>
#include <sstream>

#include "core/hosts/remote_run_fixture.h"
#include "hosts/slurm_host.h"
#include "hosts/ssh_shell.h"
#include "support/slurm_cluster.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

class OnTwoNodes : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_cluster.problem().empty())
            GTEST_SKIP() << m_cluster.problem();
        m_order.config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .gpusPerNode = 2};
        m_order.config.training.timeLimit = 600;
    }
    // The ranks that are there, each with its node: as many lines as there are.
    [[nodiscard]] std::set<std::string> ranks(const std::filesystem::path &directory) const
    {
        std::set<std::string> lines;
        const std::string said = text(directory / "ranks");
        for (const std::string_view line : split(said, '\n')) {
            if (!line.empty())
                lines.insert(std::string(line));
        }
        return lines;
    }
    static constexpr const char *kTellsItsRank =
        "echo \"$SLURM_PROCID of $SLURM_STEP_NUM_TASKS on $SLURMD_NODENAME\" >> ranks";

    SlurmCluster m_cluster{2};
    SlurmHost m_host{"slurm:", std::make_unique<LocalShell>(), m_home.string(), {}, 0ms};
    const std::set<std::string> m_four{"0 of 4 on node0", "1 of 4 on node0", "2 of 4 on node1", "3 of 4 on node1"};
};

TEST_F(OnTwoNodes, ARankIsStartedOnEachTaskAndAStopReachesAllOfThem)
{
    trainer(std::string("trap 'echo $SLURM_PROCID >> told; exit 143' TERM\n") + kTellsItsRank +
            "\nuntil [ -e go ]; do sleep 0.02; done");
    const auto run = launchRun(m_order, m_host, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    const std::filesystem::path directory = there(*run);
    ASSERT_TRUE(waitUntil(directory, [&] { return ranks(directory).size() == 4; })) << text(directory / "err.log");
    EXPECT_EQ(ranks(directory), m_four);
    ASSERT_TRUE(m_host.signalGroup({run->directory}, SIGTERM));
    ASSERT_TRUE(waitForState(*run, m_host, RunState::Cancelled));
    EXPECT_EQ(m_host.status({run->directory}).exitStatus, 143);
    EXPECT_EQ(text(directory / "told").size(), 8U) << text(directory / "told");
}

TEST_F(OnTwoNodes, AForcedEndLeavesNoRankOnEitherNode)
{
    trainer(std::string("trap '' TERM\n") + kTellsItsRank + "\necho $$ >> pids; exec sleep 1000");
    const auto run = launchRun(m_order, m_host, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    const std::filesystem::path directory = there(*run);
    std::set<pid_t> pids;
    ASSERT_TRUE(waitUntil(directory, [&] {
        std::istringstream lines(text(directory / "pids"));
        pids = std::set<pid_t>(std::istream_iterator<pid_t>(lines), {});
        return pids.size() == 4;
    })) << text(directory / "err.log");
    ASSERT_TRUE(m_host.signalGroup({run->directory}, SIGKILL));
    const auto lives = [&pids](const Process &p) { return pids.contains(p.pid) && p.state != 'Z' && p.state != 'X'; };
    EXPECT_TRUE(waitUntil(
        directory,
        [&] {
            const std::vector<Process> all = processes();
            return std::none_of(all.begin(), all.end(), lives);
        },
        10s));
    EXPECT_TRUE(waitUntil(directory, [&] { return isTerminal(stateOf(*run, m_host)); }))
        << m_host.status({run->directory}).detail;
}

} // namespace
} // namespace slipway
