// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/host.h"
#include "hosts/node_group.h"

namespace slipway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

NodeStatus node(const std::string &name, RunState state, const std::string &unreachable = {})
{
    return {.name = name, .status = {.state = state, .exitStatus = {}, .detail = {}}, .unreachable = unreachable};
}

TEST(NodeGroup, NamesAreThoseOfSshHostsEachOnce)
{
    EXPECT_EQ(nodeNames("node1,ada@node2:/data").value(), (std::vector<std::string>{"node1", "ada@node2:/data"}));
    for (const char *list : {"node1,,node2", "node1,node1", "local,node1", "node1,slurm:x", ",", "node1,"})
        EXPECT_FALSE(nodeNames(list)) << list;
    std::string many = "n0";
    for (std::size_t i = 1; i <= kMostNodes; ++i)
        many += ",n" + std::to_string(i);
    EXPECT_FALSE(nodeNames(many));
    EXPECT_FALSE(makeHost("node1,-oProxyCommand=x")) << "an option of ssh is no host";
    EXPECT_FALSE(makeHost("node1,node2:relative"));
    EXPECT_TRUE(makeHost("node1,node2:/data"));
}

TEST(NodeGroup, MeetsWhereTheUserSaysElseAtTheFirstNodesAddress)
{
    RunConfig config;
    const RendezvousEndpoint first = rendezvousEndpoint(config, "10.0.0.7", "/data/runs/a", 0).value();
    EXPECT_EQ(first.address, "10.0.0.7");
    EXPECT_GE(first.port, 20000);
    EXPECT_LT(first.port, 32000);
    EXPECT_EQ(rendezvousEndpoint(config, "fe80::1", "/data/runs/a", 0)->address, "fe80::1");
    EXPECT_NE(rendezvousEndpoint(config, "10.0.0.7", "/data/runs/a", 1)->port, first.port) << "another attempt";
    for (const char *hostile : {"", "$(touch x)", "10.0.0.7; x", "-o", "host name"})
        EXPECT_FALSE(rendezvousEndpoint(config, hostile, "/data/runs/a", 0)) << hostile;
    config.training.environment = {"MASTER_ADDR=head.internal", "MASTER_PORT=4242"};
    EXPECT_EQ(rendezvousEndpoint(config, "", "/data/runs/a", 0).value(),
        (RendezvousEndpoint{.address = "head.internal", .port = 4242}));
    config.training.environment = {"MASTER_PORT=70000"};
    EXPECT_FALSE(rendezvousEndpoint(config, "10.0.0.7", "/data/runs/a", 0));
}

TEST(NodeGroup, TellsEachNodeItsNumberAndTheUsersVariablesCountOverIt)
{
    RunConfig config;
    config.training.environment = {"NNODES=9"};
    const auto variables = configOfNode(config, 1, 2, {.address = "10.0.0.7", .port = 20001}).training.environment;
    for (const char *one : {"NODE_RANK=1", "MASTER_ADDR=10.0.0.7", "MASTER_PORT=20001", "PET_NNODES=2",
             "PET_NODE_RANK=1", "PET_RDZV_BACKEND=static"})
        EXPECT_THAT(variables, Contains(one));
    EXPECT_LT(std::find(variables.begin(), variables.end(), "NNODES=2"),
        std::find(variables.begin(), variables.end(), "NNODES=9"))
        << "the last one counts";
}

TEST(NodeGroup, KeysAre64HexadecimalDigitsAndNeverTheSame)
{
    const std::string key = newNodesKey().value();
    EXPECT_EQ(key.size(), 64U);
    EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_NE(newNodesKey().value(), key);
}

TEST(NodeGroup, ASplitModelNeedsASharedFolder)
{
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8};
    EXPECT_TRUE(nodesShapeCheck(config, 2).passed);
    EXPECT_FALSE(nodesShapeCheck(config, 3).passed);
    EXPECT_FALSE(nodesShapeCheck(config, 4).passed) << "the plan has two nodes";
    config.parallel.kind = ParallelKind::Hsdp;
    EXPECT_TRUE(nodesShapeCheck(config, 2).passed) << "each node has all shards";
    config.parallel.kind = ParallelKind::FsdpFull;
    EXPECT_THAT(nodesShapeCheck(config, 2).detail, HasSubstr("shared folder"));
    config.training.command = {"torchrun", "train.py"};
    EXPECT_TRUE(nodesShapeCheck(config, 2).passed) << "another script keeps its own checkpoints";
}

TEST(NodeGroup, StandsAsItsWeakestNode)
{
    const auto state = [](const std::vector<NodeStatus> &nodes) { return statusTogether(nodes).state; };
    using enum RunState;
    EXPECT_EQ(state({node("a", Succeeded), node("b", Succeeded)}), Succeeded);
    EXPECT_EQ(state({node("a", Succeeded), node("b", Failed)}), Failed);
    EXPECT_EQ(state({node("a", Cancelled), node("b", Succeeded)}), Cancelled);
    EXPECT_EQ(state({node("a", Failed), node("b", Lost)}), Failed);
    EXPECT_EQ(state({node("a", Succeeded), node("b", Running)}), Running);
    EXPECT_EQ(state({node("a", Running), node("b", Failed)}), Running) << "as long as one of them runs";
    EXPECT_EQ(state({node("a", Unknown), node("b", Failed)}), Unknown);
    EXPECT_EQ(state({node("a", Running), node("b", Running, "no answer")}), Running);
    EXPECT_EQ(state({node("a", Succeeded), node("b", Running, "no answer")}), Unknown);
    EXPECT_EQ(statusTogether({node("a", Failed), node("b", Lost)}, 1).state, Lost) << "what ended the others";
    EXPECT_EQ(firstFailed({node("a", Cancelled), node("b", Succeeded), node("c", Lost)}), 2U);
    EXPECT_EQ(firstFailed({node("a", Running), node("b", Succeeded)}), std::nullopt);
}

TEST(NodeGroup, NamesTheNodeThatFailedAndNotOneThatOnlyLostItsPeer)
{
    NodeStatus follower = node("a", RunState::Failed); // often the first that is seen to have ended
    follower.status.exitStatus = 4;
    for (const RunState state : {RunState::Failed, RunState::Lost, RunState::TimedOut, RunState::Preempted}) {
        EXPECT_EQ(firstFailed({follower, node("b", state)}), 1U);
        for (const std::optional<std::size_t> cause : {std::optional<std::size_t>(), std::optional<std::size_t>(0)}) {
            const RunStatus all = statusTogether({follower, node("b", state)}, cause);
            EXPECT_EQ(all.state, state);
            EXPECT_THAT(all.detail, HasSubstr("b is"));
        }
    }
    EXPECT_EQ(statusTogether({follower, node("b", RunState::Cancelled)}, 0).state, RunState::Failed);
    EXPECT_EQ(firstFailed({node("b", RunState::Running), follower}), 1U);
}

} // namespace
} // namespace slipway
