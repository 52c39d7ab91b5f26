// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_env.h"

#include <gmock/gmock.h>

#include <map>

namespace slipway {
namespace {

using ::testing::HasSubstr;

Result<LaunchEnvironment> with(const std::map<std::string, std::string> &variables)
{
    return launchEnvironment([&variables](const char *name) -> const char * {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(LaunchEnvironment, IsOneProcessWhereNothingIsSet) { EXPECT_EQ(*with({}), LaunchEnvironment{}); }

TEST(LaunchEnvironment, IsTorchrunsThenSlurms)
{
    const LaunchEnvironment torchrun = *with(
        {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "head"},
            {"MASTER_PORT", "1234"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"TORCHELASTIC_RUN_ID", "j"},
            {"TORCHELASTIC_RESTART_COUNT", "2"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}});
    EXPECT_EQ(torchrun, (LaunchEnvironment{.rendezvous = {.rank = 3,
                                               .worldSize = 8,
                                               .localRank = 1,
                                               .localWorldSize = 2,
                                               .oneMachine = false,
                                               .host = "head",
                                               .port = 1234,
                                               .hosted = true,
                                               .generation = "j/2"},
                            .origin = "torchrun",
                            .restarted = true}));
    const LaunchEnvironment slurm = *with({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_LOCALID", "1"},
        {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}, {"SLURM_STEP_NODELIST", "gpu[07-08]"}, {"SLURM_JOB_ID", "40123"},
        {"SLURM_STEP_ID", "0"}});
    EXPECT_EQ(slurm, (LaunchEnvironment{.rendezvous = {.rank = 5,
                                            .worldSize = 8,
                                            .localRank = 1,
                                            .localWorldSize = 4,
                                            .oneMachine = false,
                                            .host = "gpu07",
                                            .port = slurm.rendezvous.port,
                                            .generation = "40123/0"},
                         .origin = "Slurm"}));
}

// Where one machine has all ranks they start together, and none waits longer for another to come than for one that
// hangs.
TEST(LaunchEnvironment, KnowsWhetherOneMachineHasAllRanks)
{
    std::map<std::string, std::string> torchrun{
        {"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "head"}, {"LOCAL_WORLD_SIZE", "4"}};
    EXPECT_TRUE(with(torchrun)->rendezvous.oneMachine);
    EXPECT_EQ(with(torchrun)->rendezvous.joinTimeout, Rendezvous{}.peerTimeout);
    torchrun.erase("LOCAL_WORLD_SIZE");
    EXPECT_FALSE(with(torchrun)->rendezvous.oneMachine) << "nobody said so";
    torchrun["MASTER_ADDR"] = "127.0.0.1";
    EXPECT_TRUE(with(torchrun)->rendezvous.oneMachine);
    EXPECT_EQ(with(torchrun)->rendezvous.joinTimeout, Rendezvous{}.joinTimeout)
        << "started by hand, one after the other";
    std::map<std::string, std::string> slurm{{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"},
        {"SLURM_STEP_TASKS_PER_NODE", "4"}, {"SLURM_STEP_NODELIST", "gpu[07-08]"}};
    EXPECT_TRUE(with(slurm)->rendezvous.oneMachine);
    slurm["SLURM_STEP_TASKS_PER_NODE"] = "2(x2)";
    EXPECT_FALSE(with(slurm)->rendezvous.oneMachine);
    EXPECT_EQ(with(slurm)->rendezvous.joinTimeout, Rendezvous{}.joinTimeout);
}

// One machine's ranks meet within 20 s by themselves.
TEST(LaunchEnvironment, LetsRanksMeetWithinTheTimeThatTheyMayTakeToLoadAndToAnswer)
{
    const Rendezvous together{.joinTimeout = deadline::kPeer};
    EXPECT_EQ(withTimeouts(together, {}, false).joinTimeout, deadline::kPeer);
    EXPECT_EQ(withTimeouts(together, {}, true).joinTimeout, kLoading) << "with GPUs' libraries";
    EXPECT_EQ(withTimeouts(together, {.load = 400}, true).joinTimeout, 400);
    EXPECT_EQ(withTimeouts(together, {.join = 7}, true).joinTimeout, 7) << "as it was given";
    EXPECT_EQ(withTimeouts({}, {}, true).joinTimeout, Rendezvous{}.joinTimeout) << "several machines have more";
}

TEST(LaunchEnvironment, LetsThePeerTimeoutCoverAllThatWaitsForARank)
{
    const Rendezvous patient = withTimeouts({.joinTimeout = deadline::kPeer}, {.peer = 500}, false);
    EXPECT_EQ(patient.peerTimeout, 500);
    EXPECT_EQ(patient.joinTimeout, 500);
    EXPECT_EQ(patient.startTimeout, 500);
    EXPECT_EQ(patient.loadTimeout, 500) << "NCCL's own waiting is the shorter of the two";
    EXPECT_EQ(withTimeouts({}, {.peer = 2}, true).loadTimeout, kLoading);
}

TEST(LaunchEnvironment, MeetsWhereNoOtherStepOfSlurmDoes)
{
    std::map<std::string, std::string> variables{{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"},
        {"SLURM_CLUSTER_NAME", "a"}, {"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_SRUN_COMM_PORT", "40001"}};
    const int port = with(variables)->rendezvous.port;
    EXPECT_GE(port, 20000);
    EXPECT_LT(port, 32000);
    variables["SLURM_PROCID"] = "1";
    EXPECT_EQ(with(variables)->rendezvous.port, port);
    for (const auto &[name, other] : {std::pair("SLURM_CLUSTER_NAME", "b"), std::pair("SLURM_JOB_ID", "8"),
             std::pair("SLURM_STEP_ID", "1"), std::pair("SLURM_SRUN_COMM_PORT", "40002")}) {
        auto changed = variables;
        changed[name] = other;
        EXPECT_NE(with(changed)->rendezvous.port, port) << name;
    }
    variables["MASTER_PORT"] = "1234";
    EXPECT_EQ(with(variables)->rendezvous.port, 1234);
}

TEST(LaunchEnvironment, TakesTheFirstHostOfANodeList)
{
    EXPECT_EQ(firstHost("gpu[07-09,12],login"), "gpu07");
    EXPECT_EQ(firstHost("a[3,5]"), "a3");
    EXPECT_EQ(firstHost("alone"), "alone");
    EXPECT_EQ(firstHost("one,two[1-2]"), "one");
}

// The secret itself stands in no variable: others may read a process's environment, and logs show it.
TEST(LaunchEnvironment, NamesWhereTheSecretOfTheRanksIs)
{
    const std::map<std::string, std::string> rank{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "head"}};
    auto launched = rank, byHand = rank;
    launched["SLIPWAY_SECRET_FD"] = "7";
    byHand["SLIPWAY_SECRET_FILE"] = "/home/user/secret";
    EXPECT_EQ(with(rank)->rendezvous.secretFd, std::nullopt);
    EXPECT_EQ(with(launched)->rendezvous.secretFd, 7);
    EXPECT_EQ(with(byHand)->rendezvous.secretFile, "/home/user/secret");
}

TEST(LaunchEnvironment, OfABatchScriptIsNoRank)
{
    EXPECT_EQ(*with({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}), LaunchEnvironment{});
}

TEST(LaunchEnvironment, NamesTheVariableThatIsNoRank)
{
    EXPECT_THAT(with({{"RANK", "8"}, {"WORLD_SIZE", "8"}}).error().message(),
        HasSubstr("RANK: is not a rank (accepted: 0 to 7)"));
    EXPECT_THAT(with({{"WORLD_SIZE", "8"}}).error().message(), HasSubstr("RANK"));
    EXPECT_THAT(with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "99999"}}).error().message(),
        HasSubstr("MASTER_PORT: is not a port (accepted: 1 to 65535)"));
    EXPECT_THAT(with({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).error().message(),
        HasSubstr("MASTER_ADDR: is not set, and WORLD_SIZE is 2"));
    EXPECT_TRUE(with({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
    EXPECT_THAT(with({{"RANK", "0"}, {"WORLD_SIZE", "many"}}).error().message(),
        HasSubstr("WORLD_SIZE: is not a number of ranks"));
}

} // namespace
} // namespace slipway
