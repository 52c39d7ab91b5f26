// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether the messages of all ranks of a mesh match, and whether CollectiveMatch finds those that do not.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>

#include "core/plan/mesh_fixtures.h"
#include "plan/placement_flow.h"
#include "support/collective_match.h"

namespace slipway {
namespace {

using testing::CollectiveMatch;
using testing::HandOver;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::meshConfig;
using testing::modelOf;
using testing::Planned;
using testing::planned;

// A mesh of up to 64 ranks that divides; empty where the draw gives none.
std::optional<RunConfig> randomMesh(std::mt19937 &random, const ModelSpec &model)
{
    const auto draw = [&](std::initializer_list<int> of) {
        return *(of.begin() + std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random));
    };
    const int dp = draw({1, 2, 3, 4}), cp = draw({1, 1, 2, 4});
    const auto kind = static_cast<ParallelKind>(dp == 1 ? 0 : draw({1, 2, 3, 4, 5}));
    RunConfig config = meshConfig(draw({1, 2, 4}), draw({1, 2, 3, 4}), dp, kind, cp);
    if (model.experts.count > 0)
        config.parallel.ep = draw({1, 2, 4, 8});
    if (cp > 1)
        config.contextExchange = static_cast<ContextExchange>(draw({0, 1}));
    config.gradAccum = draw({1, 2, 3, 5, 8});
    if (config.parallel.pp > 1) {
        config.parallel.schedule = static_cast<PipelineSchedule>(draw({0, 1, 2, 3, 4}));
        if (config.parallel.schedule == PipelineSchedule::Interleaved) {
            config.parallel.virtualStages = draw({2, 3});
            config.gradAccum = config.parallel.pp * draw({1, 2, 3});
        }
    }
    config.optimizer = draw({0, 1}) == 1 ? OptimizerKind::Muon : OptimizerKind::AdamW;
    config.recompute = static_cast<Recompute>(draw({0, 1, 2}));
    config.gradReduce = static_cast<GradReduce>(draw({0, 1, 2}));
    config.parallel.gpusPerNode = draw({2, 4, 8});
    config.balanceLoss = model.experts.count > 0 && draw({0, 1}) == 1;
    config.training.documents = static_cast<Documents>(draw({0, 1}));
    const bool fits = config.parallel.gpus <= 64 && buildPlan(config, model);
    return fits ? std::optional(config) : std::nullopt;
}

std::string meshText(const RunConfig &config)
{
    const Parallelism &p = config.parallel;
    return fmt::format("tp {} ep {} cp {} pp {} gpus {} {} accumulation {} {} x{}", p.tp, p.ep, p.cp, p.pp, p.gpus,
        enumName(p.kind), config.gradAccum, enumName(p.schedule), p.virtualStages);
}

TEST(MeshMessages, MatchesEveryMessageOnAllRanksOfAThousandMeshes)
{
    std::mt19937 random(1);
    std::map<PipelineSchedule, int> bySchedule;
    int proven = 0;
    for (int found = 0; found < 1000;) {
        ModelSpec model = modelOf(std::uniform_int_distribution(4, 8)(random), found % 2 == 0);
        model.attention.kvHeads = found % 3 == 0 ? 2 : 8;
        if (found % 4 == 0)
            model.experts = {.count = 8, .perToken = 2, .auxLoss = 0.01};
        if (found % 5 == 0)
            model.attention.qkNorm = QkNorm::Full;
        const std::optional<RunConfig> config = randomMesh(random, model);
        if (!config)
            continue;
        ++found;
        const Parallelism &p = config->parallel;
        const Planned mesh = planned(model, *config);
        ASSERT_THAT(CollectiveMatch(mesh.ofRanks()).run(), IsEmpty()) << meshText(*config);
        ASSERT_THAT(CollectiveMatch(mesh.ofRanks(), HandOver::OnReceive).run(), IsEmpty()) << meshText(*config);
        for (const StepPlan &stage : mesh.stages) {
            const PlacementProof proof = provePlacements(stage);
            ASSERT_THAT(proof.faults, IsEmpty()) << meshText(*config) << ", stage " << stage.stage;
            proven += proof.collectives;
        }
        bySchedule[p.schedule] += p.pp > 1;
    }
    EXPECT_THAT(bySchedule, ::testing::SizeIs(5));
    for (const auto &[schedule, meshes] : bySchedule)
        EXPECT_GT(meshes, 20) << enumName(schedule);
    EXPECT_GT(proven, 250000);
}

bool isCollective(const StepPlan &plan, const Op &op)
{
    using enum OpKind;
    const OpKind kind = plan.at(op.kernel).kind;
    return kind == AllGather || kind == ReduceScatter || kind == AllReduce || kind == AllToAll;
}

bool isOfRing(const StepPlan &plan, const Op &op)
{
    const Kernel &kernel = plan.at(op.kernel);
    return isPointToPoint(kernel.kind) && plan.groups[static_cast<std::size_t>(kernel.group)].axis == "cp";
}

// Leaves each of these ops out in turn, and returns how many there are. The proof must find each.
int leaveOut(const Planned &mesh, const std::function<bool(const StepPlan &, const Op &)> &which)
{
    int missing = 0;
    for (const StepPlan &stage : mesh.stages) {
        EXPECT_THAT(provePlacements(stage).faults, IsEmpty()) << meshText(mesh.config);
        for (std::size_t block = 0; block < stage.blocks.size(); ++block) {
            for (std::size_t op = 0; op < stage.blocks[block].ops.size(); ++op) {
                if (!which(stage, stage.blocks[block].ops[op]))
                    continue;
                StepPlan broken = stage;
                std::vector<Op> &ops = broken.blocks[block].ops;
                ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(op));
                EXPECT_FALSE(provePlacements(broken).faults.empty())
                    << meshText(mesh.config) << ", " << stage.blocks[block].name << ", "
                    << stage.blocks[block].ops[op].name;
                ++missing;
            }
        }
    }
    return missing;
}

