// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Megatron-LM's memory by hand: weights in bf16, main gradients in fp32, masters and moments over the data-parallel
// ranks (distributed optimizer), and of each layer what TransformerEngine's modules save for backward.
#include <gtest/gtest.h>

#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

// Llama 3 8B, of so many layers.
ModelSpec llama(int layers = 32)
{
    return {.name = "llama-3-8b",
        .layers = layers,
        .hidden = 4096,
        .attention = {.heads = 32, .kvHeads = 8, .headDim = 128},
        .mlp = {.width = 14336},
        .vocab = 128256};
}

RunConfig configOf(int gpus, int tp, int pp)
{
    RunConfig c;
    c.framework = Framework::Megatron;
    c.parallel = {.kind = ParallelKind::Zero1, .gpus = gpus, .tp = tp, .pp = pp};
    c.microBatch = 1;
    c.seqLen = 4096;
    c.gradAccum = 8;
    return c;
}

// Of a rank that holds `layers` layers, with embedding and head where it is the only stage.
struct ByHand {
    int layers, tp, data;
    double tokens = 4096;

    [[nodiscard]] double blockWeights() const
    {
        return (2 * 4096.0 * 4096 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336) / tp;
    }
    [[nodiscard]] double tableWeights() const { return 128256.0 * 4096 / tp; }
    [[nodiscard]] double states(double weights) const { return weights * (2 + 4 + 12.0 / data); }
    // Norms' inputs and outputs, which sequence parallelism splits; q, k, v rotated; attention's output and its sums of
    // exponents; both halves of the MLP and their product.
    [[nodiscard]] double layer() const
    {
        return tokens * (4 * 2 * 4096 + 2 * (4096 + 2 * 1024) + 2 * 4096 + 4 * 32 + 3 * 2 * 14336) / tp;
    }
    // The logits that the caller holds and their copy in fp32, in which the loss works; the last norm's input and
    // output.
    [[nodiscard]] double loss() const { return tokens * (6 * 128256.0 + 2 * 2 * 4096) / tp; }
};

double peakOfStage(const RunConfig &c, const ModelSpec &m, std::size_t stage = 0)
{
    return double(peakMemory(buildPlan(c, m).value().stages[stage]).allocated);
}

void expectWithinHalfAPercent(double planned, double byHand) { EXPECT_NEAR(planned / byHand, 1, 0.005); }

TEST(MegatronMemory, ofDataParallelRanksPeaksInTheLoss)
{
    const ByHand hand{.layers = 32, .tp = 1, .data = 8};
    expectWithinHalfAPercent(peakOfStage(configOf(8, 1, 1), llama()),
        hand.states(32 * hand.blockWeights() + 2 * hand.tableWeights()) + 32 * hand.layer() + hand.loss());
}

TEST(MegatronMemory, ofTensorParallelRanksWithSequenceParallelismIsTheirPartOfEverything)
{
    for (const int tp : {2, 4, 8}) {
        const ByHand hand{.layers = 32, .tp = tp, .data = 8 / tp};
        expectWithinHalfAPercent(peakOfStage(configOf(8, tp, 1), llama()),
            hand.states(32 * hand.blockWeights() + 2 * hand.tableWeights()) + 32 * hand.layer() + hand.loss());
    }
}

TEST(MegatronMemory, keepsTheInputsOfLayersThatAreRecomputed)
{
    const ByHand hand{.layers = 32, .tp = 1, .data = 8};
    RunConfig c = configOf(8, 1, 1);
    c.recompute = Recompute::Full;
    expectWithinHalfAPercent(peakOfStage(c, llama()),
        hand.states(32 * hand.blockWeights() + 2 * hand.tableWeights()) + 32 * hand.tokens * 2 * 4096 + hand.loss());
}

TEST(MegatronMemory, keepsAllOfALayerButSumsOfExponentsWhereCoreAttentionIsRecomputed)
{
    RunConfig c = configOf(8, 1, 1);
    const double all = peakOfStage(c, llama());
    c.recompute = Recompute::Selective;
    expectWithinHalfAPercent(peakOfStage(c, llama()), all - 32 * 4096.0 * 4 * 32);
}

