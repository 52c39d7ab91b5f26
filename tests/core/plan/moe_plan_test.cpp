// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plans of mixtures of experts: lifetimes under every choice, what a rank holds, what it sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "plan/build_plan.h"
#include "plan/cuda_graph.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

// 8 experts of 3 x 32 x 48 weights, 2 for each token.
ModelSpec expertModel()
{
    ModelSpec m = smallModel();
    m.layers = 4;
    m.experts.count = 8;
    m.experts.perToken = 2;
    return m;
}

RunConfig expertConfig(Framework framework, ParallelKind kind, int gpus, int ep = 1)
{
    RunConfig c = smallConfig();
    c.framework = framework;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = kind, .gpus = gpus, .ep = ep};
    return c;
}

StepPlan expertPlanOf(const RunConfig &c) { return planOf(c, expertModel()); }

const Buffer &bufferNamed(const StepPlan &plan, const std::string &name)
{
    for (const Buffer &b : plan.buffers) {
        if (b.name == name)
            return b;
    }
    ADD_FAILURE() << "no buffer " << name;
    return plan.buffers.front();
}

// Bytes that ops of a kind send in a step over the group of an axis, by the collective's message.
Bytes sent(const StepPlan &plan, OpKind kind, const std::string &axis)
{
    Bytes bytes = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &k = plan.at(v.op.kernel);
        if (k.kind == kind && k.group != GroupId::None && plan.groups[static_cast<std::size_t>(k.group)].axis == axis)
            bytes += k.messageBytes;
    });
    return bytes;
}

TEST(ExpertPlan, sendsTokensToExpertsAlsoWhereAttentionAndMlpReadTheSameStream)
{
    for (const int norms : {1, 2}) {
        ModelSpec m = expertModel();
        m.block.parallel = true;
        m.block.sharedNorm = norms == 1;
        for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::FsdpFull, ParallelKind::Zero1}) {
            const StepPlan plan = planOf(expertConfig(Framework::PytorchEager, kind, 8, 4), m),
                           serial = expertPlanOf(expertConfig(Framework::PytorchEager, kind, 8, 4));
            EXPECT_GT(sent(plan, OpKind::AllToAll, "ep"), 0);
            EXPECT_EQ(sent(plan, OpKind::AllToAll, "ep"), sent(serial, OpKind::AllToAll, "ep"));
        }
    }
}