TEST(Placements, EveryCollectiveThatIsMissingIsFound)
{
    int missing = 0;
    for (const ParallelKind kind :
        {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
        RunConfig config = meshConfig(2, 2, 4, kind);
        config.parallel.gpusPerNode = 4;
        config.gradAccum = 2;
        ModelSpec model = modelOf(4, true);
        model.attention.qkNorm = QkNorm::Full;
        missing += leaveOut(planned(model, config), isCollective);
        config.optimizer = OptimizerKind::Muon;
        missing += leaveOut(planned(model, config), isCollective);
    }
    EXPECT_GT(missing, 700);
}

TEST(Placements, EveryExchangeOfKeysThatIsMissingIsFound)
{
    RunConfig config = meshConfig(1, 1, 1, ParallelKind::FsdpFull, 4);
    for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
        config.recompute = recompute;
        config.contextExchange = ContextExchange::Gather;
        EXPECT_GT(leaveOut(planned(modelOf(2, false), config), isCollective), 15);
        config.contextExchange = ContextExchange::Ring;
        // Each layer's keys are sent and received three times per pass, and their gradients four times.
        const int passes = recompute == Recompute::Full ? 3 : 2;
        EXPECT_EQ(leaveOut(planned(modelOf(1, false), config), isOfRing), 2 * (passes * 3 + 3));
    }
}

TEST(Placements, EveryExchangeOfRowsOfExpertsThatIsMissingIsFound)
{
    ModelSpec model = modelOf(4, false);
    model.experts = {.count = 8, .perToken = 2, .auxLoss = 0.01};
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::FsdpFull}) {
        RunConfig config = meshConfig(1, 2, 4, kind, 2);
        config.parallel.ep = 4;
        config.balanceLoss = true;
        EXPECT_GT(leaveOut(planned(model, config), isCollective), 30) << enumName(kind);
    }
}

