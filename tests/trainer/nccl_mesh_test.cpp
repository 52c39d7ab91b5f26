// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Meshes whose ranks speak by NCCL, which is played: a step is that of one rank.
#include <algorithm>
#include <vector>

#include "mesh_steps.h"
#include "played_nccl.h"
#include "rank_groups.h"

namespace slipway::testing {
namespace {

class NcclMesh : public PlayedNccl {
protected:
    static void run(int ranks, const std::function<void(Communicator &)> &work)
    {
        runOverThreads(ranks, [&](Communicator &threads) {
            const auto joined = std::move(join(threads)).value();
            work(*joined);
            threads.barrier();
        });
    }
};

class NcclMeshes : public NcclMesh, public ::testing::WithParamInterface<MeshCase> {};

TEST_P(NcclMeshes, TrainAsOneRankDoes)
{
    expectOneRanksStep(GetParam(), run);
    EXPECT_EQ(m_played.made, m_played.destroyed);
    EXPECT_EQ(m_played.aborted, 0);
}

std::vector<MeshCase> meshes()
{
    using enum ParallelKind;
    using enum PipelineSchedule;
    std::vector<MeshCase> cases{{.tp = 2, .gradAccum = 2}, {.pp = 2, .gradAccum = 3, .variant = Variant::Tied},
        {.pp = 4, .gradAccum = 6, .schedule = ZeroBubble},
        {.pp = 2, .gradAccum = 4, .schedule = Interleaved, .virtualStages = 2},
        {.tp = 2, .dp = 2, .kind = Zero1, .gradAccum = 2, .variant = Variant::Grouped}, {.cp = 2, .gradAccum = 2},
        {.tp = 4, .gradAccum = 2, .variant = Variant::NormsOverHeads},
        {.cp = 3, .recompute = Recompute::Full, .exchange = ContextExchange::Ring},
        {.tp = 2, .cp = 2, .pp = 2, .gradAccum = 2, .exchange = ContextExchange::Ring}};
    for (const ParallelKind kind : {Ddp, FsdpFull})
        cases.push_back({.tp = 2, .pp = 2, .dp = 2, .kind = kind, .gradAccum = 2, .variant = Variant::Tied});
    for (const Variant variant : {Variant::Experts, Variant::SharedExpert}) {
        cases.push_back({.dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 2, .variant = variant});
        cases.push_back({.pp = 2, .dp = 4, .ep = 2, .kind = FsdpFull, .gradAccum = 2, .variant = variant});
        cases.push_back({.tp = 2, .dp = 2, .ep = 2, .kind = Zero1, .gradAccum = 2, .variant = variant});
    }
    for (MeshCase &mesh : cases)
        mesh.backend = BackendKind::TorchCpu;
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, NcclMeshes, ::testing::ValuesIn(meshes()), nameOf);

// NCCL runs the operations of a communicator in order: if each rank sent first, none would receive.
TEST_F(NcclMesh, SendsEachMessageOfARingTogetherWithAReceive)
{
    expectOneRanksStep({.cp = 3, .exchange = ContextExchange::Ring, .backend = BackendKind::TorchCpu}, run);
    const auto room = std::ranges::find(m_played.heard, "allocating the memory of the step");
    const auto count = [&](const char *what) { return std::count(room, m_played.heard.end(), what); };
    // A layer's forward pass has 2 messages, its backward pass 2 of keys and 2 of their gradients. Each step is also
    // evaluated.
    constexpr int kLayers = 4;
    EXPECT_EQ(count("together: 1 sent, 1 received"), kMeshSteps * kLayers * (2 + 2 + 4));
    EXPECT_EQ(count("together: 1 sent, 0 received"), 0);
    EXPECT_EQ(count("together: 0 sent, 1 received"), 0);
}

// What NCCL takes for a connection is there before the arena is made, between stages too.
TEST_F(NcclMesh, ConnectsTheStagesBeforeTheArenaIsMade)
{
    expectOneRanksStep({.pp = 2, .gradAccum = 2, .backend = BackendKind::TorchCpu}, run);
    const auto room = std::ranges::find(m_played.heard, "allocating the memory of the step");
    EXPECT_EQ(std::count(m_played.heard.begin(), room, "together: 1 sent, 0 received"), 1);
    EXPECT_EQ(std::count(m_played.heard.begin(), room, "together: 0 sent, 1 received"), 1);
}

// A rank sends to itself, too.
TEST_F(NcclMesh, ConnectsTheRanksOfExpertsBeforeTheArenaIsMade)
{
    expectOneRanksStep(
        {.dp = 2, .ep = 2, .kind = ParallelKind::Ddp, .variant = Variant::Experts, .backend = BackendKind::TorchCpu},
        run);
    const auto room = std::ranges::find(m_played.heard, "allocating the memory of the step");
    EXPECT_EQ(std::count(m_played.heard.begin(), room, "together: 2 sent, 2 received"), 1);
}

} // namespace
} // namespace slipway::testing