TEST(ExpertPlan, isFreeOfUseAfterFreeDoubleFreeAndLeaksForEveryChoice)
{
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const ExpertGemm gemm : {ExpertGemm::Grouped, ExpertGemm::Loop}) {
            for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                for (const char *ops :
                    {"attention", "activation", "experts", "linear", "linear-alternate", "layer-alternate"}) {
                    for (const Precision precision :
                        {Precision::Bf16Mixed, Precision::Bf16, Precision::Fp32, Precision::Fp8Mixed}) {
                        for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull,
                                 ParallelKind::FsdpGradOp, ParallelKind::Hsdp}) {
                            for (const Parallelism mesh :
                                {Parallelism{.gpus = 1}, Parallelism{.gpus = 16}, Parallelism{.gpus = 16, .ep = 4},
                                    Parallelism{.gpus = 16, .tp = 2, .pp = 2, .cp = 2, .ep = 2}}) {
                                for (const bool gated : {true, false}) {
                                    if (recompute != Recompute::Selective && std::string_view(ops) != "attention")
                                        continue;
                                    RunConfig c = expertConfig(framework, kind, 1);
                                    c.parallel = mesh;
                                    c.parallel.kind = kind;
                                    c.simulated.expertGemm = gemm;
                                    c.recompute = recompute;
                                    if (recompute == Recompute::Selective)
                                        c.recomputeOps = {ops};
                                    c.precision = precision;
                                    c.gradAccum = 3;
                                    ModelSpec m = expertModel();
                                    m.mlp.gated = gated;
                                    try {
                                        const auto plan = buildPlan(c, m);
                                        EXPECT_TRUE(plan) << plan.error().message();
                                    } catch (const std::logic_error &fault) {
                                        ADD_FAILURE() << enumName(framework) << " " << enumName(gemm) << " "
                                                      << enumName(recompute) << " " << ops << " " << enumName(precision)
                                                      << " " << enumName(kind) << " tp " << mesh.tp << " ep " << mesh.ep
                                                      << (gated ? " gated" : " plain") << ": " << fault.what();
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(ExpertPlan, holdsItsPartOfTheExpertsUnderExpertParallelism)
{
    // Megatron-LM, bf16 beside fp32 masters: 2 of 8 experts, their states over 16 / 4 ranks; the rest over all 16.
    const StepPlan plan = expertPlanOf(expertConfig(Framework::Megatron, ParallelKind::Zero1, 16, 4));
    const std::int64_t held = 2 * 3 * 32 * 48;
    EXPECT_EQ(bufferNamed(plan, "experts.weights").bytes, 2 * held);
    EXPECT_EQ(bufferNamed(plan, "experts.gradients").bytes, 4 * held);
    EXPECT_EQ(bufferNamed(plan, "experts.masters").bytes, 4 * held / 4);
    EXPECT_EQ(bufferNamed(plan, "experts.momentum").bytes, 4 * held / 4);
    // q, k, v, o: 32 x (32 + 16 + 16 + 32); two norms of 32; the router 8 x 32.
    const std::int64_t rest = 32 * 96 + 2 * 32 + 8 * 32;
    EXPECT_EQ(bufferNamed(plan, "layer.weights").bytes, 2 * rest);
    EXPECT_EQ(bufferNamed(plan, "layer.momentum").bytes, 4 * rest / 16);
}

TEST(ExpertPlan, holdsAllStatesOnceOverTheRanks)
{
    for (const ParallelKind kind : {ParallelKind::Zero1, ParallelKind::FsdpFull, ParallelKind::FsdpGradOp}) {
        for (const int ep : {1, 2, 4, 8}) {
            // PyTorch's ZeroRedundancyOptimizer leaves each tensor's whole on one rank.
            const StepPlan plan = expertPlanOf(expertConfig(
                kind == ParallelKind::Zero1 ? Framework::Megatron : Framework::PytorchCompile, kind, 8, ep));
            const ModelSpec m = expertModel();
            const std::int64_t spread =
                8 * m.layers *
                (bufferNamed(plan, "layer.momentum").bytes + bufferNamed(plan, "experts.momentum").bytes) / 4;
            EXPECT_EQ(spread, m.layers * blockParameterCount(m)) << enumName(kind) << " ep " << ep;
        }
    }
}

TEST(ExpertPlan, sendsEachTokensRowsToItsExpertsAndBackTwice)
{
    // 2 x 16 tokens, 2 experts each, 32 wide in bf16: there and back, forward and backward.
    const Bytes once = 2 * 16 * 2 * 32 * 2;
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        RunConfig c = expertConfig(framework, ParallelKind::Zero1, 8, 4);
        EXPECT_EQ(sent(expertPlanOf(c), OpKind::AllToAll, "ep"), 4 * once * expertModel().layers)
            << enumName(framework);
        c.gradAccum = 3;
        EXPECT_EQ(sent(expertPlanOf(c), OpKind::AllToAll, "ep"), 3 * 4 * once * expertModel().layers)
            << enumName(framework);
        c.expertCapacity = 1.5;
        EXPECT_EQ(sent(expertPlanOf(c), OpKind::AllToAll, "ep"), 3 * 6 * once * expertModel().layers)
            << enumName(framework);
    }
    EXPECT_EQ(
        sent(expertPlanOf(expertConfig(Framework::Megatron, ParallelKind::Zero1, 8, 1)), OpKind::AllToAll, "ep"), 0);
}

TEST(ExpertPlan, sendsThePartOfASequenceParallelRankAndGathersTheRows)
{
    RunConfig c = expertConfig(Framework::Megatron, ParallelKind::Zero1, 8, 4);
    c.parallel.tp = 2;
    const Bytes once = 2 * 16 / 2 * 2 * 32 * 2;
    const StepPlan plan = expertPlanOf(c);
    EXPECT_EQ(sent(plan, OpKind::AllToAll, "ep"), 4 * once * expertModel().layers);
    // Rows of both tensor-parallel ranks meet at each: two gathers and two scatters of whole rows, forward and
    // backward.
    Bytes gathered = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (v.op.name.starts_with("dispatch_gather") || v.op.name.starts_with("combine_scatter"))
            gathered += plan.at(v.op.kernel).messageBytes;
    });
    EXPECT_EQ(gathered, 4 * 2 * once * expertModel().layers);
}

TEST(ExpertPlan, reducesExpertsOverTheRanksThatHoldTheSame)
{
    const StepPlan plan = expertPlanOf(expertConfig(Framework::Megatron, ParallelKind::Ddp, 16, 4));
    EXPECT_EQ(sent(plan, OpKind::AllReduce, "edp"), expertModel().layers * 4 * 2 * 3 * 32 * 48);
    std::map<std::string, Group> groups;
    for (const Group &g : plan.groups)
        groups[g.axis] = g;
    EXPECT_EQ(groups["ep"], (Group{.axis = "ep", .size = 4, .stride = 1}));
    EXPECT_EQ(groups["edp"], (Group{.axis = "edp", .size = 4, .stride = 4}));
    EXPECT_EQ(groups["dp"], (Group{.axis = "dp", .size = 16, .stride = 1}));
}

TEST(ExpertPlan, multipliesEachTokenByItsOwnExpertsOnly)
{
    // Forward products of a layer's experts: tokens x 2 experts x 3 matrices, whoever runs them and however.
    const double flops = 2.0 * (2 * 16) * 2 * 3 * 32 * 48;
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const ExpertGemm gemm : {ExpertGemm::Grouped, ExpertGemm::Loop}) {
            for (const int ep : {1, 4}) {
                RunConfig c = expertConfig(framework, ParallelKind::Zero1, 8, ep);
                c.simulated.expertGemm = gemm;
                const StepPlan plan = expertPlanOf(c);
                double forward = 0, backward = 0;
                forEachOp(plan, Repetitions::All, [&](const Visit &v) {
                    const Kernel &k = plan.at(v.op.kernel);
                    if (k.kind == OpKind::Gemm && v.op.name.starts_with("expert"))
                        (v.op.phase == Phase::Forward ? forward : backward) += k.flops;
                });
                EXPECT_DOUBLE_EQ(forward, flops * expertModel().layers) << enumName(framework) << enumName(gemm) << ep;
                EXPECT_DOUBLE_EQ(backward, 2 * flops * expertModel().layers)
                    << enumName(framework) << enumName(gemm) << ep;
            }
        }
    }
}