// Two tensor-parallel ranks hold the norms of layers, so the gradient norm counts them half.
TEST(Placements, ANormThatCountsAValueTwiceIsFound)
{
    const StepPlan plan = planned(modelOf(4, false), meshConfig(2, 1, 2, ParallelKind::Ddp)).stages[0];
    int scaled = 0;
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) {
        if (plan.kernels[kernel].kind != OpKind::SumSquares)
            continue;
        StepPlan broken = plan;
        float &scale = broken.kernels[kernel].scale;
        scaled += scale != 0;
        scale = scale == 0 ? 0.5f : 0;
        EXPECT_THAT(provePlacements(broken).faults, ::testing::Contains(HasSubstr("counts what")));
    }
    EXPECT_GT(scaled, 0);
}

TEST(Placements, ASumOfWhatIsWholeIsFound)
{
    const StepPlan plan = planned(modelOf(4, false), meshConfig(2, 1, 2, ParallelKind::Ddp)).stages[0];
    int twice = 0;
    for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
        for (std::size_t op = 0; op < plan.blocks[block].ops.size(); ++op) {
            const Op sum = plan.blocks[block].ops[op];
            if (!isCollective(plan, sum) || plan.at(sum.kernel).kind != OpKind::AllReduce)
                continue;
            StepPlan broken = plan;
            std::vector<Op> &ops = broken.blocks[block].ops;
            ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(op), sum);
            EXPECT_THAT(provePlacements(broken).faults, ::testing::Contains(HasSubstr("its input is whole")))
                << sum.name;
            ++twice;
        }
    }
    EXPECT_GT(twice, 4);
}

TEST(MeshMessages, AMessageThatNobodySendsIsFound)
{
    Planned mesh = planned(modelOf(4, false), meshConfig(2, 2, 2, ParallelKind::Ddp));
    StepPlan broken = mesh.stages[0];
    for (Block &block : broken.blocks) {
        if (block.name == "send")
            block.ops.front().kernel = broken.blocks.front().ops.front().kernel; // no message any more
    }
    std::vector<const StepPlan *> plans = mesh.ofRanks();
    plans[1] = &broken;
    EXPECT_THAT(CollectiveMatch(plans).run(), HasSubstr("for ever"));
}

// One forward, one backward: a stage sends an activation on while the next one sends a gradient back.
TEST(MeshMessages, MessagesOfBothWaysInOneOrderAreFoundToWaitForEachOther)
{
    RunConfig config = meshConfig(1, 2);
    config.gradAccum = 4;
    Planned mesh = planned(modelOf(4, false), config);
    ASSERT_THAT(CollectiveMatch(mesh.ofRanks(), HandOver::OnReceive).run(), IsEmpty());
    for (StepPlan &stage : mesh.stages) {
        for (Group &group : stage.groups)
            group.axis = "pp";
    }
    EXPECT_THAT(CollectiveMatch(mesh.ofRanks()).run(), IsEmpty());
    EXPECT_THAT(CollectiveMatch(mesh.ofRanks(), HandOver::OnReceive).run(), HasSubstr("for ever"));
}

TEST(MeshMessages, CollectivesInAnotherOrderOrOfAnotherSizeAreFound)
{
    Planned mesh = planned(modelOf(4, false), meshConfig(2, 1, 2, ParallelKind::FsdpFull));
    StepPlan turned = mesh.stages[0], other = mesh.stages[0];
    for (Block &block : turned.blocks) {
        if (block.name == "layer_forward")
            std::reverse(block.ops.begin(), block.ops.end());
    }
    for (Kernel &kernel : other.kernels) {
        if (kernel.kind == OpKind::ReduceScatter)
            kernel.messageBytes += 4;
    }
    std::vector<const StepPlan *> plans = mesh.ofRanks();
    plans[2] = &turned;
    EXPECT_THAT(CollectiveMatch(plans).run(), ::testing::Not(IsEmpty()));
    plans[2] = &other;
    EXPECT_THAT(CollectiveMatch(plans).run(), HasSubstr("bytes"));
}

} // namespace
} // namespace slipway
