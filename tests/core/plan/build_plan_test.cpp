// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "plan/kernel_work.h"
#include "plan/lifetimes.h"
#include "plan/plan_text.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

std::int64_t elementsOf(const StepPlan &plan)
{
    return std::accumulate(plan.units.begin(), plan.units.end(), std::int64_t{0},
        [&](std::int64_t sum, const ParameterUnit &u) { return sum + u.elements * (u.perLayer ? plan.layers : 1); });
}

// Sum over the ops of one step that `select` takes.
template<typename Value>
double sumOverStep(const StepPlan &plan, Value value)
{
    double sum = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) { sum += value(plan.at(v.op.kernel), v.op); });
    return sum;
}

using Choice = std::tuple<Attention, Recompute, Precision, bool /*tied*/, int /*gradAccum*/, int /*ranks*/>;
class EveryChoice : public ::testing::TestWithParam<Choice> {
protected:
    [[nodiscard]] static RunConfig config()
    {
        RunConfig c = smallConfig();
        c.attention = std::get<0>(GetParam());
        c.recompute = std::get<1>(GetParam());
        c.precision = std::get<2>(GetParam());
        c.gradAccum = std::get<4>(GetParam());
        c.parallel.gpus = std::get<5>(GetParam());
        c.parallel.kind = c.parallel.gpus > 1 ? ParallelKind::Ddp : ParallelKind::None;
        return c;
    }
    [[nodiscard]] static ModelSpec model()
    {
        ModelSpec m = smallModel();
        m.head.tied = std::get<3>(GetParam());
        return m;
    }
};

TEST_P(EveryChoice, isFreeOfUseAfterFreeDoubleFreeAndLeaks)
{
    StepPlan plan = planOf(config(), model());
    EXPECT_TRUE(markAllocations(plan).empty());
}

TEST_P(EveryChoice, givesEveryProductOfHalfNumbersTheOneWorkspaceAndNothingElse)
{
    const StepPlan plan = planOf(config(), model());
    const auto isWorkspace = [&](const Use &use) { return plan.at(use.buffer).name == "gemm_workspace"; };
    const bool half = config().precision != Precision::Fp32;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const OpKind kind = plan.at(v.op.kernel).kind;
        const bool multiplies =
            kind == OpKind::Gemm || kind == OpKind::VanillaAttention || kind == OpKind::VanillaAttentionBackward;
        EXPECT_EQ(std::count_if(v.op.writes.begin(), v.op.writes.end(), isWorkspace), half && multiplies ? 1 : 0)
            << v.op.name;
    });
}

TEST_P(EveryChoice, reducesEachGradientOnceAStepAndOnlyWithSeveralRanks)
{
    const StepPlan plan = planOf(config(), model());
    const double reduced = sumOverStep(plan, [](const Kernel &k, const Op &op) {
        return op.phase == Phase::Backward && k.kind == OpKind::AllReduce ? double(k.messageBytes) : 0;
    });
    EXPECT_EQ(reduced, config().parallel.gpus > 1 ? 4.0 * double(elementsOf(plan)) : 0);
}

TEST_P(EveryChoice, updatesEveryParameterOnceAndAfterTheNormOfAllGradients)
{
    const StepPlan plan = planOf(config(), model());
    double updated = 0, summed = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &k = plan.at(v.op.kernel);
        if (k.kind == OpKind::SumSquares) {
            EXPECT_EQ(v.op.accumulate, summed > 0) << "the first sum starts from zero";
            summed += double(k.n);
        }
        if (k.kind == OpKind::AdamW) {
            EXPECT_EQ(summed, double(elementsOf(plan)));
            updated += double(k.n);
        }
    });
    EXPECT_EQ(updated, double(elementsOf(plan)));
}

INSTANTIATE_TEST_SUITE_P(Plan, EveryChoice,
    ::testing::Combine(::testing::Values(Attention::Flash, Attention::Vanilla),
        ::testing::Values(Recompute::None, Recompute::Selective, Recompute::Full),
        ::testing::Values(Precision::Fp32, Precision::Bf16Mixed), ::testing::Bool(), ::testing::Values(1, 2, 5),
        ::testing::Values(1, 4)));