// Bytes that a layer's forward allocates from the MLP's norm's output on, and leaves for its backward.
Bytes keptByExperts(const StepPlan &plan)
{
    std::map<BufferId, Bytes> kept;
    bool inExperts = false;
    for (const Block &block : plan.blocks) {
        if (block.name != "layer_forward")
            continue;
        for (const Op &op : block.ops) {
            inExperts = inExperts || op.name == "mlp_norm_weight";
            for (const Use &use : op.allocations) {
                if (inExperts && use.layerShift == 0)
                    kept[use.buffer] = plan.at(use.buffer).bytes;
            }
            for (const Use &use : op.frees)
                kept.erase(use.buffer);
        }
        break;
    }
    return std::accumulate(
        kept.begin(), kept.end(), Bytes{0}, [](Bytes sum, const auto &entry) { return sum + entry.second; });
}

// What autograd saved in Transformers' MixtralSparseMoeBlock, 1,024 tokens, hidden 256, ffn 384, 8 experts, 2 a token:
// PyTorch 2.11's saved_tensors_hooks on a processor, storages that are no weights; Transformers 5.23 (grouped)
// and 4.x's loop.
TEST(ExpertPlan, keepsWhatAutogradSavesInTransformers)
{
    ModelSpec m = expertModel();
    m.hidden = 256;
    m.mlp.width = 384;
    struct Case {
        Precision precision;
        ExpertGemm gemm;
        Bytes measured;
    };
    for (const Case &measured :
        {Case{Precision::Bf16, ExpertGemm::Loop, 10'059'776}, Case{Precision::Bf16, ExpertGemm::Grouped, 9'031'712},
            Case{Precision::Bf16Mixed, ExpertGemm::Loop, 16'883'712},
            Case{Precision::Bf16Mixed, ExpertGemm::Grouped, 17'424'416}}) {
        RunConfig c = expertConfig(Framework::PytorchEager, ParallelKind::None, 1);
        c.microBatch = 1;
        c.seqLen = 1024;
        c.precision = measured.precision;
        c.simulated.expertGemm = measured.gemm;
        EXPECT_NEAR(double(keptByExperts(planOf(c, m))), double(measured.measured), 0.01 * double(measured.measured))
            << enumName(measured.precision) << " " << enumName(measured.gemm);
    }
}