// The first of four stages holds four micro-batches of its eight layers, the last one's loss meets one.
TEST(MegatronMemory, ofPipelineStagesIsTheMicroBatchesInFlight)
{
    const ByHand hand{.layers = 8, .tp = 1, .data = 2};
    const RunConfig c = configOf(8, 1, 4);
    const double states = hand.states(8 * hand.blockWeights() + hand.tableWeights());
    const double firstStage = peakOfStage(c, llama(), 0);
    EXPECT_GE(firstStage, states + 4 * 8 * hand.layer());
    EXPECT_LE(firstStage, states + 4 * 8 * hand.layer() + hand.tokens * 6 * 2 * 14336)
        << "and at most the MLP's gradients of the layer at hand";
    expectWithinHalfAPercent(peakOfStage(c, llama(), 2), states + 8 * hand.layer() + hand.loss());
}

TEST(MegatronMemory, ofContextParallelRanksIsTheirPartOfTheTokensBesideWholeWeights)
{
    RunConfig c = configOf(8, 1, 1);
    c.parallel.cp = 2;
    const ByHand hand{.layers = 32, .tp = 1, .data = 8, .tokens = 2048}; // states lie over data and context ranks
    expectWithinHalfAPercent(peakOfStage(c, llama()),
        hand.states(32 * hand.blockWeights() + 2 * hand.tableWeights()) + 32 * hand.layer() + hand.loss());
}

// Each product's input waits in one byte an element; attention keeps its own output in bf16 beside the next product's
// input.
TEST(MegatronMemory, keepsInputsInOneByteUnderFp8)
{
    RunConfig c = configOf(8, 1, 1);
    const double half = peakOfStage(c, llama());
    c.precision = Precision::Fp8Mixed;
    expectWithinHalfAPercent(peakOfStage(c, llama()), half - 32 * 4096.0 * (2 * 4096 + 14336 - 4096));
}

TEST(MegatronMemory, countsHalfGradientsWhereTheRecipeReducesThem)
{
    RunConfig c = configOf(8, 1, 1);
    const double whole = peakOfStage(c, llama());
    c.simulated.gradientType = GradientType::Half;
    const ByHand hand{.layers = 32, .tp = 1, .data = 8};
    expectWithinHalfAPercent(peakOfStage(c, llama()), whole - 2 * (32 * hand.blockWeights() + 2 * hand.tableWeights()));
}

// Half weights and gradients, masters, both moments, and while the optimizer steps the gradients in fp32: 20 bytes a
// parameter.
TEST(MegatronMemory, copiesHalfGradientsToFp32WhenItSteps)
{
    RunConfig c = configOf(8, 1, 1);
    c.parallel.kind = ParallelKind::Ddp;
    c.precision = Precision::Fp16Mixed;
    c.seqLen = 64;
    c.gradAccum = 1;
    const ByHand hand{.layers = 4, .tp = 1, .data = 8};
    expectWithinHalfAPercent(peakOfStage(c, llama(4)), 20 * (4 * hand.blockWeights() + 2 * hand.tableWeights()));
}

// Megatron-DeepSpeed under fp16: two micro-batches' logits stay in fp32, and beside them lie at worst the new ones in
// half and in fp32. One rank's optimizer flattens gradients as many would.
TEST(MegatronMemory, keepsTheLogitsOfTwoMicroBatchesInDeepSpeedsPipelineEngine)
{
    RunConfig c = configOf(8, 1, 8);
    c.precision = Precision::Fp16Mixed;
    testing::setTorch(c, "1.9");
    c.simulated.fusedGate = false;
    const double last = peakOfStage(c, llama(), 2), logits = 4096 * 128256.0;
    c.gradAccum = 1; // one buffer is used
    EXPECT_NEAR((last - peakOfStage(c, llama(), 2)) / (4 * logits), 1, 0.001);
    c.gradAccum = 8;
    const ByHand hand{.layers = 4, .tp = 1, .data = 1};
    const double weights = 4 * hand.blockWeights() + hand.tableWeights(), states = weights * (2 + 2 + 12) + 2 * 5e8;
    expectWithinHalfAPercent(last, states + weights * (2 + 4) + 8 * logits); // the optimizer flattens
    c.microBatch = 4;
    const double silu = 4096 * 2 * 14336.0; // a kernel of its own then
    expectWithinHalfAPercent(
        peakOfStage(c, llama(), 2), states + 4 * (4 * (hand.layer() + silu) + 4096 * 2 * 2 * 4096.0 + 14 * logits));
}

} // namespace
} // namespace slipway