TEST(BuildPlan, parametersAreThoseOfTheModelByHand)
{
    // embedding 100x32; layer: qkv (32+2*16)x32, o 32x32, gate_up 96x32, down 32x48, two norms; final norm; head 100x32
    const std::int64_t layer = 64 * 32 + 32 * 32 + 96 * 32 + 32 * 48 + 2 * 32;
    EXPECT_EQ(elementsOf(planOf(smallConfig())), 2 * 100 * 32 + 3 * layer + 32);
    ModelSpec tied = smallModel();
    tied.head.tied = true;
    EXPECT_EQ(elementsOf(planOf(smallConfig(), tied)), 100 * 32 + 3 * layer + 32);
}

TEST(BuildPlan, matrixFlopsOfAStepAreSixTimesParametersTimesTokens)
{
    RunConfig config = smallConfig();
    config.gradAccum = 3;
    const StepPlan plan = planOf(config);
    const double flops =
        sumOverStep(plan, [](const Kernel &k, const Op &) { return k.kind == OpKind::Gemm ? k.flops : 0; });
    const double matmulParameters = 3 * (64 * 32 + 32 * 32 + 96 * 32 + 32 * 48) + 100 * 32;
    EXPECT_EQ(flops, 6 * matmulParameters * 2 * 16 * 3);
}

TEST(BuildPlan, fullRecomputationRunsEachLayersForwardAgainButForTheLastProjection)
{
    RunConfig config = smallConfig();
    config.recompute = Recompute::Full;
    const StepPlan plan = planOf(config);
    const double again = sumOverStep(
        plan, [](const Kernel &k, const Op &op) { return op.phase == Phase::Recompute ? modelFlops(k) : 0; });
    const double tokens = 32;
    const double gemms = 2 * tokens * (64 * 32 + 32 * 32 + 96 * 32);
    const double attention = 2 * 2 * tokens * 16 * 32;
    EXPECT_EQ(again, 3 * (gemms + attention));
}

TEST(BuildPlan, recomputedOpsReadAsInForward)
{
    RunConfig config = smallConfig();
    config.recompute = Recompute::Selective;
    const StepPlan plan = planOf(config);
    const auto block =
        std::find_if(plan.blocks.begin(), plan.blocks.end(), [](const Block &b) { return b.name == "layer_backward"; });
    EXPECT_EQ(toText(plan, block->ops.front()), "attention flash_attention [2x16 heads 4/2x8 fp32] reads qkv writes "
                                                "attention_out attention_lse allocates attention_out attention_lse");
}

TEST(BuildPlan, everyMicroBatchButTheFirstAddsToTheGradients)
{
    RunConfig config = smallConfig();
    config.gradAccum = 4;
    const StepPlan plan = planOf(config);
    std::set<int> microBatches;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (v.op.name == "qkv_dweight") {
            EXPECT_EQ(v.op.accumulate, v.microBatch > 0);
            microBatches.insert(v.microBatch);
        }
    });
    EXPECT_EQ(microBatches, (std::set<int>{0, 1, 2, 3}));
}

TEST(BuildPlan, staysSmallHoweverManyMicroBatches)
{
    RunConfig config = smallConfig();
    config.gradAccum = 64;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    ModelSpec model = smallModel();
    model.layers = 48;
    const StepPlan plan = planOf(config, model);
    std::size_t ops = 0, slots = 0;
    for (const Block &block : plan.blocks)
        ops += block.ops.size();
    for (const Segment &segment : plan.schedule)
        slots += segment.slots.size();
    EXPECT_LT(ops, 100U);
    EXPECT_LT(slots, 500U);
    EXPECT_LT(plan.kernels.size(), 60U);
}

TEST(BuildPlan, lossChunksCoverEveryTokenOnceEvenWhereTheyDoNotDivide)
{
    RunConfig config = smallConfig();
    config.microBatch = 7;
    config.seqLen = 1021;
    ModelSpec model = smallModel();
    model.vocab = 50000;
    const StepPlan plan = planOf(config, model);
    std::int64_t rows = 0, largest = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &k = plan.at(v.op.kernel);
        if (k.kind == OpKind::CrossEntropy) {
            EXPECT_EQ(v.op.accumulate, rows > 0);
            rows += k.m;
            largest = std::max(largest, k.m);
        }
    });
    EXPECT_EQ(rows, 7 * 1021);
    EXPECT_LE(largest * 50000 * 4, 64 * kMiB);
}