// How often the host waits for the device in a step.
int hostWaits(const StepPlan &plan)
{
    int waits = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) { waits += plan.at(v.op.kernel).synchronizesHost ? 1 : 0; });
    return waits;
}

// The sizes of GEMMs and messages depend on the routing. On the CPU, the host computes them itself.
TEST(OwnExpertPlan, letsTheHostWaitOnceForEachRoutingOnAGpu)
{
    const int layers = expertModel().layers;
    for (const int ep : {1, 2}) {
        RunConfig c = expertConfig(Framework::Slipway, ep > 1 ? ParallelKind::Ddp : ParallelKind::None, ep, ep);
        c.gradAccum = 3;
        EXPECT_EQ(hostWaits(expertPlanOf(c)), 3 * layers) << "ep " << ep;
        c.recompute = Recompute::Full;
        EXPECT_EQ(hostWaits(expertPlanOf(c)), 2 * 3 * layers) << "ep " << ep;
        c.precision = Precision::Fp32;
        EXPECT_EQ(hostWaits(expertPlanOf(c)), 0) << "ep " << ep;
    }
}

TEST(OwnExpertPlan, launchesTheGemmOfEachExpertByItselfOnAGpu)
{
    for (const auto &[precision, launches] : {std::pair(Precision::Bf16Mixed, 8), std::pair(Precision::Fp32, 1)}) {
        RunConfig c = expertConfig(Framework::Slipway, ParallelKind::None, 1);
        c.precision = precision;
        const StepPlan plan = expertPlanOf(c);
        int grouped = 0;
        forEachOp(plan, Repetitions::All, [&, launches = launches](const Visit &v) {
            if (plan.at(v.op.kernel).kind != OpKind::GroupedGemm)
                return;
            ++grouped;
            EXPECT_EQ(plan.at(v.op.kernel).calls, launches) << v.op.name;
        });
        EXPECT_EQ(grouped, 6 * expertModel().layers * c.gradAccum) << "two layers: forward, and two gradients each";
    }
}

TEST(OwnExpertPlan, isNoCudaGraph)
{
    const RunConfig c = expertConfig(Framework::Slipway, ParallelKind::None, 1);
    EXPECT_TRUE(canBeGraph(planOf(c, smallModel())));
    EXPECT_FALSE(canBeGraph(expertPlanOf(c)));
}

// The softmax of the scores is in fp32. Only their GEMMs have operands in bf16.
TEST(OwnExpertPlan, routesInFp32)
{
    RunConfig c = expertConfig(Framework::Slipway, ParallelKind::None, 1);
    const Bytes scores = c.tokensPerMicroBatch() * expertModel().experts.count;
    const StepPlan narrow = expertPlanOf(c);
    EXPECT_EQ(bufferNamed(narrow, "router_scores").bytes, 4 * scores);
    EXPECT_EQ(bufferNamed(narrow, "router_logits").bytes, 2 * scores);
    c.precision = Precision::Fp32;
    const StepPlan wide = expertPlanOf(c);
    EXPECT_EQ(bufferNamed(wide, "router_scores").bytes, 4 * scores);
    EXPECT_TRUE(std::ranges::none_of(wide.buffers, [](const Buffer &b) { return b.name == "router_logits"; }));
}

TEST(OwnExpertPlan, namesWhatWouldDoWhereItIsRefused)
{
    RunConfig c = expertConfig(Framework::Slipway, ParallelKind::None, 1);
    c.precision = Precision::Fp8Mixed;
    EXPECT_EQ(buildPlan(c, expertModel()).error().message(),
        "--framework: Slipway's trainer does not support " + expertModel().name +
            ": it has experts in fp8 (accepted: --precision bf16-mixed; megatron, pytorch-eager or pytorch-compile, "
            "which plan it; or another model)");
    c.precision = Precision::Bf16Mixed;
    EXPECT_TRUE(buildPlan(c, expertModel()));
}

} // namespace
} // namespace slipway
