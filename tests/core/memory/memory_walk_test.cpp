// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <numeric>

#include "memory/arena.h"
#include "memory/memory_walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

Bytes total(const BytesByRole &bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}); }
Bytes of(const BytesByRole &bytes, Role role) { return bytes[static_cast<std::size_t>(role)]; }

// 3 layers x (64x32 + 32x32 + 96x32 + 32x48 + 2x32) + 2 x 100x32 + 32
constexpr std::int64_t kParameters = 3 * (64 * 32 + 32 * 32 + 96 * 32 + 32 * 48 + 2 * 32) + 2 * 100 * 32 + 32;
constexpr std::int64_t kTokens = 2 * 16;

BytesByRole at(const StepPlan &plan, const std::string &block, const std::string &op, int index)
{
    for (const MemoryInstant &instant : memoryInstants(plan)) {
        const Block &b = plan.at(instant.at.block);
        if (b.name == block && b.ops[static_cast<std::size_t>(instant.at.op)].name == op && instant.at.index == index)
            return instant.byRole;
    }
    ADD_FAILURE() << "no " << block << "/" << op;
    return {};
}

TEST(MemoryWalk, statesAre16BytesAParameterInFp32And18InMixedPrecision)
{
    RunConfig config = smallConfig();
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        config.precision = precision;
        const bool narrow = precision != Precision::Fp32;
        const std::int64_t parameters = kParameters + (narrow ? 4 * 32 : 0); // the head's 100 rows are laid out as 104
        const StepPlan plan = planOf(config);
        const BytesByRole end = at(plan, "head_optimizer", "adamw", 0);
        EXPECT_EQ(of(end, Role::Parameter), parameters * (narrow ? 2 : 4));
        EXPECT_EQ(of(end, Role::MasterWeight), narrow ? parameters * 4 : 0);
        EXPECT_EQ(of(end, Role::OptimizerState), parameters * 8);
        const BytesByRole all = at(plan, "embedding_gradient_norm", "sum_squares", 0);
        EXPECT_EQ(of(all, Role::Gradient), parameters * 4) << "gradients are fp32, so that micro-batches add up";
    }
}

TEST(MemoryWalk, activationsAtTheEndOfForwardAreTheSumByHand)
{
    // Per layer and token: x, attention_normed, attention_out, x_mid, mlp_normed: 5 x 32; qkv 64; gate_up 96; product
    // 48; two rstd and one log-sum-exp a head: 6 values of fp32. Then the last x, the final norm and its rstd; two ids.
    const StepPlan plan = planOf(smallConfig());
    const BytesByRole end = at(plan, "final_norm_forward", "final_norm", 3);
    const Bytes layer = kTokens * 4 * (5 * 32 + 64 + 96 + 48 + 2 + 4);
    EXPECT_EQ(of(end, Role::Activation), 3 * layer + kTokens * 4 * (32 + 32 + 1) + 2 * kTokens * 4);
    EXPECT_EQ(of(end, Role::Gradient), 0);
}

// dq, dk and dv in bf16, the sums of dq and one value for each row of scores in fp32.
TEST(MemoryWalk, besideTheArenaALibraryAllocatesTheGradientsOfFusedAttentionInBf16)
{
    RunConfig config = smallConfig();
    EXPECT_EQ(peakMemory(planOf(config)).library, 0) << "fp32 has no such library";
    config.precision = Precision::Bf16Mixed;
    EXPECT_EQ(peakMemory(planOf(config)).library, kTokens * (64 * 2 + 32 * 4 + 4 * 4));
    config.attention = Attention::Vanilla;
    EXPECT_EQ(peakMemory(planOf(config)).library, 0);
}

TEST(MemoryWalk, vanillaKeepsTheProbabilitiesOfEveryLayer)
{
    const RunConfig flash = smallConfig();
    RunConfig vanilla = smallConfig();
    vanilla.attention = Attention::Vanilla;
    const Bytes difference = of(at(planOf(vanilla), "final_norm_forward", "final_norm", 3), Role::Activation) -
                             of(at(planOf(flash), "final_norm_forward", "final_norm", 3), Role::Activation);
    EXPECT_EQ(difference, 3 * (2 * 4 * 16 * 16 * 4 - kTokens * 4 * 4))
        << "batch x heads x seq x seq, less the log-sum-exp";
}

TEST(MemoryWalk, fullRecomputationKeepsTheLayersInputsAndOneLayersActivations)
{
    RunConfig config = smallConfig();
    config.recompute = Recompute::Full;
    const StepPlan plan = planOf(config);
    EXPECT_EQ(of(at(plan, "final_norm_forward", "final_norm", 3), Role::Activation),
        kTokens * 4 * (4 * 32 + 32 + 1) + 2 * kTokens * 4);
    // The first layer's backward begins with all inputs but the last two, dx, and one layer's activations.
    const BytesByRole one = at(plan, "layer_backward", "down_dweight", 1);
    EXPECT_EQ(of(one, Role::Activation), kTokens * 4 * (2 * 32 + 32 + 4 * 32 + 64 + 96 + 48 + 2 + 4) + kTokens * 4);
}

TEST(MemoryWalk, rolesAtThePeakSumToThePeakLessRounding)
{
    for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
        RunConfig config = smallConfig();
        config.attention = attention;
        const StepPlan plan = planOf(config);
        const MemoryPeak peak = peakMemory(plan);
        Bytes largest = 0;
        for (const MemoryInstant &instant : memoryInstants(plan))
            largest = std::max(largest, total(instant.byRole));
        EXPECT_LE(total(peak.byRole), peak.allocated);
        EXPECT_GE(total(peak.byRole) + 200 * kArenaAlignment, peak.allocated);
        EXPECT_GE(largest, total(peak.byRole));
        EXPECT_GE(peak.reserved, peak.allocated);
    }
}

TEST(MemoryWalk, moreMicroBatchesNeedNoMoreThanTwoDo)
{
    RunConfig two = smallConfig(), many = smallConfig();
    two.gradAccum = 2;
    many.gradAccum = 64;
    EXPECT_EQ(peakMemory(planOf(two)).allocated, peakMemory(planOf(many)).allocated);
    EXPECT_EQ(peakMemory(planOf(two)).reserved, peakMemory(planOf(many)).reserved);
}

TEST(MemoryWalk, growsWithMicroBatchSequenceAndLayersAndNeverByRecomputation)
{
    const Bytes base = peakMemory(planOf(smallConfig())).allocated;
    RunConfig batch = smallConfig(), seq = smallConfig(), full = smallConfig();
    batch.microBatch = 3;
    seq.seqLen = 17;
    full.recompute = Recompute::Full;
    ModelSpec deeper = smallModel();
    deeper.layers = 4;
    EXPECT_GT(peakMemory(planOf(batch)).allocated, base);
    EXPECT_GT(peakMemory(planOf(seq)).allocated, base);
    EXPECT_GT(peakMemory(planOf(smallConfig(), deeper)).allocated, base);
    EXPECT_LE(peakMemory(planOf(full)).allocated, base);
}

} // namespace
} // namespace slipway