TEST(BuildPlan, namesTheFlagAndTheValuesThatItCanPlan)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 12, .gpusPerNode = 8};
    const auto plan = buildPlan(config, smallModel());
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message(),
        "--gpus: 12 ranks do not fill whole nodes of 8 (accepted: 8 or 16, or --parallel fsdp-full)");
    ModelSpec modelOfThreeHeads = smallModel();
    modelOfThreeHeads.attention.heads = modelOfThreeHeads.attention.kvHeads = 3;
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 12, .gpusPerNode = 8, .tp = 3};
    EXPECT_EQ(buildPlan(config, modelOfThreeHeads).error().message(),
        "--gpus: 12 ranks do not fill whole nodes of 8 (accepted: 24, or --parallel fsdp-full)");
    config.parallel = {.kind = ParallelKind::None, .gpus = 4, .cp = 4};
    config.seqLen = 12;
    EXPECT_EQ(buildPlan(config, smallModel()).error().message(),
        "--cp: Slipway's trainer does not split 12 tokens into 2 x 4 equal chunks (accepted: 2 with --parallel ddp, or "
        "3 with "
        "--gpus 3, or another --seq-len)");
    config.parallel = {.kind = ParallelKind::None, .gpus = 2, .cp = 2};
    config.attention = Attention::Vanilla;
    config.contextExchange = ContextExchange::Ring;
    EXPECT_EQ(buildPlan(config, smallModel()).error().message(),
        "--context-exchange: 'ring' does not run with vanilla attention, because no rank has all scores of a query "
        "(accepted: auto or gather, or --attention flash)");
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 6, .tp = 4};
    EXPECT_EQ(buildPlan(config, smallModel()).error().message(),
        "--gpus: 6 ranks are not a multiple of tp x pp x cp = 4 (accepted: 4 or 8)");
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .cp = 2};
    config.contextExchange = ContextExchange::Auto;
    config.precision = Precision::Bf16Mixed;
    EXPECT_TRUE(buildPlan(config, smallModel()));
    config.training.documents = Documents::Separate;
    EXPECT_EQ(buildPlan(config, smallModel()).error().message(),
        "--cp: Slipway's trainer does not keep documents apart over 2 context-parallel ranks in "
        "bf16-mixed (accepted: 1, or --precision fp32, or documents: packed)");
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .pp = 2};
    EXPECT_TRUE(buildPlan(config, smallModel()));
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .tp = 2};
    EXPECT_TRUE(buildPlan(config, smallModel()));
    config.precision = Precision::Fp8Mixed;
    config.seqLen = 16;
    EXPECT_EQ(buildPlan(config, smallModel()).error().message(),
        "--tp: fp8 GEMMs need multiples of 16; the width of one rank's key-value heads is 8 (accepted: a smaller "
        "--tp, or --precision bf16-mixed)");
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4, .pp = 2};
    EXPECT_TRUE(buildPlan(config, smallModel()));
}

TEST(Lifetimes, findUseAfterFreeDoubleFreeAndLeaks)
{
    StepPlan plan = planOf(smallConfig());
    Op &op = plan.blocks.front().ops.back();
    op.frees.push_back(op.reads.front()); // tokens, which the embedding's backward reads
    const auto faults = markAllocations(plan);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults.front(), "embedding_backward/embedding_backward [0] reads tokens, which is not allocated");

    StepPlan leaking = planOf(smallConfig());
    for (Block &block : leaking.blocks) {
        if (block.name == "layer_backward")
            block.ops.back().frees.clear();
    }
    const auto leaks = markAllocations(leaking);
    EXPECT_NE(std::find(leaks.begin(), leaks.end(), "x is not freed at the end of the step"), leaks.end());
}

} // namespace
} // namespace slipway
